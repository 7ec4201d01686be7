// Who returns the results that any rank can make; of StageHomes.

#include "StageHomes.h"

#include "partopt/Support/NextValues.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace partopt;

/// A rank that has all the arguments that `value` is made of, which any rank
/// can make; else the first that has one of them, which then has the others
/// too.
int64_t StageHomes::chooseRank(Value value) {
  llvm::SetVector<BlockArgument> arguments;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next))
      arguments.insert(argument);
    else
      next.getDefiningOp()->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentBlock() == &func.getBody().front())
            work.push_back(operand);
      });
  }
  std::map<int64_t, size_t> has; // by rank
  for (BlockArgument argument : arguments)
    for (int64_t rank : ranksOf(argument))
      ++has[rank];
  int64_t best = 0;
  for (auto [rank, count] : has)
    if (has.count(best) == 0 || count > has[best])
      best = rank;
  for (BlockArgument argument : arguments) {
    auto &list = argumentRanks[argument.getArgNumber()];
    if (!llvm::is_contained(list, best))
      list.insert(llvm::upper_bound(list, best), best);
  }
  return best;
}

void StageHomes::findResultRanks() {
  Operation *terminator = func.getBody().front().getTerminator();
  resultRanks.resize(terminator->getNumOperands());
  llvm::DenseMap<unsigned, BlockArgument> nextOf; // by result
  for (BlockArgument argument : func.getArguments())
    if (auto next = nextResultOf(func, argument.getArgNumber()))
      nextOf[*next] = argument;
  // First what is returned alone, which may bring arguments along.
  auto isAnywhere = [&](unsigned i) {
    return rankOfValue(terminator->getOperand(i)) < 0;
  };
  for (unsigned i = 0; i < resultRanks.size(); ++i) {
    BlockArgument argument = nextOf.lookup(i);
    if (isAnywhere(i) && (!argument || ranksOf(argument).empty()))
      resultRanks[i] = {chooseRank(terminator->getOperand(i))};
  }
  for (auto [i, argument] : nextOf)
    if (isAnywhere(i) && !ranksOf(argument).empty())
      resultRanks[i] = ranksOf(argument);
}
