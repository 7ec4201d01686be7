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
    if (common == head.size) {
      sharding.axes.push_back(head);
      axes.erase(axes.begin());
      size /= common;
      continue;
    }
    if (common == size) {
      AxisRef part = head;
      part.size = size;
      sharding.axes.push_back(part);
      head.preSize *= size;
      head.size /= size;
      return;
    }
    sharding.overflow = axes;
    axes.clear();
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
  llvm::SmallVector<AxisList, 4> dims(mapping.size());
  size_t next = 0;
  for (size_t dim = 0; dim < mapping.size(); ++dim) {
    bool partial = false;
    for (unsigned factor : mapping[dim]) {
      const FactorSharding &sharding = factors.factors[next++];
      if (partial && !sharding.axes.empty())
        return false;
      if (axesSize(sharding.axes) < rule.factors[factor].size)
        partial = true;
      for (const AxisRef &axis : sharding.axes)
        appendMerged(dims[dim], axis);
      for (const AxisRef &axis : sharding.overflow)
        appendMerged(dims[dim], axis);
    }
  }
  if (!state.hasSharding()) {
    state.mesh = mesh;
    state.dims.resize(mapping.size());
  }
  for (auto [dim, axes] : llvm::zip(state.dims, dims))
    dim.axes = axes;
  return true;
}

} // namespace partopt::shard
