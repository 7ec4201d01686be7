// What propagation knows of a tensor: its sharding as numbers, and the meshes
// that the numbers mean.

#ifndef PARTOPT_LIB_SHARD_PROPAGATION_TENSORSTATE_H
#define PARTOPT_LIB_SHARD_PROPAGATION_TENSORSTATE_H

#include "dialects/Sdy/Sdy.h"
#include "partopt/Analysis/Layout.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace partopt::shard {

struct DimState {
  AxisList axes;
  bool closed = false;
  int64_t priority = 0;
};

/// A tensor without mesh has no sharding: all its dimensions are open. Axes of
/// size 1 are left out.
struct TensorState {
  int mesh = -1;
  llvm::SmallVector<DimState, 4> dims;
  /// Replicated by the user's word.
  AxisList replicated;
  /// Partial by the user's word; as free for the dimensions as `replicated`.
  AxisList unreduced;
  sdy::ReductionKind kind = sdy::ReductionKind::SUM;

  bool hasSharding() const { return mesh >= 0; }
};

/// The named meshes of a module.
class MeshTable {
public:
  explicit MeshTable(mlir::ModuleOp module);

  /// The state behind a sharding. Shardings on inlined, maximal or empty meshes
  /// give no state: propagation does not touch such tensors.
  std::optional<TensorState> read(sdy::TensorShardingAttr sharding) const;
  /// `priorities`: print the dimensions' priorities.
  sdy::TensorShardingAttr write(mlir::MLIRContext *context,
                                const TensorState &state,
                                bool priorities = false) const;
  sdy::AxisRefAttr writeAxis(mlir::MLIRContext *context, int mesh,
                             const AxisRef &axis) const;
  /// Index of the first mesh with axes, or -1.
  int mainMesh() const { return meshes.empty() ? -1 : 0; }

  /// Nothing if some axis is unknown.
  std::optional<AxisList> readAxes(int mesh,
                                   llvm::ArrayRef<sdy::AxisRefAttr> axes) const;

private:
  std::optional<AxisRef> readAxis(int mesh, sdy::AxisRefAttr axis) const;

  llvm::SmallVector<Mesh, 1> meshes;
  llvm::SmallVector<mlir::FlatSymbolRefAttr, 1> names;
  llvm::DenseMap<mlir::Attribute, int> indices;
};

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_PROPAGATION_TENSORSTATE_H
