// Reading and writing a value's sharding wherever it is kept, and the local
// types that shardings lead to.

#ifndef PARTOPT_DIALECTS_SDY_SHARDINGQUERIES_H
#define PARTOPT_DIALECTS_SDY_SHARDINGQUERIES_H

#include "dialects/Sdy/Sdy.h"

namespace partopt::sdy {

/// The sharding of a function argument, an op result (`sdy.sharding`, or the
/// sharding that an sdy op itself states), or null if there is none.
TensorShardingAttr getSharding(mlir::Value value);

/// Sets the sharding of a function argument or op result; a null `sharding`
/// removes it. Other results of the same op that had none become fully open on
/// the same mesh. Does nothing for block arguments of ops other than functions,
/// which have no place for it.
void setSharding(mlir::Value value, TensorShardingAttr sharding);

/// The sharding of result `index` of a function, or null.
TensorShardingAttr getFuncResultSharding(mlir::Operation *func, unsigned index);
void setFuncResultSharding(mlir::Operation *func, unsigned index,
                           TensorShardingAttr sharding);

/// The mesh that `sharding` means when it stands at `op`, or null.
MeshAttr getMesh(mlir::Operation *op, TensorShardingAttr sharding);

/// The first mesh of the module that is neither empty nor maximal, or null.
MeshOp getMainMesh(mlir::ModuleOp module);

/// The sharding without axes, every dimension closed or open.
TensorShardingAttr fullyClosed(mlir::Value value, mlir::Attribute meshOrRef);
TensorShardingAttr fullyOpen(mlir::Value value, mlir::Attribute meshOrRef);

/// Shape of the largest shard: each dimension divided by its shard count,
/// rounded up. A null sharding leaves the type as it is.
mlir::RankedTensorType localType(mlir::RankedTensorType type,
                                 TensorShardingAttr sharding, MeshAttr mesh);

/// Appends `axis` to `axes`, merged with the last one if it continues it.
void addAxisOrMerge(llvm::SmallVectorImpl<AxisRefAttr> &axes, AxisRefAttr axis,
                    MeshAttr mesh);

/// The text of a sharding without its mesh: `[{"data"}, {}]`, and unreduced
/// axes where it has some.
std::string shardingText(TensorShardingAttr sharding);

} // namespace partopt::sdy

#endif
