// Between the text attributes (sdy, comm) and the C++ layout.

#ifndef PARTOPT_ANALYSIS_LAYOUTCONVERSION_H
#define PARTOPT_ANALYSIS_LAYOUTCONVERSION_H

#include "dialects/Comm/Comm.h"
#include "dialects/Sdy/Sdy.h"
#include "partopt/Analysis/Layout.h"

#include "mlir/IR/BuiltinOps.h"

namespace partopt {

/// Attribute of the module: a dictionary of axes in time, each with its number
/// of iterations. partopt-propagate-time adds them to the mesh.
inline constexpr llvm::StringLiteral kTimeAxesAttr = "partopt.time_axes";

/// Attribute of a mesh with axes in time: the device at each place in space,
/// where that is not the place itself.
inline constexpr llvm::StringLiteral kDeviceIdsAttr = "partopt.device_ids";

/// Attribute of a batch argument: the dimension that axes in time cut.
inline constexpr llvm::StringLiteral kTimeDimAttr = "partopt.time_dim";

/// Attribute of the module: axes in time are major to those in space in the
/// layouts of the program. A device's rows are parts of the batch as ever, and
/// a microbatch a part of each device's: the rows of the program are numbered
/// anew, so that those of one microbatch come one after the other and what
/// moves an axis in space away from the rows keeps microbatches apart.
inline constexpr llvm::StringLiteral kTimeMajorAttr = "partopt.time_major";

/// Attribute of the module, for the program of one device that many are
/// compared with: as many runs of rows, a microbatch having a part of each.
inline constexpr llvm::StringLiteral kTimeGroupsAttr = "partopt.time_groups";

/// Attribute of the module: what statistics of a batch in microbatches are
/// over, "exact" (the whole batch) or "micro" (a microbatch).
inline constexpr llvm::StringLiteral kBatchStatisticsAttr =
    "partopt.batch_statistics";

/// Attribute of the module: whether gradients of a batch in microbatches are
/// accumulated "full" or "sharded" over the devices that keep them in shards.
inline constexpr llvm::StringLiteral kAccumulateAttr = "partopt.accumulate";

/// The one mesh of the module that has axes (maximal and empty meshes apart),
/// with `partopt.time_axes`; a mesh without axes when the module has none.
Mesh getModuleMesh(mlir::ModuleOp module);
/// The symbol name of that mesh ("mesh" when the module has none).
llvm::StringRef getModuleMeshName(mlir::ModuleOp module);

/// The layout behind a sharding of a tensor of rank `rank`; a null sharding is
/// replicated. Axes of size 1 are dropped. Unreduced axes of combiners that sdy
/// has no text for come from `combiner` (see getValueLayout).
Layout toLayout(sdy::TensorShardingAttr sharding, const Mesh &mesh,
                int64_t rank);

/// The closed sharding that says `layout`'s compute axes and its unreduced axes
/// of one combiner.
sdy::TensorShardingAttr toSharding(mlir::MLIRContext *context,
                                   const Layout &layout, const Mesh &mesh,
                                   llvm::StringRef meshName);

/// Layout of a value from sdy.sharding and, for combiners that sdy has no text
/// for, `partopt.unreduced` on its op.
Layout getValueLayout(mlir::Value value, const Mesh &mesh);
/// Writes `layout` where getValueLayout reads it.
void setValueLayout(mlir::Value value, const Layout &layout, const Mesh &mesh,
                    llvm::StringRef meshName);

comm::AxesAttr toCommAxes(mlir::MLIRContext *context, const Mesh &mesh,
                          llvm::ArrayRef<AxisRef> axes);
comm::CombinerKind toCommCombiner(Combiner combiner);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_LAYOUTCONVERSION_H
