// Choosing an op's factor axes: candidates come from the layouts around it, and
// combinations are compared by what they cost to reshard.

#include "OpPartition.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

double ReshardPrices::price(RankedTensorType type, const Layout &from,
                            const Layout &to) {
  if (from == to)
    return 0;
  std::string key;
  for (int64_t size : type.getShape())
    key += std::to_string(size) + "x";
  key += std::to_string(elementBytes(type.getElementType())) + layoutKey(from) +
         "->" + layoutKey(to);
  auto [it, isNew] = known.try_emplace(key, 0);
  if (isNew) {
    ReshardProblem problem;
    problem.type = type;
    problem.from = from;
    problem.to = to;
    problem.mesh = &mesh;
    problem.cost.perStep = 0;
    it->second = searchReshard(problem).wireBytes;
  }
  return it->second;
}

bool partopt::isSplittable(const Factor &factor) {
  return factor.kind == FactorKind::PassThrough ||
         factor.kind == FactorKind::Reduction;
}

/// Factors that propagation may follow but no shard can compute alone become
/// NeedReplication.
static void keepUnsplittableWhole(Operation *op, ShardingRule &rule) {
  SmallVector<bool> inOperand(rule.factors.size(), false);
  SmallVector<bool> inResult(rule.factors.size(), false);
  auto note = [](ArrayRef<TensorMapping> mappings, SmallVector<bool> &seen) {
    for (const TensorMapping &mapping : mappings)
      for (const DimMapping &factors : mapping)
        for (unsigned factor : factors)
          seen[factor] = true;
  };
  note(rule.operands, inOperand);
  note(rule.results, inResult);
  auto model = dyn_cast<LocalLoweringOpInterface>(op);
  for (auto [i, factor] : llvm::enumerate(rule.factors)) {
    bool vanishes =
        factor.kind == FactorKind::PassThrough && inOperand[i] && !inResult[i];
    if (vanishes || (model && !model.canSplit(rule, i)))
      factor.kind = FactorKind::NeedReplication;
  }
}

std::optional<ShardingRule> partopt::getPartitionRule(Operation *op) {
  if (op->getNumOperands() == 0 && op->getNumResults() == 1) {
    ShardingRule rule;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    bool local = isa<LocalLoweringOpInterface>(op);
    if (!type || !local)
      return std::nullopt;
    TensorMapping mapping;
    for (int64_t size : type.getShape())
      mapping.push_back({rule.addFactor(size)});
    rule.results.push_back(mapping);
    return rule;
  }
  bool runsOnShards = isa<LocalLoweringOpInterface>(op) ||
                      op->hasTrait<stablehlo::Elementwise>();
  std::optional<ShardingRule> rule =
      runsOnShards ? getShardingRule(op) : std::nullopt;
  if (!rule)
    return rule;
  keepUnsplittableWhole(op, *rule);
  if (auto model = dyn_cast<LocalLoweringOpInterface>(op);
      model && !rule->custom)
    model.refineRule(*rule);
  return rule;
}

/// Splits `axes` over the factors of one dimension, major to minor.
static void projectDim(ArrayRef<AxisRef> axes, ArrayRef<unsigned> factors,
                       const ShardingRule &rule, FactorAxes &out) {
  SmallVector<unsigned, 4> wide;
  for (unsigned factor : factors)
    if (rule.factors[factor].size > 1)
      wide.push_back(factor);
  if (wide.empty() && !factors.empty())
    wide.push_back(factors.front());
  if (wide.size() == 1) {
    out[wide[0]].assign(axes.begin(), axes.end());
    return;
  }
  size_t next = 0;
  int64_t left = wide.empty() ? 1 : rule.factors[wide[0]].size;
  for (AxisRef axis : axes) {
    while (axis.size > 1) {
      while (left == 1) {
        if (++next == wide.size())
          return;
        left = rule.factors[wide[next]].size;
      }
      if (left % axis.size == 0) {
        out[wide[next]].push_back(axis);
        left /= axis.size;
        break;
      }
      if (axis.size % left != 0)
        return;
      out[wide[next]].push_back({axis.axis, axis.preSize, left});
      axis.preSize *= left;
      axis.size /= left;
      left = 1;
    }
  }
}

FactorAxes partopt::projectToFactors(const Layout &layout,
                                     const TensorMapping &mapping,
                                     const ShardingRule &rule) {
  FactorAxes axes(rule.factors.size());
  for (auto [dim, factors] : llvm::enumerate(mapping))
    projectDim(layout.dims[dim], factors, rule, axes);
  for (auto [factor, list] : llvm::zip_equal(rule.factors, axes))
    if (!isSplittable(factor))
      list.clear();
  return axes;
}

static bool isDimRepresentable(const ShardingRule &rule,
                               const DimMapping &factors,
                               const FactorAxes &axes) {
  bool closed = false;
  for (unsigned factor : factors) {
    int64_t size = rule.factors[factor].size;
    int64_t parts = axesSize(axes[factor]);
    if (parts > 1 && closed)
      return false;
    // Shards of a dimension are padded at its end alone, so a factor that does
    // not divide has the dimension for itself.
    bool hasOthers = llvm::any_of(factors, [&](unsigned other) {
      return other != factor && rule.factors[other].size > 1;
    });
    if (hasOthers && parts > 1 && size % parts != 0)
      return false;
    closed |= size != parts && size > 1;
  }
  return true;
}

bool partopt::isRepresentable(const ShardingRule &rule,
                              const FactorAxes &axes) {
  auto check = [&](const TensorMapping &mapping) {
    return llvm::all_of(mapping, [&](const DimMapping &factors) {
      return isDimRepresentable(rule, factors, axes);
    });
  };
  return llvm::all_of(rule.operands, check) &&
         llvm::all_of(rule.results, check);
}

Layout partopt::projectedLayout(const TensorMapping &mapping,
                                const FactorAxes &axes) {
  Layout layout = Layout::replicated(mapping.size());
  layout.dims = projectToDims(mapping, axes);
  return layout;
}

Layout partopt::rawResultLayout(const ShardingRule &rule, unsigned i,
                                const FactorAxes &axes) {
  Layout layout = projectedLayout(rule.results[i], axes);
  for (auto [factor, list] : llvm::zip_equal(rule.factors, axes))
    if (factor.kind == FactorKind::Reduction)
      for (const AxisRef &axis : list)
        layout.unreduced.push_back({axis, factor.combiner});
  layout.normalise();
  return layout;
}

namespace {

/// The search over combinations of candidate axes.
class Chooser {
public:
  Chooser(Operation *op, const ShardingRule &rule, const OpLayouts &layouts,
          const StorageAxes &storage, ReshardPrices &prices)
      : op(op), rule(rule), layouts(layouts), storage(storage), prices(prices),
        candidates(rule.factors.size()) {}

  FactorAxes choose() {
    collect();
    current.resize(rule.factors.size());
    best = current;
    bestCost = std::numeric_limits<double>::infinity();
    budget = 256;
    enumerate(0);
    return best;
  }

private:
  Operation *op;
  const ShardingRule &rule;
  const OpLayouts &layouts;
  const StorageAxes &storage;
  ReshardPrices &prices;
  SmallVector<SmallVector<AxisList, 3>, 6> candidates;
  FactorAxes current, best;
  double bestCost = 0;
  int budget = 0;
  /// Axes that some operand already splits a factor by.
  AxisList offered;

  void offer(const FactorAxes &axes) {
    for (auto [list, candidate] : llvm::zip_equal(candidates, axes))
      if (!candidate.empty() && !llvm::is_contained(list, candidate))
        list.push_back(candidate);
  }

  void collect() {
    FactorAxes seen(rule.factors.size());
    AxisList used;
    size_t i = 0;
    for (auto [layout, mapping] :
         llvm::zip_equal(layouts.operands, rule.operands)) {
      FactorAxes axes = projectToFactors(layout, mapping, rule);
      offer(axes);
      if (!layouts.isFree[i++])
        for (const AxisList &list : axes)
          offered.append(list.begin(), list.end());
      for (const AxisList &axes : layout.dims)
        used.append(axes.begin(), axes.end());
    }
    if (layouts.resultsAreOpen)
      return;
    for (auto [layout, mapping] :
         llvm::zip_equal(layouts.results, rule.results)) {
      Layout wanted = layout;
      for (AxisList &axes : wanted.dims)
        llvm::erase_if(axes, [&](const AxisRef &axis) {
          return axesOverlap(storage, axis) && axesOverlap(used, axis);
        });
      offer(projectToFactors(wanted, mapping, rule));
    }
  }

  void enumerate(size_t factor) {
    if (budget <= 0)
      return;
    if (factor == candidates.size()) {
      --budget;
      if (double total = cost(); total < bestCost) {
        bestCost = total;
        best = current;
      }
      return;
    }
    for (const AxisList &axes : candidates[factor]) {
      bool clash = llvm::any_of(
          ArrayRef<AxisList>(current).take_front(factor),
          [&](const AxisList &other) { return axesOverlap(other, axes); });
      if (clash)
        continue;
      current[factor] = axes;
      enumerate(factor + 1);
      current[factor].clear();
    }
    enumerate(factor + 1);
  }

  /// Giving up an axis makes every device repeat work, which no saved traffic
  /// is weighed against: the layouts of the operands are the user's choice.
  static constexpr double kDroppedAxis = 1e15;

  int droppedAxes() const {
    AxisList kept;
    for (const AxisList &axes : current)
      kept.append(axes.begin(), axes.end());
    return llvm::count_if(
        offered, [&](const AxisRef &axis) { return !axesOverlap(kept, axis); });
  }

  /// Whoever splits a weight to compute with has no room for the whole: less
  /// than giving up an axis, more than any saved traffic.
  static constexpr double kMovedWeight = 1e12;

  int movedWeights(unsigned operand, const Layout &needed) const {
    int moved = 0;
    const Layout &have = layouts.operands[operand];
    for (const AxisRef &axis : layouts.computeAxes[operand])
      for (auto [from, to] : llvm::zip_equal(have.dims, needed.dims))
        moved += axesOverlap(from, axis) && !axesOverlap(to, axis);
    return moved;
  }

  double cost() {
    if (!isRepresentable(rule, current))
      return std::numeric_limits<double>::infinity();
    double moved = kDroppedAxis * droppedAxes(), touched = 0;
    for (auto [i, mapping] : llvm::enumerate(rule.operands)) {
      auto type = cast<RankedTensorType>(op->getOperand(i).getType());
      Layout needed = projectedLayout(mapping, current);
      if (!layouts.isFree[i])
        moved += prices.price(type, layouts.operands[i], needed) +
                 kMovedWeight * movedWeights(i, needed);
      touched += needed.localBytes(type);
    }
    for (auto [i, mapping] : llvm::enumerate(rule.results)) {
      auto type = cast<RankedTensorType>(op->getResult(i).getType());
      Layout raw = rawResultLayout(rule, i, current);
      Layout wanted = layouts.resultsAreOpen ? projectedLayout(mapping, current)
                                             : layouts.results[i];
      moved += prices.price(type, raw, wanted);
      touched += raw.localBytes(type);
    }
    double work = 1;
    for (auto [factor, axes] : llvm::zip_equal(rule.factors, current))
      work *= double(std::max<int64_t>(factor.size, 1)) / axesSize(axes);
    return moved + 1e-3 * touched + 1e-6 * work;
  }
};

} // namespace

FactorAxes partopt::chooseFactorAxes(Operation *op, const ShardingRule &rule,
                                     const OpLayouts &layouts,
                                     const StorageAxes &storage,
                                     ReshardPrices &prices) {
  return Chooser(op, rule, layouts, storage, prices).choose();
}
