// Sums of a scatter as one scatter. The scatter then writes its few places of
// what is there already, instead of a tensor of zeros that is added: two
// gradients of one table are never held side by side.
#include "FormKernels.h"
#include "Rules.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// Narrow floats would be rounded at each update.
bool isWide(Value value) {
  Type element = tensorOf(value).getElementType();
  return element.isInteger() || element.isF32() || element.isF64();
}

/// The scatter that makes `value` and nobody else reads, if it adds.
ScatterOp addingScatter(Value value) {
  auto scatter = value.getDefiningOp<ScatterOp>();
  if (!scatter || scatter.getInputs().size() != 1 || !value.hasOneUse())
    return {};
  Block &body = scatter->getRegion(0).front();
  Operation *op = &body.front();
  bool adds = isa<AddOp>(op) && op->getNextNode() == body.getTerminator() &&
              op->getOperand(0) != op->getOperand(1) &&
              llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  return adds ? scatter : ScatterOp();
}

/// `sum` as a scatter into its other operand, or null.
Value scatterInto(AddOp sum, ScatterOp scatter, Value other) {
  Value base = scatter.getInputs()[0];
  bool isCarried = isa_and_nonnull<comm::LoopBeginOp>(other.getDefiningOp());
  if (!isWide(other) || !other.hasOneUse() || (!isZero(base) && !isCarried))
    return {};
  OpBuilder builder(sum);
  Value into = other;
  if (!isZero(base)) {
    // As soon as both are there: the base is free afterwards.
    OpBuilder::InsertionGuard guard(builder);
    if (Operation *def = base.getDefiningOp();
        def && other.getDefiningOp()->isBeforeInBlock(def))
      builder.setInsertionPointAfter(def);
    else
      builder.setInsertionPointAfter(other.getDefiningOp());
    into = builder.create<AddOp>(sum.getLoc(), base.getType(), other, base);
  }
  Operation *clone = builder.clone(*scatter);
  clone->setOperand(0, into);
  clone->setLoc(builder.getFusedLoc({scatter.getLoc(), sum.getLoc()}));
  return clone->getResult(0);
}

} // namespace

void accumulateInPlace(Block &block) {
  for (auto sum : llvm::make_early_inc_range(block.getOps<AddOp>()))
    for (unsigned k : {0u, 1u}) {
      ScatterOp scatter = addingScatter(sum->getOperand(k));
      Value into =
          scatter ? scatterInto(sum, scatter, sum->getOperand(1 - k)) : Value();
      if (!into)
        continue;
      sum->getResult(0).replaceAllUsesWith(into);
      sum->erase();
      scatter->erase();
      break;
    }
}

} // namespace partopt::codegen
