// Reads partopt.storage_override.

#include "StorageOverride.h"

#include "partopt/Support/StorageAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partopt;
using namespace partopt::shard;

std::optional<Storage> shard::parseStorage(StringRef text) {
  return llvm::StringSwitch<std::optional<Storage>>(text)
      .Case("auto", Storage::Auto)
      .Case(kStoreOver, Storage::Keep)
      .Case(kComputeOver, Storage::Compute)
      .Default(std::nullopt);
}

FailureOr<StorageOverride> shard::readStorageOverride(BlockArgument argument,
                                                      Storage other,
                                                      const MeshTable &meshes) {
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber();
  Attribute attr = func.getArgAttr(index, kStorageOverrideAttr);
  StorageOverride result;
  result.all = other;
  auto error = [&] {
    return emitError(argument.getLoc())
           << "partopt.storage_override of argument " << index << " ";
  };
  auto read = [&](Attribute word, Storage &storage) -> LogicalResult {
    auto text = dyn_cast<StringAttr>(word);
    std::optional<Storage> parsed = parseStorage(text ? text.getValue() : "");
    if (parsed) {
      storage = *parsed;
      return success();
    }
    return error() << "is " << word
                   << "; use auto, keep or compute, or one of them by axis";
  };
  auto byAxis = dyn_cast_or_null<DictionaryAttr>(attr);
  if (!byAxis) {
    if (attr && failed(read(attr, result.all)))
      return failure();
    return result;
  }
  for (NamedAttribute one : byAxis) {
    auto axis = sdy::AxisRefAttr::get(func.getContext(), one.getName());
    std::optional<AxisList> found = meshes.readAxes(meshes.mainMesh(), axis);
    if (!found)
      return error() << "names axis " << one.getName()
                     << ", which the mesh does not have";
    for (const AxisRef &ref : *found)
      if (failed(read(one.getValue(), result.byAxis[ref.axis])))
        return failure();
  }
  return result;
}
