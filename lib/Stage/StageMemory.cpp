// See StageMemory.h.

#include "StageMemory.h"

#include "LayerPlaces.h"

#include "partopt/Analysis/OpCost.h"
#include "partopt/Support/ArgumentRole.h"

#include <map>
#include <set>

using namespace mlir;
using namespace partopt;

/// Bytes for each of a parameter's own: itself, its gradient, what the
/// optimizer keeps.
static double bytesPerParameter(func::FuncOp func, const PipelineBody &body) {
  if (body.backward.empty())
    return 1;
  double parameters = 0, states = 0;
  for (BlockArgument argument : func.getArguments()) {
    double bytes = double(tensorBytes(argument.getType()));
    StringRef role = roleOf(argument);
    parameters += role == "param" ? bytes : 0;
    states += role == "opt" ? bytes : 0;
  }
  return 2 + (parameters > 0 ? states / parameters : 0);
}

/// Positions that read the parameter, by row where it is read by rows; all of
/// it is row -1.
static std::map<int64_t, std::set<int64_t>>
readersOf(BlockArgument parameter, const PipelineBody &body) {
  std::map<int64_t, std::set<int64_t>> readers;
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> work{{parameter, -1}};
  while (!work.empty()) {
    auto [value, row] = work.pop_back_val();
    if (!seen.insert({value, row}).second)
      continue;
    for (Operation *user : value.getUsers()) {
      int64_t own = row < 0 ? rowTakenBy(user) : row;
      if (std::optional<int64_t> at = body.forwardPosition(user))
        readers[own].insert(*at);
      else if (body.isInFront(user))
        for (Value result : user->getResults())
          work.push_back({result, own});
    }
  }
  return readers;
}

void partopt::addStageMemory(func::FuncOp func, const PipelineBody &body,
                             CutChainProblem &chain) {
  double factor = bytesPerParameter(func, body);
  for (BlockArgument argument : func.getArguments()) {
    if (roleOf(argument) != "param")
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    double bytes = factor * double(tensorBytes(type));
    for (const auto &[row, at] : readersOf(argument, body))
      chain.held.push_back(
          {int64_t(row < 0 ? bytes : bytes / double(type.getDimSize(0))),
           {at.begin(), at.end()}});
  }
  chain.left.assign(body.forward.size(), 0);
  llvm::DenseSet<Operation *> backward(body.backward.begin(),
                                       body.backward.end());
  for (Operation *op : body.forward)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return backward.contains(body.inLoop(user));
          }))
        chain.left[body.positionOf(op)] += tensorBytes(result.getType());
}
