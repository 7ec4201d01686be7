// What backward slices from results to arguments tell of the arguments.

#include "ArgumentRoles.h"
#include "BackwardSlice.h"

#include "dialects/StableHLO/LinearAlgebraOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt {
namespace {

bool isNamed(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name;
}

bool isMatmul(Operation *op) {
  return isNamed(op, "stablehlo.dot_general") || isNamed(op, "stablehlo.dot") ||
         isNamed(op, "stablehlo.convolution") ||
         isNamed(op, "stablehlo.gather");
}

bool isRandom(Operation *op) {
  return isNamed(op, "stablehlo.rng_bit_generator") ||
         isNamed(op, "stablehlo.rng") || isNamed(op, "stablehlo.xor");
}

llvm::BitVector argumentsBehind(func::FuncOp func, ArrayRef<Value> values) {
  llvm::BitVector args(func.getNumArguments());
  BackwardSlice(values).run(func.front(), args);
  return args;
}

// Operands of all ops that `match`, in nested regions too.
template <typename Match>
SmallVector<Value> operandsOf(func::FuncOp func, Match match) {
  SmallVector<Value> values;
  func.walk([&](Operation *op) {
    if (match(op))
      llvm::append_range(values, op->getOperands());
  });
  return values;
}

// Arguments whose dimension 0 the first dot within `slice` that takes them sums
// over. Further ones may be of the backward part of a step before the loss,
// which sums over the rows of a batch.
llvm::BitVector contractedRows(func::FuncOp func, const BackwardSlice &slice) {
  llvm::BitVector args(func.getNumArguments()), met(func.getNumArguments());
  func.walk([&](stablehlo::DotGeneralOp dot) {
    if (!slice.contains(dot.getResult()))
      return;
    stablehlo::DotDimensionNumbersAttr dims = dot.getDotDimensionNumbers();
    auto mark = [&](Value value, ArrayRef<int64_t> contracting) {
      auto arg = dyn_cast<BlockArgument>(value);
      if (!arg || arg.getOwner() != &func.front() ||
          met.test(arg.getArgNumber()))
        return;
      met.set(arg.getArgNumber());
      if (llvm::is_contained(contracting, 0))
        args.set(arg.getArgNumber());
    };
    mark(dot.getLhs(), dims.getLhsContractingDimensions());
    mark(dot.getRhs(), dims.getRhsContractingDimensions());
  });
  return args;
}

} // namespace

ArgumentUses::ArgumentUses(func::FuncOp func, ArrayRef<int64_t> carriedTo)
    : func(func), carriedTo(carriedTo), loss(findLoss(func, carriedTo)),
      toLoss(func.getNumArguments()) {
  if (loss.result >= 0)
    toLoss = reaching(func.front().getTerminator()->getOperand(loss.result));
  BackwardSlice slice(
      loss.result >= 0
          ? SmallVector<Value>{func.front().getTerminator()->getOperand(
                loss.result)}
          : SmallVector<Value>(func.front().getTerminator()->getOperands()));
  llvm::BitVector ignored(func.getNumArguments());
  slice.run(func.front(), ignored);
  if (loss.result >= 0)
    ofLoss = slice.values();
  rowsContracted = contractedRows(func, slice);
  toMatmul = reaching(operandsOf(func, isMatmul));
  toRandom = reaching(operandsOf(func, isRandom));
}

llvm::BitVector ArgumentUses::reaching(ArrayRef<Value> values) const {
  return argumentsBehind(func, values);
}

bool ArgumentUses::feedsRandom(unsigned arg) const {
  return toRandom.test(arg);
}

bool ArgumentUses::isUpdatedInPlace(unsigned arg) const {
  if (carriedTo[arg] < 0)
    return false;
  Value value = func.front().getTerminator()->getOperand(carriedTo[arg]);
  Operation *op = value.getDefiningOp();
  return op && (isNamed(op, "stablehlo.dynamic_update_slice") ||
                isNamed(op, "stablehlo.scatter"));
}

} // namespace partopt
