// Matrix products and convolutions of complex numbers as four real ones each,
// which have fast kernels: (a + ib)(c + id) = (ac - bd) + i(ad + bc).
#include "FormKernels.h"
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

bool isComplex(Value value) {
  return isa<ComplexType>(tensorOf(value).getElementType());
}

RankedTensorType partType(Value value) {
  RankedTensorType type = tensorOf(value);
  return type.clone(cast<ComplexType>(type.getElementType()).getElementType());
}

void split(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Value result = op->getResult(0);
  Value a = b.create<RealOp>(loc, partType(lhs), lhs);
  Value bi = b.create<ImagOp>(loc, partType(lhs), lhs);
  Value c = b.create<RealOp>(loc, partType(rhs), rhs);
  Value di = b.create<ImagOp>(loc, partType(rhs), rhs);
  auto product = [&](Value x, Value y) -> Value {
    Operation *part = b.clone(*op);
    part->setOperands({x, y});
    part->getResult(0).setType(partType(result));
    return part->getResult(0);
  };
  Value re = b.create<SubtractOp>(loc, partType(result), product(a, c),
                                  product(bi, di));
  Value im =
      b.create<AddOp>(loc, partType(result), product(a, di), product(bi, c));
  result.replaceAllUsesWith(b.create<ComplexOp>(loc, result.getType(), re, im));
  op->erase();
}

} // namespace

void splitComplexProducts(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<DotGeneralOp, ConvolutionOp>(op) &&
        llvm::all_of(op.getOperands(), isComplex) && isComplex(op.getResult(0)))
      split(&op);
}

} // namespace partopt::codegen
