#include "MatrixEmitter.h"
#include "ComplexNumbers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace partopt::codegen {

Matrix MatrixEmitter::matrix(ElementScope &scope, const Buffer &buffer,
                             Value value, ArrayRef<Index> at) {
  Matrix result{buffer.memref, tensorOf(value).getElementType(), {}, false};
  for (const Index &index : at)
    result.batch.push_back(scope.materialize(index));
  return result;
}

LogicalResult MatrixEmitter::overBatch(
    llvm::function_ref<void(ElementScope &, ArrayRef<Index>)> body) {
  ElementScope scope = emitter.topScope(loc);
  ArrayRef<int64_t> shape = tensorOf(op->getResult(0)).getShape();
  return emitter.parallel(scope, shape.drop_back(2),
                          [&](ElementScope &inner, ArrayRef<Index> at) {
                            body(inner, at);
                            return success();
                          });
}

Parts MatrixEmitter::load(const Matrix &m, Value i, Value j) {
  Value stored = b.create<memref::LoadOp>(loc, m.memref, m.place(i, j));
  Value scalar = toCompute(b, loc, m.element, stored);
  if (!isa<ComplexType>(m.element))
    return {Number{&b, loc, scalar}};
  auto [re, im] = splitParts(b, loc, scalar);
  return {Number{&b, loc, re}, Number{&b, loc, im}};
}

void MatrixEmitter::store(const Matrix &m, Value i, Value j,
                          const Parts &scalar) {
  Value value = scalar.size() == 2
                    ? joinParts(b, loc, scalar[0].value, scalar[1].value)
                    : roundToElement(b, loc, m.element, scalar[0].value);
  b.create<memref::StoreOp>(loc, toStorage(b, loc, m.element, value), m.memref,
                            m.place(i, j));
}

/// sum + x y, or sum - x y: a step of a sum that LLVM may cut.
static Number productStep(Number sum, Number x, Number y,
                          bool isMinus = false) {
  auto flags = arith::FastMathFlags::contract | arith::FastMathFlags::reassoc;
  OpBuilder &b = *sum.b;
  Value product = b.create<arith::MulFOp>(sum.loc, x.value, y.value, flags);
  return sum.of(
      isMinus
          ? Value(b.create<arith::SubFOp>(sum.loc, sum.value, product, flags))
          : Value(b.create<arith::AddFOp>(sum.loc, sum.value, product, flags)));
}

Parts MatrixEmitter::minusProduct(const Parts &x, const Parts &y,
                                  const Parts &z) {
  if (x.size() == 1)
    return {productStep(x[0], y[0], z[0], true)};
  return {productStep(productStep(x[0], y[0], z[0], true), y[1], z[1]),
          productStep(productStep(x[1], y[0], z[1], true), y[1], z[0], true)};
}

Parts MatrixEmitter::minusRows(const Parts &init, const Matrix &x, Value row,
                               const Matrix &y, Value other, Value low,
                               Value high, bool conjugates) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> zeros;
  for (Number part : init)
    zeros.push_back(part.constant(0).value);
  auto loop = b.create<scf::ForOp>(loc, low, high, constant(1), zeros);
  b.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  Parts u = load(x, row, k), v = load(y, other, k);
  auto sum = [&](unsigned i) { return init[0].of(loop.getRegionIterArg(i)); };
  SmallVector<Value> next;
  if (init.size() == 1) {
    next.push_back(productStep(sum(0), u[0], v[0]).value);
  } else {
    // With conj(v): (a + ib)(c - id).
    next.push_back(
        productStep(productStep(sum(0), u[0], v[0]), u[1], v[1], !conjugates)
            .value);
    next.push_back(
        productStep(productStep(sum(1), u[1], v[0]), u[0], v[1], conjugates)
            .value);
  }
  b.create<scf::YieldOp>(loc, next);
  b.setInsertionPointAfter(loop);
  Parts result;
  for (auto [part, value] : llvm::zip(init, loop.getResults()))
    result.push_back(part - part.of(value));
  return result;
}

Parts MatrixEmitter::quotient(const Parts &x, const Parts &y) {
  if (y.size() == 1) {
    Parts result;
    for (Number part : x)
      result.push_back(part / y[0]);
    return result;
  }
  Complex z = codegen::quotient({x[0], x[1]}, {y[0], y[1]});
  return {z.re, z.im};
}

} // namespace partopt::codegen
