// Spreading axes along factors. Per factor the tensors' axes are merged into
// the longest list without contradiction; each tensor (aggressive) or all
// tensors together (basic) take the longest part of it that fits.

#include "lib/Shard/Propagation/FactorPropagation.h"
#include "lib/Shard/Propagation/AxisLists.h"

#include <numeric>

namespace partopt::shard {

namespace {
/// The longest list of axes on which all tensors seen so far agree.
struct MajorAxes {
  AxisList axes;
  bool canGrow = true;

  void merge(llvm::ArrayRef<AxisRef> other) {
    for (size_t i = 0; i < other.size(); ++i) {
      if (i == axes.size()) {
        if (canGrow)
          axes.append(other.begin() + i, other.end());
        return;
      }
      if (axes[i] == other[i])
        continue;
      std::optional<AxisRef> common = commonPrefix(axes[i], other[i]);
      if (common && *common == axes[i] && i + 1 == axes.size()) {
        // `axes` ends with a part of what `other` has here.
        if (!canGrow)
          return;
        axes.pop_back();
        axes.append(other.begin() + i, other.end());
        return;
      }
      if (common && *common == other[i] && i + 1 == other.size())
        return;
      axes.truncate(i);
      if (common)
        axes.push_back(*common);
      canGrow = false;
      return;
    }
  }
};
} // namespace

/// The axes to spread along `factor`. A direction takes them from its sources;
/// the other side can only take back what contradicts.
static AxisList majorAxes(const Projection &projection, unsigned factor,
                          Direction direction) {
  MajorAxes major;
  auto mergeSide = [&](bool operands) {
    size_t n = projection.numOperands;
    size_t begin = operands ? 0 : n;
    size_t end = operands ? n : projection.tensors.size();
    for (size_t i = begin; i < end; ++i)
      if (const FactorSharding *sharding = projection.tensors[i].find(factor))
        major.merge(sharding->axes);
  };
  if (direction == None)
    return {};
  mergeSide(/*operands=*/direction != Backward);
  if (direction != Both)
    major.canGrow = false;
  mergeSide(/*operands=*/direction == Backward);
  return major.axes;
}

/// The part of `axis` that `sharding` has or can take within its factor, after
/// axes of `before` shards. `reserved` are the tensor's axes for no dimension.
static std::optional<AxisRef> fitWithinFactor(const AxisRef &axis,
                                              llvm::ArrayRef<AxisRef> reserved,
                                              const FactorSharding &sharding,
                                              int64_t before, int64_t size) {
  for (const AxisRef &own : sharding.axes)
    if (contains(own, axis))
      return axis;
  std::optional<AxisRef> part = prefixWithoutOverlap(axis, reserved);
  if (part)
    part = prefixWithoutOverlap(*part, sharding.overflow);
  if (!part)
    return std::nullopt;
  if (sharding.closed || !sharding.overflow.empty()) {
    for (const AxisRef &own : sharding.axes)
      if (auto common = commonPrefix(own, *part))
        return common;
    return std::nullopt;
  }
  if (sharding.minorMost || size % (before * part->size) == 0)
    return part;
  if (size % before != 0)
    return std::nullopt;
  part->size = std::gcd(size / before, part->size);
  if (part->size == 1)
    return std::nullopt;
  return part;
}

/// The part of `axis` that no other factor of the tensor has.
static std::optional<AxisRef> fitAcrossFactors(const AxisRef &axis,
                                               const TensorFactors &tensor,
                                               unsigned factor) {
  std::optional<AxisRef> part = axis;
  for (const FactorSharding &other : tensor.factors) {
    if (other.factor == factor)
      continue;
    part = prefixWithoutOverlap(*part, other.axes);
    if (part)
      part = prefixWithoutOverlap(*part, other.overflow);
    if (!part)
      return std::nullopt;
  }
  return part;
}

using Fit = llvm::function_ref<std::optional<AxisRef>(const AxisRef &axis,
                                                      int64_t before)>;

/// Cuts `axes` at the first axis that does not fit whole.
static void cut(AxisList &axes, Fit fit) {
  int64_t before = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRef> part = fit(axes[i], before);
    if (part && *part == axes[i]) {
      before *= axes[i].size;
      continue;
    }
    axes.truncate(i);
    if (part)
      axes.push_back(*part);
    return;
  }
}

static bool expand(TensorFactors &tensor, unsigned factor,
                   const AxisList &axes) {
  FactorSharding *sharding = tensor.find(factor);
  if (!sharding || !isStrictPrefix(sharding->axes, axes))
    return false;
  sharding->axes = axes;
  return true;
}

llvm::SmallBitVector propagateBasic(Projection &projection,
                                    const OpFacts &facts,
                                    DirectionOfFactor direction) {
  llvm::SmallBitVector changed(projection.tensors.size());
  for (unsigned factor = 0; factor < facts.rule.factors.size(); ++factor) {
    AxisList axes = majorAxes(projection, factor, direction(factor));
    for (const TensorFactors &tensor : projection.tensors) {
      // An axis that another factor has anywhere is contested.
      cut(axes, [&](const AxisRef &axis, int64_t) {
        return fitAcrossFactors(axis, tensor, factor);
      });
      const FactorSharding *sharding = tensor.find(factor);
      if (!sharding || axes.empty())
        continue;
      int64_t size = facts.rule.factors[factor].size;
      cut(axes, [&](const AxisRef &axis, int64_t before) {
        return fitWithinFactor(axis, tensor.reserved, *sharding, before, size);
      });
    }
    if (axes.empty())
      continue;
    for (auto [i, tensor] : llvm::enumerate(projection.tensors))
      if (expand(tensor, factor, axes))
        changed.set(i);
  }
  return changed;
}

namespace {
/// A factor with axes to spread, and where they come from.
struct Candidate {
  unsigned factor;
  AxisList axes;
  int64_t sourceSize = 0;
  size_t source = 0;
};
} // namespace

/// The factors with axes, the one that wins a competition first.
static llvm::SmallVector<Candidate>
rankCandidates(const Projection &projection, const OpFacts &facts,
               DirectionOfFactor direction) {
  llvm::SmallVector<Candidate> candidates;
  for (unsigned factor = 0; factor < facts.rule.factors.size(); ++factor) {
    Candidate candidate;
    candidate.factor = factor;
    candidate.axes = majorAxes(projection, factor, direction(factor));
    if (candidate.axes.empty())
      continue;
    for (auto [i, tensor] : llvm::enumerate(projection.tensors)) {
      const FactorSharding *sharding = tensor.find(factor);
      if (!sharding || isStrictPrefix(sharding->axes, candidate.axes) ||
          facts.tensorSizes[i] <= candidate.sourceSize)
        continue;
      candidate.sourceSize = facts.tensorSizes[i];
      candidate.source = i;
    }
    candidates.push_back(std::move(candidate));
  }
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
    if (a.sourceSize != b.sourceSize)
      return a.sourceSize > b.sourceSize;
    if (facts.elementwise) {
      int64_t shardsA = axesSize(a.axes), shardsB = axesSize(b.axes);
      if (shardsA != shardsB)
        return shardsA > shardsB;
    }
    return std::tie(a.source, a.factor) < std::tie(b.source, b.factor);
  });
  return candidates;
}

/// Gives one tensor what fits of the candidates' axes.
static bool spread(TensorFactors &tensor, const TensorFactors *limit,
                   llvm::ArrayRef<Candidate> candidates,
                   const ShardingRule &rule) {
  bool changed = false;
  for (const Candidate &candidate : candidates) {
    unsigned factor = candidate.factor;
    const FactorSharding *sharding = tensor.find(factor);
    if (!sharding)
      continue;
    AxisList axes = candidate.axes;
    int64_t size = rule.factors[factor].size;
    cut(axes, [&](const AxisRef &axis, int64_t before) {
      return fitWithinFactor(axis, tensor.reserved, *sharding, before, size);
    });
    if (!isStrictPrefix(sharding->axes, axes))
      continue;
    cut(axes, [&](const AxisRef &axis, int64_t) {
      return fitAcrossFactors(axis, tensor, factor);
    });
    if (limit) {
      const FactorSharding *most = limit->find(factor);
      if (most && isStrictPrefix(most->axes, axes))
        axes = most->axes;
    }
    changed |= expand(tensor, factor, axes);
  }
  return changed;
}

llvm::SmallBitVector propagateAggressive(Projection &projection,
                                         const OpFacts &facts,
                                         DirectionOfFactor direction) {
  size_t n = projection.tensors.size(), operands = projection.numOperands;
  llvm::SmallBitVector changed(n);
  llvm::SmallVector<Candidate> candidates =
      rankCandidates(projection, facts, direction);
  if (candidates.empty())
    return changed;
  for (size_t i = operands; i < n; ++i)
    if (spread(projection.tensors[i], nullptr, candidates, facts.rule))
      changed.set(i);
  const TensorFactors *limit = facts.elementwise && operands < n
                                   ? &projection.tensors[operands]
                                   : nullptr;
  for (size_t i = 0; i < operands; ++i)
    if (spread(projection.tensors[i], limit, candidates, facts.rule))
      changed.set(i);
  return changed;
}

} // namespace partopt::shard
