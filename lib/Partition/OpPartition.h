// Which axes split which factor of one op: the choice that partitioning rests
// on, by cost over the layouts that its operands have and its results want.

#ifndef PARTOPT_LIB_PARTITION_OPPARTITION_H
#define PARTOPT_LIB_PARTITION_OPPARTITION_H

#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Search/ReshardSearch.h"

#include "llvm/ADT/StringMap.h"

namespace partopt {

/// Costs of reshards, remembered by type and layouts: models repeat themselves.
class ReshardPrices {
public:
  explicit ReshardPrices(const Mesh &mesh) : mesh(mesh) {}
  /// Cost in bytes on the wire, 0 when nothing moves.
  double price(mlir::RankedTensorType type, const Layout &from,
               const Layout &to);

private:
  const Mesh &mesh;
  llvm::StringMap<double> known;
};

/// The rule that the partitioner uses for `op`: its sharding rule, or for ops
/// without operands one factor per dimension of the result. Nothing when the op
/// has to be replicated: no rule, or no way to run on shards.
std::optional<ShardingRule> getPartitionRule(mlir::Operation *op);

/// True when `factor` may be split while the op runs on shards.
bool isSplittable(const Factor &factor);

/// The axes that `layout`'s dimensions give to each factor; an axis that ends
/// inside a factor is cut into sub-axes. Dimensions that factors cannot
/// represent stop at the last axis that they can.
FactorAxes projectToFactors(const Layout &layout, const TensorMapping &mapping,
                            const ShardingRule &rule);

/// True when every tensor dimension split like this is one contiguous block:
/// a factor is split evenly and wholly before a more minor one is.
bool isRepresentable(const ShardingRule &rule, const FactorAxes &axes);

/// What one op has to go by.
struct OpLayouts {
  llvm::SmallVector<Layout, 4> operands; ///< as available
  llvm::SmallVector<bool, 4> isFree;     ///< can be made anew in any layout
  /// That stay where they are: the operand is a weight computed with in parts.
  llvm::SmallVector<AxisList, 4> computeAxes;
  llvm::SmallVector<Layout, 1> results; ///< as wanted
  /// Results may stay in any layout, which the operands alone decide.
  bool resultsAreOpen = false;
};

/// Axes that store parameters: a result does not pull them away from operands
/// that already use them (a gradient is reduced to its shard, the activations
/// stay where they are).
using StorageAxes = llvm::SmallVector<AxisRef, 2>;

/// Chooses axes per factor with the least cost of resharding operands and
/// results; among equals the one with the least work per device.
FactorAxes chooseFactorAxes(mlir::Operation *op, const ShardingRule &rule,
                            const OpLayouts &layouts,
                            const StorageAxes &storage, ReshardPrices &prices);

/// Layout of operand or result `mapping` when factors are split like this; the
/// Reduction factors' axes are not part of it.
Layout projectedLayout(const TensorMapping &mapping, const FactorAxes &axes);

/// Layout in which `op` leaves result `i`: projectedLayout and the axes of
/// Reduction factors as unreduced.
Layout rawResultLayout(const ShardingRule &rule, unsigned i,
                       const FactorAxes &axes);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_OPPARTITION_H
