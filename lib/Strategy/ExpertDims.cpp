// Experts are a dimension that tokens and a parameter's values share in a
// product, and that the tokens got on their way and not from a parameter: a
// router chose (top_k, a softmax, a one-hot), or tokens were moved there by
// numbers (gather, scatter), or repeated and masked for it. Heads, which
// weights share with activations too, come from a projection.

#include "ExpertDims.h"

#include "partopt/Support/ArgumentRole.h"

#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

int64_t partopt::sortDim(stablehlo::SortOp sort) {
  int64_t dim = sort.getDimension();
  return dim < 0 ? dim + rankOf(sort->getOperand(0)) : dim;
}

void ExpertDims::readRoles() {
  for (BlockArgument argument : func.getArguments()) {
    StringRef role = roleOf(argument);
    if (role == "param")
      weights.insert(argument);
    if (role == "batch" && rankOf(argument) > 0)
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
  Origin origin = originOf({product.sent(), *product.tokenDim});
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

static bool isSummed(const Factor &factor) {
  return factor.kind == FactorKind::Reduction;
}

std::optional<ExpertProduct>
ExpertDims::productOf(const DimensionClasses::OpClasses &entry) const {
  Operation *op = entry.op;
  if (!isa<stablehlo::DotGeneralOp>(op) ||
      isWeight(op->getOperand(0)) == isWeight(op->getOperand(1)))
    return std::nullopt;
  unsigned tokens = isWeight(op->getOperand(0)) ? 1 : 0;
  bool sumsSeveral = llvm::count_if(entry.rule.factors, isSummed) > 1;
  for (auto [i, factor] : llvm::enumerate(entry.rule.factors)) {
    auto dim = dimOfFactor(entry.rule.operands[tokens], i);
    if (!dim || factor.size < 2 ||
        !dimOfFactor(entry.rule.operands[1 - tokens], i) ||
        (isSummed(factor) && !sumsSeveral))
      continue;
    ExpertProduct product{op, tokens, unsigned(i), dim,
                          dimOfFactor(entry.rule.results[0], i)};
    if (isRouted(entry, product))
      return product;
  }
  return std::nullopt;
}

/// Products that the experts' values of `inner` show: of tokens without experts
/// with weights of several outputs per expert, and sums over what these made.
std::optional<ExpertProduct>
ExpertDims::derivedProductOf(const DimensionClasses::OpClasses &entry) const {
  Operation *op = entry.op;
  if (!isa<stablehlo::DotGeneralOp>(op) ||
      isWeight(op->getOperand(0)) == isWeight(op->getOperand(1)))
    return std::nullopt;
  unsigned tokens = isWeight(op->getOperand(0)) ? 1 : 0;
  const TensorMapping &of = entry.rule.operands[tokens];
  const TensorMapping &by = entry.rule.operands[1 - tokens];
  bool sumsSeveral = llvm::count_if(entry.rule.factors, isSummed) > 1;
  Value result = op->getResult(0);
  for (auto [i, factor] : llvm::enumerate(entry.rule.factors)) {
    auto in = dimOfFactor(of, i), out = dimOfFactor(entry.rule.results[0], i);
    if (!dimOfFactor(by, i) || factor.size < 2)
      continue;
    // A router's scores have one output per expert.
    bool hasOutputs = llvm::any_of(by, [&, self = i](const DimMapping &dim) {
      return dim.front() != self && !dimOfFactor(of, dim.front()) &&
             entry.rule.factors[dim.front()].size > 1;
    });
    bool spreads = !in && out && hasOutputs && isExpert(result, *out);
    bool sums =
        in && !out && sumsSeveral && isExpert(op->getOperand(tokens), *in);
    if (spreads || sums)
      return ExpertProduct{op, tokens, unsigned(i), in, out, true};
  }
  return std::nullopt;
}

/// Until no product shows another one: a layer has few in a row.
void ExpertDims::findDerivedProducts() {
  for (bool grows = !found.empty(); grows;) {
    llvm::DenseSet<Operation *> products;
    for (const ExpertProduct &product : found)
      products.insert(product.op);
    findInner(products);
    grows = false;
    for (const DimensionClasses::OpClasses &entry : classes.ops())
      if (!products.contains(entry.op))
        if (std::optional<ExpertProduct> product = derivedProductOf(entry)) {
          found.push_back(*product);
          grows = true;
        }
  }
  llvm::sort(found, [](const ExpertProduct &a, const ExpertProduct &b) {
    return a.op->isBeforeInBlock(b.op);
  });
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
  findDerivedProducts();
  findLayers();
}
