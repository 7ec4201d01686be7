// Ops that fold many elements into one: reduce and dot_general.
//
// Order of a sum: the folded dimensions in row-major order, except that sums
// over the innermost dimensions may be cut into interleaved partial sums (as
// many as LLVM chooses for the target), which are then added; the order is the
// same in every run. Products likewise. Other combiners keep strict order.
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "partopt/Analysis/ShardingRule.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult reduceTerms(ElementScope &scope, Operation *op,
                          ArrayRef<Index> at, SmallVectorImpl<Value> &out) {
  for (Value input : cast<ReduceOp>(op).getInputs()) {
    Value scalar = scope.element(input, at);
    if (!scalar)
      return failure();
    out.push_back(scalar);
  }
  return success();
}

LogicalResult reduceInit(ElementScope &scope, Operation *op,
                         SmallVectorImpl<Value> &out) {
  for (Value init : cast<ReduceOp>(op).getInitValues()) {
    Value scalar = scope.element(init, {});
    if (!scalar)
      return failure();
    out.push_back(scalar);
  }
  return success();
}

/// The body's only op when it is one binary op of both arguments.
template <typename Op> bool isSingle(Region &body) {
  Block &block = body.front();
  auto op = dyn_cast<Op>(block.front());
  return op && block.getNumArguments() == 2 &&
         block.getTerminator()->getOperand(0) == op.getResult() &&
         op->getOperand(0) != op->getOperand(1);
}

LogicalResult reduceCombine(ElementScope &scope, Operation *op,
                            ValueRange accumulators, ValueRange terms,
                            SmallVectorImpl<Value> &out) {
  return combineByRegion(scope, cast<ReduceOp>(op).getBody(), accumulators,
                         terms, out);
}

int64_t reducePrefix(Operation *op, unsigned operand) {
  auto reduce = cast<ReduceOp>(op);
  return operand < reduce.getInputs().size()
             ? tensorOf(reduce.getInputs().front()).getRank()
             : 0;
}

Fold reduceFold(Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  Fold fold;
  fold.space = llvm::to_vector(tensorOf(reduce.getInputs().front()).getShape());
  fold.folded.assign(fold.space.size(), false);
  for (int64_t dim : reduce.getDimensions())
    fold.folded[dim] = true;
  fold.terms = reduceTerms;
  fold.init = reduceInit;
  fold.combine = reduceCombine;
  fold.combiner = foldCombiner(reduce.getBody());
  fold.prefix = reducePrefix;
  return fold;
}

//===----------------------------------------------------------------------===//
// dot_general: the space is the result's dimensions, then the contracted ones
//===----------------------------------------------------------------------===//

/// The dimensions of one side that are neither batching nor contracted.
SmallVector<int64_t> freeDims(Value side, ArrayRef<int64_t> batching,
                              ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0, e = tensorOf(side).getRank(); i < e; ++i)
    if (!llvm::is_contained(batching, i) && !llvm::is_contained(contracting, i))
      dims.push_back(i);
  return dims;
}

LogicalResult dotTerms(ElementScope &scope, Operation *op, ArrayRef<Index> at,
                       SmallVectorImpl<Value> &out) {
  auto dot = cast<DotGeneralOp>(op);
  auto numbers = dot.getDotDimensionNumbers();
  int64_t resultRank = tensorOf(dot.getResult()).getRank();
  int64_t batch = numbers.getLhsBatchingDimensions().size();
  int64_t free = batch;
  SmallVector<Value, 2> factors;
  auto side = [&](Value value, ArrayRef<int64_t> batching,
                  ArrayRef<int64_t> contracting) {
    IndexVector from(tensorOf(value).getRank());
    for (auto [i, dim] : llvm::enumerate(batching))
      from[dim] = at[i];
    for (auto [i, dim] : llvm::enumerate(contracting))
      from[dim] = at[resultRank + i];
    for (int64_t dim : freeDims(value, batching, contracting))
      from[dim] = at[free++];
    factors.push_back(scope.element(value, from));
    return factors.back() != nullptr;
  };
  if (!side(dot.getLhs(), numbers.getLhsBatchingDimensions(),
            numbers.getLhsContractingDimensions()) ||
      !side(dot.getRhs(), numbers.getRhsBatchingDimensions(),
            numbers.getRhsContractingDimensions()))
    return failure();
  out.append(factors.begin(), factors.end());
  return success();
}

Type dotType(DotGeneralOp dot) {
  return computeType(tensorOf(dot.getResult()).getElementType());
}

LogicalResult dotInit(ElementScope &scope, Operation *op,
                      SmallVectorImpl<Value> &out) {
  OpBuilder &b = scope.builder;
  out.push_back(zeroScalar(b, scope.loc, dotType(cast<DotGeneralOp>(op))));
  return success();
}

/// sum + x y of complex numbers.
Value sumOfProducts(OpBuilder &b, Location loc, Value sum, Value x, Value y) {
  auto [sumRe, sumIm] = splitParts(b, loc, sum);
  auto [xRe, xIm] = splitParts(b, loc, x);
  auto [yRe, yIm] = splitParts(b, loc, y);
  auto product = [&](Value u, Value v) -> Value {
    return b.create<arith::MulFOp>(loc, u, v);
  };
  Value re = b.create<arith::SubFOp>(loc, product(xRe, yRe), product(xIm, yIm));
  Value im = b.create<arith::AddFOp>(loc, product(xRe, yIm), product(xIm, yRe));
  auto flags = arith::FastMathFlags::reassoc;
  return joinParts(b, loc, b.create<arith::AddFOp>(loc, sumRe, re, flags),
                   b.create<arith::AddFOp>(loc, sumIm, im, flags));
}

LogicalResult dotCombine(ElementScope &scope, Operation *op,
                         ValueRange accumulators, ValueRange terms,
                         SmallVectorImpl<Value> &out) {
  auto dot = cast<DotGeneralOp>(op);
  OpBuilder &b = scope.builder;
  Type type = dotType(dot);
  Value x = widened(b, scope.loc, tensorOf(dot.getLhs()).getElementType(), type,
                    terms[0]);
  Value y = widened(b, scope.loc, tensorOf(dot.getRhs()).getElementType(), type,
                    terms[1]);
  out.push_back(sumWithProduct(scope, accumulators[0], x, y));
  return success();
}

int64_t dotPrefix(Operation *op, unsigned operand) {
  auto numbers = cast<DotGeneralOp>(op).getDotDimensionNumbers();
  ArrayRef<int64_t> batching = operand == 0
                                   ? numbers.getLhsBatchingDimensions()
                                   : numbers.getRhsBatchingDimensions();
  int64_t p = 0;
  while (p < int64_t(batching.size()) && batching[p] == p)
    ++p;
  return p;
}

Fold dotFold(Operation *op) {
  auto dot = cast<DotGeneralOp>(op);
  Fold fold;
  fold.space = llvm::to_vector(tensorOf(dot.getResult()).getShape());
  fold.folded.assign(fold.space.size(), false);
  for (int64_t dim :
       dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
    fold.space.push_back(tensorOf(dot.getLhs()).getShape()[dim]);
    fold.folded.push_back(true);
  }
  fold.terms = dotTerms;
  fold.init = dotInit;
  fold.combine = dotCombine;
  fold.merge = mergeSums;
  fold.prefix = dotPrefix;
  return fold;
}

} // namespace

/// Products of i1 are conjunctions, sums of them disjunctions.
Value sumWithProduct(ElementScope &scope, Value sum, Value x, Value y) {
  OpBuilder &b = scope.builder;
  Location loc = scope.loc;
  Type type = sum.getType();
  if (isa<FloatType>(type)) {
    Value product = b.create<arith::MulFOp>(loc, x, y);
    return b.create<arith::AddFOp>(loc, sum, product,
                                   arith::FastMathFlags::reassoc);
  }
  if (isa<ComplexType>(type))
    return sumOfProducts(b, loc, sum, x, y);
  if (type.isInteger(1))
    return b.create<arith::OrIOp>(loc, sum, b.create<arith::AndIOp>(loc, x, y));
  return b.create<arith::AddIOp>(loc, sum, b.create<arith::MulIOp>(loc, x, y));
}

LogicalResult mergeSums(ElementScope &scope, Operation *op,
                        ValueRange accumulators, ValueRange others,
                        SmallVectorImpl<Value> &out) {
  OpBuilder &b = scope.builder;
  Location loc = scope.loc;
  Value x = accumulators[0], y = others[0];
  auto flags = arith::FastMathFlags::reassoc;
  if (isa<FloatType>(x.getType())) {
    out.push_back(b.create<arith::AddFOp>(loc, x, y, flags));
  } else if (isa<ComplexType>(x.getType())) {
    auto [re, im] = splitParts(b, loc, x);
    auto [otherRe, otherIm] = splitParts(b, loc, y);
    out.push_back(joinParts(b, loc,
                            b.create<arith::AddFOp>(loc, re, otherRe, flags),
                            b.create<arith::AddFOp>(loc, im, otherIm, flags)));
  } else if (x.getType().isInteger(1)) {
    out.push_back(b.create<arith::OrIOp>(loc, x, y));
  } else {
    out.push_back(b.create<arith::AddIOp>(loc, x, y));
  }
  return success();
}

std::optional<Combiner> foldCombiner(Region &body) {
  std::optional<Combiner> combiner = bodyCombiner(body);
  // No complex number is below all others, which are ordered by both parts.
  bool isOrdered = combiner == Combiner::Max || combiner == Combiner::Min;
  auto isComplex = [](Type type) {
    return isa<ComplexType>(getElementTypeOrSelf(type));
  };
  if (isOrdered && llvm::any_of(body.getArgumentTypes(), isComplex))
    return std::nullopt;
  return combiner;
}

LogicalResult combineByRegion(ElementScope &scope, Region &body,
                              ValueRange accumulators, ValueRange terms,
                              SmallVectorImpl<Value> &out) {
  OpBuilder &b = scope.builder;
  Type type = accumulators.front().getType();
  bool isSum = isSingle<AddOp>(body);
  if (isa<FloatType>(type) && (isSum || isSingle<MulOp>(body))) {
    auto flags = arith::FastMathFlags::reassoc;
    Value x = accumulators.front(), y = terms.front();
    out.push_back(isSum
                      ? Value(b.create<arith::AddFOp>(scope.loc, x, y, flags))
                      : Value(b.create<arith::MulFOp>(scope.loc, x, y, flags)));
    return success();
  }
  if (isa<ComplexType>(type) && isSum) {
    auto [x, xIm] = splitParts(b, scope.loc, accumulators.front());
    auto [y, yIm] = splitParts(b, scope.loc, terms.front());
    auto flags = arith::FastMathFlags::reassoc;
    out.push_back(
        joinParts(b, scope.loc, b.create<arith::AddFOp>(scope.loc, x, y, flags),
                  b.create<arith::AddFOp>(scope.loc, xIm, yIm, flags)));
    return success();
  }
  SmallVector<Value> arguments(accumulators);
  arguments.append(terms.begin(), terms.end());
  return evaluateRegion(scope, body, arguments, out);
}

Value widened(OpBuilder &b, Location loc, Type from, Type to, Value value) {
  if (value.getType() == to)
    return value;
  if (auto complex = dyn_cast<ComplexType>(to)) {
    Type part = complex.getElementType();
    if (!isa<ComplexType>(value.getType()))
      return joinParts(b, loc, widened(b, loc, from, part, value),
                       zeroScalar(b, loc, part));
    auto [re, im] = splitParts(b, loc, value);
    return joinParts(b, loc, widened(b, loc, re.getType(), part, re),
                     widened(b, loc, im.getType(), part, im));
  }
  if (isa<FloatType>(to))
    return b.create<arith::ExtFOp>(loc, to, value);
  if (from.isUnsignedInteger() || from.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, to, value);
  return b.create<arith::ExtSIOp>(loc, to, value);
}

void addFoldRules(RuleTable &t) {
  OpRule reduce;
  reduce.fold = reduceFold;
  t.add<ReduceOp>(reduce);
  OpRule dot;
  dot.fold = dotFold;
  t.add<DotGeneralOp>(dot);
}

} // namespace partopt::codegen
