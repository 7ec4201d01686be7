// Looking up, checking and printing the sharding rule of an op.

#include "partopt/Analysis/ShardingRule.h"
#include "partopt/Analysis/ShardingRuleAttr.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace partopt;

#include "partopt/Analysis/ShardingRuleInterface.cpp.inc"

unsigned ShardingRule::addFactor(int64_t size, FactorKind kind,
                                 Combiner combiner) {
  Factor factor;
  factor.size = size;
  factor.kind = kind;
  factor.combiner = combiner;
  factors.push_back(factor);
  return factors.size() - 1;
}

std::optional<int64_t> partopt::dimOfFactor(const TensorMapping &mapping,
                                            unsigned factor) {
  for (auto [dim, factors] : llvm::enumerate(mapping))
    if (factors.size() == 1 && factors.front() == factor)
      return int64_t(dim);
  return std::nullopt;
}

std::optional<unsigned> partopt::soleFactorOf(const TensorMapping &mapping,
                                              int64_t dim) {
  if (mapping[dim].size() != 1)
    return std::nullopt;
  return mapping[dim].front();
}

std::optional<int64_t> partopt::dimAcross(const TensorMapping &from,
                                          const TensorMapping &to,
                                          int64_t dim) {
  auto factor = soleFactorOf(from, dim);
  return factor ? dimOfFactor(to, *factor) : std::nullopt;
}

std::optional<ShardingRule> partopt::getShardingRule(Operation *op) {
  if (auto attr =
          op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleAttr))
    return fromAttr(attr);
  if (auto model = dyn_cast<ShardingRuleOpInterface>(op))
    return model.getShardingRule();
  return std::nullopt;
}

/// Checks one side of a rule; marks the factors that it uses.
static std::optional<std::string>
checkTensors(const ShardingRule &rule, llvm::ArrayRef<TensorMapping> mappings,
             TypeRange types, llvm::StringRef what, llvm::BitVector &used) {
  if (mappings.size() != types.size())
    return ("maps " + llvm::Twine(mappings.size()) + " " + what +
            "s, the op has " + llvm::Twine(types.size()))
        .str();
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    auto type = dyn_cast<RankedTensorType>(types[index]);
    std::string where = (what + " " + llvm::Twine(index)).str();
    int64_t rank = type ? type.getRank() : 0;
    if (int64_t(mapping.size()) != rank)
      return ("maps " + llvm::Twine(mapping.size()) + " dimensions of " +
              where + ", which has " + llvm::Twine(rank))
          .str();
    llvm::BitVector here(rule.factors.size());
    for (const DimMapping &dim : mapping) {
      if (dim.empty())
        return "leaves a dimension of " + where + " without factor";
      for (unsigned factor : dim) {
        if (factor >= rule.factors.size())
          return "names a factor that it does not have in " + where;
        if (here.test(factor))
          return "uses a factor twice in " + where;
        here.set(factor);
      }
    }
    used |= here;
  }
  return std::nullopt;
}

std::optional<std::string>
partopt::checkShardingRule(Operation *op, const ShardingRule &rule) {
  llvm::BitVector used(rule.factors.size());
  if (auto message = checkTensors(rule, rule.operands, op->getOperandTypes(),
                                  "operand", used))
    return message;
  if (auto message = checkTensors(rule, rule.results, op->getResultTypes(),
                                  "result", used))
    return message;
  if (!used.all())
    return "has a factor that no dimension uses";
  return std::nullopt;
}

sdy::OpShardingRuleAttr partopt::toAttr(MLIRContext *context,
                                        const ShardingRule &rule) {
  auto mappings = [&](llvm::ArrayRef<TensorMapping> tensors) {
    llvm::SmallVector<sdy::TensorMappingAttr> attrs;
    for (const TensorMapping &tensor : tensors) {
      llvm::SmallVector<sdy::DimMappingAttr> dims;
      for (const DimMapping &dim : tensor)
        dims.push_back(sdy::DimMappingAttr::get(
            context, llvm::SmallVector<int64_t>(dim.begin(), dim.end())));
      attrs.push_back(sdy::TensorMappingAttr::get(context, dims));
    }
    return attrs;
  };
  llvm::SmallVector<int64_t> sizes, reduction, replication, permutation,
      blocked;
  for (auto [index, factor] : llvm::enumerate(rule.factors)) {
    sizes.push_back(factor.size);
    if (factor.kind == FactorKind::Reduction)
      reduction.push_back(index);
    if (factor.kind == FactorKind::NeedReplication)
      replication.push_back(index);
    if (factor.kind == FactorKind::Permutation)
      permutation.push_back(index);
    if (factor.blocked)
      blocked.push_back(index);
  }
  return sdy::OpShardingRuleAttr::get(
      context, sizes, mappings(rule.operands), mappings(rule.results),
      reduction, replication, permutation, blocked, rule.custom);
}

ShardingRule partopt::fromAttr(sdy::OpShardingRuleAttr attr) {
  ShardingRule rule;
  for (auto [index, size] : llvm::enumerate(attr.getFactorSizes())) {
    FactorKind kind = FactorKind::PassThrough;
    if (attr.isReductionFactor(index))
      kind = FactorKind::Reduction;
    else if (attr.isNeedReplicationFactor(index))
      kind = FactorKind::NeedReplication;
    else if (attr.isPermutationFactor(index))
      kind = FactorKind::Permutation;
    rule.addFactor(size, kind);
    rule.factors.back().blocked = attr.isBlockedPropagationFactor(index);
  }
  auto mappings = [](llvm::ArrayRef<sdy::TensorMappingAttr> attrs, auto &to) {
    for (sdy::TensorMappingAttr tensor : attrs) {
      TensorMapping mapping;
      for (sdy::DimMappingAttr dim : tensor.getDimMappings())
        mapping.emplace_back(dim.getFactorIndices().begin(),
                             dim.getFactorIndices().end());
      to.push_back(std::move(mapping));
    }
  };
  mappings(attr.getOperandMappings(), rule.operands);
  mappings(attr.getResultMappings(), rule.results);
  rule.custom = attr.isCustom();
  return rule;
}
