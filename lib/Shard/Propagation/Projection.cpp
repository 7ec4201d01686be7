// From dimensions to factors and back.

#include "lib/Shard/Propagation/Projection.h"
#include "lib/Shard/Propagation/AxisLists.h"

#include <numeric>

namespace partopt::shard {

FactorSharding *TensorFactors::find(unsigned factor) {
  for (FactorSharding &sharding : factors)
    if (sharding.factor == factor)
      return &sharding;
  return nullptr;
}

const FactorSharding *TensorFactors::find(unsigned factor) const {
  return const_cast<TensorFactors *>(this)->find(factor);
}

/// Deals `axes` to a factor that is not the minor-most: whole axes or major
/// parts of them while the factor's size is a multiple. `axes` keeps the rest.
static void deal(FactorSharding &sharding, AxisList &axes, int64_t size) {
  while (!axes.empty() && size > 1) {
    AxisRef &head = axes.front();
    int64_t common = std::gcd(head.size, size);
    if (common == 1) {
      sharding.overflow = axes;
      axes.clear();
      return;
    }
    AxisRef part = head;
    part.size = common;
    sharding.axes.push_back(part);
    size /= common;
    if (common == head.size) {
      axes.erase(axes.begin());
    } else {
      head.preSize *= common;
      head.size /= common;
    }
  }
}

TensorFactors project(const TensorState &state, const TensorMapping &mapping,
                      const ShardingRule &rule) {
  TensorFactors result;
  result.reserved = state.replicated;
  result.reserved.append(state.unreduced.begin(), state.unreduced.end());
  for (size_t dim = 0; dim < mapping.size(); ++dim) {
    AxisList axes;
    bool closed = false;
    if (state.hasSharding()) {
      axes = state.dims[dim].axes;
      closed = state.dims[dim].closed;
    }
    for (size_t i = 0; i < mapping[dim].size(); ++i) {
      FactorSharding sharding;
      sharding.factor = mapping[dim][i];
      sharding.closed = closed;
      sharding.minorMost = i + 1 == mapping[dim].size();
      if (sharding.minorMost)
        sharding.axes = axes;
      else
        deal(sharding, axes, rule.factors[sharding.factor].size);
      result.factors.push_back(std::move(sharding));
    }
  }
  return result;
}

bool unproject(const TensorFactors &factors, const TensorMapping &mapping,
               const ShardingRule &rule, int mesh, TensorState &state) {
  bool changed = false;
  state.dims.resize(mapping.size());
  size_t next = 0;
  for (size_t dim = 0; dim < mapping.size(); ++dim) {
    AxisList axes;
    bool partial = false;
    for (unsigned factor : mapping[dim]) {
      const FactorSharding &sharding = factors.factors[next++];
      if (partial)
        continue;
      if (axesSize(sharding.axes) < rule.factors[factor].size)
        partial = true;
      for (const AxisRef &axis : sharding.axes)
        appendMerged(axes, axis);
      for (const AxisRef &axis : sharding.overflow)
        appendMerged(axes, axis);
    }
    changed |= state.dims[dim].axes != axes;
    state.dims[dim].axes = std::move(axes);
  }
  if (changed)
    state.mesh = mesh;
  return changed;
}

} // namespace partopt::shard
