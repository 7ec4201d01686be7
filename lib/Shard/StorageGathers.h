// Gathered copies of what is stored in shards.

#ifndef PARTOPT_LIB_SHARD_STORAGEGATHERS_H
#define PARTOPT_LIB_SHARD_STORAGEGATHERS_H

#include "lib/Shard/Propagation/Graph.h"

namespace partopt::shard {

/// Gives `uses` of `argument`, stored as `stored`, gathered copies without
/// `axes` (per dimension): one copy, but rows that layers take of a stack are
/// gathered one by one, each once, where dimension 0 is whole: a whole stack
/// may be the whole model.
void gatherStorage(mlir::BlockArgument argument, const TensorState &stored,
                   const MeshTable &meshes,
                   llvm::ArrayRef<mlir::OpOperand *> uses,
                   llvm::ArrayRef<AxisList> axes);

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_STORAGEGATHERS_H
