// See UntrainedArguments.h. The gradient by an argument depends on it, unless
// the loss is linear in it: what is added to the old value tells, followed back
// to arguments, but not through sums within the loss or the new value of
// another argument, which an average takes as they are.

#include "UntrainedArguments.h"

#include "BackwardSlice.h"
#include "ElementFlow.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

StringRef partopt::describe(UntrainedKind kind) {
  switch (kind) {
  case UntrainedKind::Scale:
    return "made of itself and of scalars";
  case UntrainedKind::Average:
    return "a running average, no gradient is taken of it";
  case UntrainedKind::Replaced:
    return "the loss needs its next value";
  case UntrainedKind::Decides:
    return "the loss has no derivative by it";
  }
  return "";
}

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

UntrainedArguments::UntrainedArguments(func::FuncOp func,
                                       const ArgumentUses &uses,
                                       ArrayRef<int64_t> next,
                                       ArrayRef<unsigned> candidates)
    : func(func), uses(uses), next(next), derived(func.getNumArguments()) {
  Operation *terminator = func.front().getTerminator();
  for (unsigned argument : candidates)
    ends.push_back(terminator->getOperand(next[argument]));
  if (uses.lossResult() < 0)
    return;
  Value loss = terminator->getOperand(uses.lossResult());
  ends.push_back(loss);
  // Of what a sum is made, a gradient has more than the sum.
  for (auto sum : func.front().getOps<stablehlo::ReduceOp>())
    for (Value result : sum.getResults())
      if (isScalar(result.getType()) && uses.lossNeeds(result))
        ends.push_back(result);
  BackwardSlice(loss, /*differentiable=*/true).run(func.front(), derived);
}

bool UntrainedArguments::isMadeOfScalars(
    const llvm::BitVector &arguments) const {
  return llvm::all_of(arguments.set_bits(), [&](unsigned argument) {
    return isScalar(func.getArgumentTypes()[argument]);
  });
}

/// Where the next value is the old one and something else.
std::optional<UntrainedKind>
UntrainedArguments::kindBySum(unsigned argument) const {
  BlockArgument old = func.getArgument(argument);
  Value value = func.front().getTerminator()->getOperand(next[argument]);
  std::optional<Addends> sum = addendsBeside(old, value);
  BackwardSlice slice(sum ? ArrayRef<Value>(sum->others) : value,
                      /*differentiable=*/true);
  SmallVector<Value> others(ends);
  llvm::erase(others, value);
  slice.stopAt(others);
  llvm::BitVector reached(func.getNumArguments());
  slice.run(func.front(), reached);
  bool takesEnds =
      llvm::any_of(others, [&](Value end) { return slice.contains(end); });
  if (!takesEnds && isScalar(old.getType()) && isMadeOfScalars(reached) &&
      (!sum || !reached[argument]))
    return UntrainedKind::Scale;
  if (!sum || reached[argument])
    return std::nullopt;
  double share = shareOf(old, value, /*isTerm=*/true);
  bool isPart = sum->isScaled || share < 1;
  return isPart && share >= kLeastShare ? std::optional(UntrainedKind::Average)
                                        : std::nullopt;
}

std::optional<UntrainedKind>
UntrainedArguments::kindOf(unsigned argument) const {
  if (std::optional<UntrainedKind> kind = kindBySum(argument))
    return kind;
  if (uses.lossResult() < 0)
    return std::nullopt;
  Value value = func.front().getTerminator()->getOperand(next[argument]);
  if (uses.lossNeeds(value) &&
      !addendsBeside(func.getArgument(argument), value))
    return UntrainedKind::Replaced;
  auto type = cast<RankedTensorType>(func.getArgumentTypes()[argument]);
  // A larger array may be a weight that a rounding passes gradients through.
  if (type.getRank() <= 1 && !derived[argument])
    return UntrainedKind::Decides;
  return std::nullopt;
}
