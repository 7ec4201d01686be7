// What an argument says of its axes: how it is stored, or how it is computed
// with.

#ifndef PARTOPT_LIB_SHARD_STORAGEOVERRIDE_H
#define PARTOPT_LIB_SHARD_STORAGEOVERRIDE_H

#include "lib/Shard/Propagation/TensorState.h"

namespace partopt::shard {

enum class Storage { Auto, Keep, Compute };

std::optional<Storage> parseStorage(llvm::StringRef text);

struct StorageOverride {
  Storage all = Storage::Auto;
  /// Decided for single axes, by their index.
  llvm::SmallDenseMap<unsigned, Storage> byAxis;

  Storage of(const AxisRef &axis) const {
    auto decided = byAxis.find(axis.axis);
    return decided == byAxis.end() ? all : decided->second;
  }
};

/// partopt.storage_override of a function's argument: one word for all axes, or
/// {axis = word, ...}; `other` where it says nothing. Fails, with an error at
/// the argument, on unknown words and axes.
mlir::FailureOr<StorageOverride>
readStorageOverride(mlir::BlockArgument argument, Storage other,
                    const MeshTable &meshes);

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_STORAGEOVERRIDE_H
