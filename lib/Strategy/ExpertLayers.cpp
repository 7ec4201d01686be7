// What belongs to the experts' products: arguments, layers with their places,
// and what all devices need whole.

#include "ExpertDims.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

void ExpertDims::findInner(const llvm::DenseSet<Operation *> &products) {
  inner.emplace(func, /*majorOfMerged=*/false, [&](Operation *op) {
    return !isa<stablehlo::DotGeneralOp>(op) || products.contains(op);
  });
  isExpertClass.assign(inner->size(), false);
  for (const ExpertProduct &product : found)
    if (auto number =
            product.tokenDim
                ? inner->classOf(product.sent(), *product.tokenDim)
                : inner->classOf(product.op->getResult(0), *product.resultDim))
      isExpertClass[*number] = true;
}

/// Places are what is neither a row of the batch, nor summed over, nor an
/// expert.
void ExpertDims::findCapacity(const ExpertProduct &product,
                              ExpertLayer &layer) const {
  if (product.holdsAll)
    return;
  const ShardingRule &rule = *rules.find(product.op)->second;
  Value tokens = product.op->getOperand(product.tokens);
  layer.capacity = 1;
  for (int64_t dim = 0; dim < rankOf(tokens); ++dim) {
    auto number = classes.classOf(tokens, dim);
    unsigned factor = rule.operands[product.tokens][dim].front();
    if (number && isRows[*number])
      layer.isPerRow = true;
    else if (product.tokenDim != dim &&
             rule.factors[factor].kind == FactorKind::PassThrough)
      layer.capacity *= sizeOf(tokens, dim);
  }
}

/// Layers are products that tokens join: weights of several layers may lie in
/// one parameter.
void ExpertDims::findLayers() {
  llvm::DenseSet<Operation *> products;
  for (const ExpertProduct &product : found)
    products.insert(product.op);
  auto isTokens = [&](Value value) {
    return !isWeight(value) && !constants.contains(value) && !isSplat(value);
  };
  auto joins = [&](Operation *op) {
    if (isa<stablehlo::DotGeneralOp>(op))
      return products.contains(op);
    return llvm::any_of(op->getOperands(), isTokens);
  };
  DimensionClasses flow(func, /*majorOfMerged=*/false, joins, isTokens);
  llvm::DenseSet<unsigned> seen;
  for (const ExpertProduct &product : found) {
    Value value = product.tokenDim ? product.sent() : product.op->getResult(0);
    int64_t dim = product.tokenDim ? *product.tokenDim : *product.resultDim;
    auto number = flow.classOf(value, dim);
    if (!number || !seen.insert(*number).second)
      continue;
    ExpertLayer &layer = layerList.emplace_back();
    layer.experts = sizeOf(value, dim);
    layer.first = &product;
    findCapacity(product, layer);
  }
}

SmallVector<int64_t>
ExpertDims::featureDims(const ExpertProduct &product) const {
  const ShardingRule &rule = *rules.find(product.op)->second;
  SmallVector<int64_t> features;
  for (auto [dim, factors] : llvm::enumerate(rule.operands[product.tokens]))
    if (product.tokenDim != int64_t(dim) &&
        rule.factors[factors.front()].kind == FactorKind::Reduction)
      features.push_back(dim);
  return features;
}

ExpertDims::Whole ExpertDims::wholeValues() const {
  Whole whole;
  llvm::DenseSet<unsigned> tokens, sorted; // classes
  for (const ExpertProduct &product : found) {
    if (!product.holdsAll)
      continue;
    if (!product.tokenDim) {
      whole.uses.push_back(&product.op->getOpOperand(product.tokens));
      continue;
    }
    originOf({product.sent(), *product.tokenDim}, &whole.values);
    const ShardingRule &rule = *rules.find(product.op)->second;
    for (auto [dim, factors] : llvm::enumerate(rule.operands[product.tokens]))
      if (auto number = classes.classOf(product.sent(), dim);
          number && int64_t(dim) != *product.tokenDim &&
          rule.factors[factors.front()].kind == FactorKind::PassThrough)
        tokens.insert(*number);
  }
  auto isIn = [&](const llvm::DenseSet<unsigned> &set, Value value,
                  int64_t dim) {
    auto number = classes.classOf(value, dim);
    return number && set.contains(*number);
  };
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    auto sort = dyn_cast<stablehlo::SortOp>(entry.op);
    if (!sort || !isIn(tokens, sort->getResult(0), sortDim(sort)))
      continue;
    sorted.insert(*classes.classOf(sort->getResult(0), sortDim(sort)));
    whole.values.insert(sort->result_begin(), sort->result_end());
    for (OpOperand &operand : sort->getOpOperands())
      whole.uses.push_back(&operand);
  }
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    Operation *op = entry.op;
    // The tokens of each expert, counted up: where each begins.
    if (isa<stablehlo::SliceOp>(op) && rankOf(op->getOperand(0)) == 1 &&
        isExpert(op->getOperand(0), 0))
      whole.uses.push_back(&op->getOpOperand(0));
    if (!isa<stablehlo::GatherOp>(op) || isWeight(op->getOperand(0)))
      continue;
    Value result = op->getResult(0);
    for (int64_t dim = 0; dim < rankOf(result); ++dim)
      if (isIn(sorted, result, dim)) {
        whole.uses.push_back(&op->getOpOperand(0));
        break;
      }
  }
  return whole;
}

bool ExpertDims::isExpert(Value value, int64_t dim) const {
  if (!inner) // no experts were found
    return false;
  auto number = inner->classOf(value, dim);
  return number && isExpertClass[*number];
}

std::optional<int64_t> ExpertDims::dimOf(Value value) const {
  for (int64_t dim = 0; dim < rankOf(value); ++dim)
    if (isExpert(value, dim))
      return dim;
  return std::nullopt;
}
