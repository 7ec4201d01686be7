// Where an attention has its queries, for a device that computes some of them
// at a time under a causal mask.

#include "RingCore.h"

#include "partopt/Analysis/CausalMask.h"

using namespace mlir;
using namespace partopt;

std::optional<int64_t> partopt::causalQueryDim(const RingCore &core) {
  ScoreMatrix matrix;
  matrix.scores = core.scores;
  matrix.keyDim = core.keyDim.find(core.scores)->second;
  matrix.axes = core.axes;
  matrix.width = core.width;
  auto type = cast<RankedTensorType>(core.scores.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    matrix.queryDim = dim;
    if (dim != matrix.keyDim && type.getDimSize(dim) == core.width &&
        isCausal(matrix))
      return dim;
  }
  return std::nullopt;
}

bool partopt::findQueryDims(RingCore &core, int64_t dim) {
  llvm::DenseSet<Operation *> ops(core.ops.begin(), core.ops.end());
  SmallVector<Value> open{core.scores};
  core.queryDim[core.scores] = dim;
  bool isGood = true;
  auto visit = [&](Operation *op, Value from) {
    auto rule = getShardingRule(op);
    if (!rule || !ops.contains(op))
      return;
    auto mappingOf = [&](Value value) -> const TensorMapping & {
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        if (operand == value)
          return rule->operands[i];
      return rule->results[0];
    };
    int64_t at = core.queryDim.lookup(from);
    SmallVector<Value> values(op->getOperands());
    values.push_back(op->getResult(0));
    for (Value value : values) {
      auto found = dimAcross(mappingOf(from), mappingOf(value), at);
      if (!found || !core.keyDim.contains(value))
        continue;
      auto [known, isNew] = core.queryDim.insert({value, *found});
      isGood &= known->second == *found;
      if (isNew)
        open.push_back(value);
    }
  };
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (Operation *op = value.getDefiningOp())
      visit(op, value);
    for (Operation *user : value.getUsers())
      visit(user, value);
  }
  if (!isGood)
    core.queryDim.clear();
  return isGood;
}
