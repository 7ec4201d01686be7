// The view of one op in factors: which axes split which factor of which tensor.
// Propagation works on this view and projects it back to dimensions.

#ifndef PARTOPT_LIB_SHARD_PROPAGATION_PROJECTION_H
#define PARTOPT_LIB_SHARD_PROPAGATION_PROJECTION_H

#include "lib/Shard/Propagation/TensorState.h"
#include "partopt/Analysis/ShardingRule.h"

namespace partopt::shard {

/// How one factor of one tensor is split.
struct FactorSharding {
  unsigned factor = 0;
  AxisList axes;
  /// Axes of the dimension that the factor has no divisible place for; they
  /// and all minor factors stay as they are.
  AxisList overflow;
  bool closed = false;
  /// The minor-most factor of its dimension takes any axes: it may be padded.
  bool minorMost = false;
};

struct TensorFactors {
  /// In the order of the tensor's dimensions, major to minor.
  llvm::SmallVector<FactorSharding, 4> factors;
  /// Axes that no dimension may take.
  AxisList reserved;

  FactorSharding *find(unsigned factor);
  const FactorSharding *find(unsigned factor) const;
};

/// Operands first, then results.
struct Projection {
  llvm::SmallVector<TensorFactors, 4> tensors;
  unsigned numOperands = 0;
};

/// The axes of each dimension are dealt to its factors, major to minor, as far
/// as sizes divide.
TensorFactors project(const TensorState &state, const TensorMapping &mapping,
                      const ShardingRule &rule);

/// Puts the factors' axes back into `state`'s dimensions and returns whether
/// that changed it. Factors after one that is split only in part are left out:
/// such strided views have no sharding.
bool unproject(const TensorFactors &factors, const TensorMapping &mapping,
               const ShardingRule &rule, int mesh, TensorState &state);

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_PROPAGATION_PROJECTION_H
