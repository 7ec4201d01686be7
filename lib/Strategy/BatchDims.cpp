// Classes of dimensions that are one dimension of the model.

#include "BatchDims.h"

#include "partopt/Analysis/ShardingRule.h"

using namespace mlir;
using namespace partopt;

unsigned BatchDims::number(Value value, int64_t dim) {
  auto [it, isNew] = begins.try_emplace(value, parents.size());
  if (isNew)
    for (int64_t i = 0, e = cast<RankedTensorType>(value.getType()).getRank();
         i < e; ++i)
      parents.push_back(parents.size());
  return it->second + dim;
}

unsigned BatchDims::find(unsigned element) const {
  while (parents[element] != element)
    element = parents[element] = parents[parents[element]];
  return element;
}

void BatchDims::join(unsigned a, unsigned b) { parents[find(a)] = find(b); }

/// Joins the dimensions that a factor has for itself.
void BatchDims::joinFactors(Operation *op) {
  std::optional<ShardingRule> rule = getShardingRule(op);
  if (!rule)
    return;
  SmallVector<std::optional<unsigned>> first(rule->factors.size());
  auto visit = [&](Value value, const TensorMapping &mapping) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    for (auto [dim, factors] : llvm::enumerate(mapping)) {
      unsigned factor = factors.front();
      int64_t size = rule->factors[factor].size;
      if (size < 2 || type.getDimSize(dim) != size)
        continue;
      unsigned own = number(value, dim);
      if (first[factor])
        join(*first[factor], own);
      first[factor] = own;
    }
  };
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule->operands))
    visit(operand, mapping);
  for (auto [result, mapping] : llvm::zip(op->getResults(), rule->results))
    visit(result, mapping);
}

BatchDims::BatchDims(func::FuncOp func) {
  for (Operation &op : func.getBody().front().without_terminator())
    joinFactors(&op);
  SmallVector<unsigned> batches;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto role = func.getArgAttrOfType<StringAttr>(i, "partopt.role");
    auto type = dyn_cast<RankedTensorType>(func.getArgument(i).getType());
    if (role && role.getValue() == "batch" && type && type.getRank() > 0)
      batches.push_back(number(func.getArgument(i), 0));
  }
  isBatch.assign(parents.size(), false);
  for (unsigned element : batches)
    isBatch[find(element)] = true;
}

std::optional<int64_t> BatchDims::dimOf(Value value) const {
  auto it = begins.find(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (it == begins.end() || !type)
    return std::nullopt;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (isBatch[find(it->second + dim)])
      return dim;
  return std::nullopt;
}
