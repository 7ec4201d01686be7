// Experts are a dimension that tokens and a parameter's values share in a
// product, and that the tokens got on their way and not from a parameter: a
// router chose (top_k, a softmax, a one-hot), or tokens were moved there by
// numbers (gather, scatter), or repeated and masked for it. Heads, which
// weights share with activations too, come from a projection.

#include "ExpertDims.h"

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

static int64_t rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

static int64_t sizeOf(Value value, int64_t dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

static int64_t sortDim(stablehlo::SortOp sort) {
  int64_t dim = sort.getDimension();
  return dim < 0 ? dim + rankOf(sort->getOperand(0)) : dim;
}

/// The dimension that is `factor` alone.
static std::optional<int64_t> dimOfFactor(const TensorMapping &mapping,
                                          unsigned factor) {
  for (auto [dim, factors] : llvm::enumerate(mapping))
    if (factors.size() == 1 && factors.front() == factor)
      return int64_t(dim);
  return std::nullopt;
}

void ExpertDims::readRoles() {
  llvm::DenseSet<Value> constants;
  for (BlockArgument argument : func.getArguments()) {
    auto role = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  "partopt.role");
    if (role && role.getValue() == "param")
      weights.insert(argument);
    if (role && role.getValue() == "batch" && rankOf(argument) > 0)
      if (auto number = classes.classOf(argument, 0))
        isRows[*number] = true;
  }
  for (Operation &op : func.getBody().front().without_terminator()) {
    bool isConstant = true, isWeight = true;
    for (Value operand : op.getOperands()) {
      isConstant &= constants.contains(operand);
      isWeight &= constants.contains(operand) || weights.contains(operand);
    }
    if (isWeight)
      (isConstant ? constants : weights)
          .insert(op.result_begin(), op.result_end());
  }
}

/// Classes along which something chooses: the largest or the k largest are
/// looked for, or a number is compared with all of them.
void ExpertDims::findRoutedClasses() {
  isRoutedClass.resize(classes.size());
  std::vector<bool> isCounted(classes.size()), isCompared(classes.size());
  auto mark = [&](std::vector<bool> &marks, Value value, int64_t dim) {
    if (auto number = classes.classOf(value, dim))
      marks[*number] = true;
  };
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    Operation *op = entry.op;
    if (isa<chlo::TopKOp>(op)) {
      mark(isRoutedClass, op->getOperand(0), rankOf(op->getOperand(0)) - 1);
    } else if (auto sort = dyn_cast<stablehlo::SortOp>(op)) {
      mark(isRoutedClass, op->getOperand(0), sortDim(sort));
    } else if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
      bool isMax = reduce.getInputs().size() == 1 &&
                   bodyCombiner(reduce.getBody()) == Combiner::Max;
      if (reduce.getDimensions().size() == 1 &&
          (isMax || reduce.getInputs().size() == 2))
        mark(isRoutedClass, op->getOperand(0), reduce.getDimensions()[0]);
    } else if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
      mark(isCounted, op->getResult(0), iota.getIotaDimension());
    } else if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
      if (compare.getComparisonDirection() ==
          stablehlo::ComparisonDirection::EQ)
        for (int64_t dim = 0; dim < rankOf(op->getResult(0)); ++dim)
          mark(isCompared, op->getResult(0), dim);
    }
  }
  for (unsigned i = 0; i < classes.size(); ++i)
    isRoutedClass[i] = isRoutedClass[i] || (isCounted[i] && isCompared[i]);
}

/// Ones and zeros that were made of a comparison.
static bool isMask(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (cast<RankedTensorType>(value.getType()).getElementType().isInteger(1))
      return true;
    if (!isa<stablehlo::ConvertOp, stablehlo::BroadcastInDimOp,
             stablehlo::ReshapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// True for the operand by which `op` takes what belongs to an expert out of
/// what all have.
static bool masks(Operation *op, Value operand) {
  if (isa<stablehlo::SelectOp>(op))
    return operand == op->getOperand(0);
  return isa<stablehlo::MulOp>(op) && isMask(operand);
}

/// The operands' dimensions that are dimension `dim` of a result, or of which
/// it is the outermost part.
SmallVector<ExpertDims::Place, 2> ExpertDims::sourcesOf(Place place) const {
  SmallVector<Place, 2> sources;
  auto [value, dim] = place;
  Operation *op = value.getDefiningOp();
  auto known = op ? rules.find(op) : rules.end();
  if (known == rules.end())
    return sources;
  const ShardingRule &rule = *known->second;
  unsigned result = cast<OpResult>(value).getResultNumber();
  unsigned factor = rule.results[result][dim].front();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    for (auto [d, factors] : llvm::enumerate(rule.operands[i]))
      if (factors.front() == factor &&
          (factors.size() == 1 || isa<stablehlo::ReshapeOp>(op)))
        sources.push_back({operand, int64_t(d)});
  return sources;
}

/// Where a dimension of tokens comes from, seen through all ops that have it in
/// an operand. `repeated` takes what a broadcast made it of.
ExpertDims::Origin
ExpertDims::originOf(Place place, llvm::SetVector<Value> *repeated) const {
  bool isMoved = false, isRepeated = false, isOther = false;
  llvm::DenseSet<Place> seen;
  // What a product made of tokens and a mask was sent, whatever made the mask.
  enum class Way { Direct, Masked, Sent };
  SmallVector<std::pair<Place, Way>> open{{place, Way::Direct}};
  while (!open.empty()) {
    auto [current, way] = open.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (isWeight(current.first))
      return Origin::Parameter;
    Operation *op = current.first.getDefiningOp();
    if (op && isa<stablehlo::ScatterOp, stablehlo::GatherOp>(op)) {
      isMoved = true;
      continue;
    }
    SmallVector<Place, 2> sources = sourcesOf(current);
    if (sources.empty() && !isSplat(current.first)) {
      bool repeats = way == Way::Masked &&
                     isa_and_nonnull<stablehlo::BroadcastInDimOp>(op);
      (repeats ? isRepeated : isOther) = true;
      if (repeats && repeated)
        repeated->insert(op->getOperand(0));
    }
    // Weights and masks that the tokens meet on the way have the experts too.
    auto isMet = [&](const Place &source) {
      return isWeight(source.first) || masks(op, source.first);
    };
    bool isAlone = llvm::all_of(sources, isMet);
    bool isMasked = llvm::any_of(
        sources, [&](const Place &source) { return masks(op, source.first); });
    if (isa_and_nonnull<stablehlo::DotGeneralOp>(op))
      way = Way::Sent;
    else if (isMasked && way == Way::Direct)
      way = Way::Masked;
    for (const Place &source : sources)
      if (isAlone || !isMet(source))
        open.push_back({source, way});
  }
  return isMoved                  ? Origin::Moved
         : isRepeated && !isOther ? Origin::Repeated
                                  : Origin::Unknown;
}

bool ExpertDims::isRouted(const DimensionClasses::OpClasses &entry,
                          ExpertProduct &product) const {
  Origin origin =
      originOf({entry.op->getOperand(product.tokens), product.tokenDim});
  product.holdsAll = origin == Origin::Repeated;
  if (product.holdsAll)
    return true;
  // Where products are summed over two dimensions, one of them is an expert
  // only if tokens were repeated for it: a vocabulary is chosen from as well,
  // and heads are taken apart and put together.
  if (entry.rule.factors[product.factor].kind != FactorKind::PassThrough)
    return false;
  std::optional<unsigned> number = entry.factors[product.factor];
  return origin == Origin::Moved || (number && isRoutedClass[*number]);
}

std::optional<ExpertProduct>
ExpertDims::productOf(const DimensionClasses::OpClasses &entry) const {
  Operation *op = entry.op;
  if (!isa<stablehlo::DotGeneralOp>(op) ||
      isWeight(op->getOperand(0)) == isWeight(op->getOperand(1)))
    return std::nullopt;
  unsigned tokens = isWeight(op->getOperand(0)) ? 1 : 0;
  auto isSummed = [&](const Factor &factor) {
    return factor.kind == FactorKind::Reduction;
  };
  bool sumsSeveral = llvm::count_if(entry.rule.factors, isSummed) > 1;
  for (auto [i, factor] : llvm::enumerate(entry.rule.factors)) {
    auto dim = dimOfFactor(entry.rule.operands[tokens], i);
    if (!dim || factor.size < 2 ||
        !dimOfFactor(entry.rule.operands[1 - tokens], i) ||
        (isSummed(factor) && !sumsSeveral))
      continue;
    ExpertProduct product{op, tokens, unsigned(i), *dim,
                          dimOfFactor(entry.rule.results[0], i)};
    if (isRouted(entry, product))
      return product;
  }
  return std::nullopt;
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
    else if (dim != product.tokenDim &&
             rule.factors[factor].kind == FactorKind::PassThrough)
      layer.capacity *= sizeOf(tokens, dim);
  }
}

void ExpertDims::findLayers() {
  llvm::DenseSet<Operation *> products;
  for (const ExpertProduct &product : found)
    products.insert(product.op);
  inner.emplace(func, /*majorOfMerged=*/false, [&](Operation *op) {
    return !isa<stablehlo::DotGeneralOp>(op) || products.contains(op);
  });
  layerOf.resize(inner->size());
  for (const ExpertProduct &product : found) {
    Value tokens = product.op->getOperand(product.tokens);
    auto number = inner->classOf(tokens, product.tokenDim);
    if (!number || layerOf[*number])
      continue;
    layerOf[*number] = layerList.size();
    ExpertLayer &layer = layerList.emplace_back();
    layer.experts = sizeOf(tokens, product.tokenDim);
    layer.first = product.op;
    findCapacity(product, layer);
  }
}

ExpertDims::ExpertDims(func::FuncOp func)
    : func(func), classes(func, /*majorOfMerged=*/false),
      isRows(classes.size()) {
  for (const DimensionClasses::OpClasses &entry : classes.ops())
    rules[entry.op] = &entry.rule;
  readRoles();
  findRoutedClasses();
  for (const DimensionClasses::OpClasses &entry : classes.ops())
    if (std::optional<ExpertProduct> product = productOf(entry))
      found.push_back(*product);
  findLayers();
}

SmallVector<int64_t>
ExpertDims::featureDims(const ExpertProduct &product) const {
  const ShardingRule &rule = *rules.find(product.op)->second;
  SmallVector<int64_t> features;
  for (auto [dim, factors] : llvm::enumerate(rule.operands[product.tokens]))
    if (int64_t(dim) != product.tokenDim &&
        rule.factors[factors.front()].kind == FactorKind::Reduction)
      features.push_back(dim);
  return features;
}

ExpertDims::Whole ExpertDims::wholeValues() const {
  Whole whole;
  llvm::DenseSet<unsigned> tokens; // classes
  for (const ExpertProduct &product : found) {
    Value sent = product.op->getOperand(product.tokens);
    if (!product.holdsAll)
      continue;
    originOf({sent, product.tokenDim}, &whole.values);
    const ShardingRule &rule = *rules.find(product.op)->second;
    for (auto [dim, factors] : llvm::enumerate(rule.operands[product.tokens]))
      if (auto number = classes.classOf(sent, dim);
          number && int64_t(dim) != product.tokenDim &&
          rule.factors[factors.front()].kind == FactorKind::PassThrough)
        tokens.insert(*number);
  }
  auto areTokens = [&](Value value, int64_t dim) {
    auto number = classes.classOf(value, dim);
    return number && tokens.contains(*number);
  };
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    Value result = entry.op->getResult(0);
    if (auto sort = dyn_cast<stablehlo::SortOp>(entry.op)) {
      if (!areTokens(result, sortDim(sort)))
        continue;
      whole.values.insert(sort->result_begin(), sort->result_end());
      for (OpOperand &operand : sort->getOpOperands())
        whole.uses.push_back(&operand);
    } else if (isa<stablehlo::SliceOp>(entry.op)) {
      // The tokens of each expert, counted up: where each begins.
      Value counts = entry.op->getOperand(0);
      if (rankOf(counts) == 1 && isExpert(counts, 0))
        whole.uses.push_back(&entry.op->getOpOperand(0));
    } else if (isa<stablehlo::GatherOp>(entry.op) &&
               !isWeight(entry.op->getOperand(0))) {
      for (int64_t dim = 0; dim < rankOf(result); ++dim)
        if (areTokens(result, dim)) {
          whole.uses.push_back(&entry.op->getOpOperand(0));
          break;
        }
    }
  }
  return whole;
}

bool ExpertDims::isExpert(Value value, int64_t dim) const {
  auto number = inner->classOf(value, dim);
  return number && layerOf[*number];
}

std::optional<int64_t> ExpertDims::dimOf(Value value) const {
  for (int64_t dim = 0; dim < rankOf(value); ++dim)
    if (isExpert(value, dim))
      return dim;
  return std::nullopt;
}
