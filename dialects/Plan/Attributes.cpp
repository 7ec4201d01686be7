//===- Attributes.cpp - Local checks of the plan dialect's attributes -----===//
//
// What a mesh axis, a part of one, and a tensor's description can be.
//
//===----------------------------------------------------------------------===//

#include "dialects/Plan/Plan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt::planir;

LogicalResult AxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr name, int64_t size, AxisKind kind) {
  if (name.getValue().empty())
    return emitError() << "a mesh axis needs a name";
  if (size < 1)
    return emitError() << "axis " << name << " has size " << size
                       << ", expected at least 1";
  return success();
}

LogicalResult AxisRefAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr axis, int64_t preSize,
                                  int64_t size) {
  if (preSize < 1 || size < 1)
    return emitError() << "axis reference " << axis << ":(" << preSize << ")"
                       << size << " needs sizes of at least 1";
  return success();
}

LogicalResult TensorAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, StringAttr index,
                                 RankedTensorType local,
                                 RankedTensorType global, Role role,
                                 ArrayAttr sharding, StringAttr text,
                                 int64_t intBound, DictionaryAttr,
                                 std::optional<int64_t> firstRow) {
  if (!local.hasStaticShape() || !global.hasStaticShape())
    return emitError() << "tensor " << name << " needs static shapes, got "
                       << local << " of " << global;
  if (local.getElementType() != global.getElementType() ||
      local.getRank() != global.getRank())
    return emitError() << "tensor " << name << ": " << local
                       << " cannot be a shard of " << global;
  if (storageBytes(local.getElementType()) == 0)
    return emitError() << "tensor " << name << ": buffers cannot hold "
                       << local.getElementType();
  if (intBound < 0)
    return emitError() << "tensor " << name << ": bound " << intBound
                       << " of its integers is negative";
  bool splitsRows = sharding && !sharding.empty() &&
                    !llvm::cast<ArrayAttr>(sharding[0]).empty();
  if (firstRow && (local.getRank() == 0 || splitsRows || *firstRow < 0 ||
                   *firstRow + local.getDimSize(0) > global.getDimSize(0)))
    return emitError() << "tensor " << name << ": " << local
                       << " cannot be rows of " << global << " from row "
                       << *firstRow << " on";
  if (!sharding)
    return success();
  if (static_cast<int64_t>(sharding.size()) != local.getRank())
    return emitError() << "tensor " << name << ": sharding of "
                       << sharding.size() << " dimensions for " << local;
  for (Attribute dim : sharding) {
    auto axes = llvm::dyn_cast<ArrayAttr>(dim);
    if (!axes || !llvm::all_of(axes, llvm::IsaPred<AxisRefAttr>))
      return emitError() << "tensor " << name
                         << ": sharding must list #plan.axis_ref per "
                            "dimension, got "
                         << dim;
  }
  return success();
}
