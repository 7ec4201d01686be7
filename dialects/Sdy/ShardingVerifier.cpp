// What makes a sharding valid: it fits the value's rank, its mesh exists, and
// no part of any axis is used twice over all of its lists.

#include "dialects/Sdy/Verifiers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt::sdy::detail {

std::string toString(ArrayRef<AxisRefAttr> axes) {
  std::string text = "{";
  for (AxisRefAttr axis : axes)
    text += (text.size() > 1 ? ", " : "") + axis.toString();
  return text + "}";
}

LogicalResult AxisListVerifier::check(AxisRefAttr axis) {
  int64_t full = mesh.getAxisSize(axis.getName());
  if (full == 0)
    return emitError() << "unknown axis \"" << axis.getName() << "\", the mesh "
                       << mesh << " has no axis of that name";
  if (SubAxisInfoAttr sub = axis.getSubAxisInfo()) {
    int64_t pre = sub.getPreSize(), size = sub.getSize();
    if (pre < 1)
      return emitError() << "pre-size of sub-axis " << axis.toString()
                         << " must be at least 1";
    if (size < 2)
      return emitError() << "size of sub-axis " << axis.toString()
                         << " must be greater than 1";
    if (full % pre != 0 || (full / pre) % size != 0)
      return emitError() << "sub-axis " << axis.toString()
                         << " does not divide axis \"" << axis.getName()
                         << "\" of size " << full;
    if (size == full)
      return emitError() << "sub-axis " << axis.toString()
                         << " is the whole axis, write \"" << axis.getName()
                         << "\"";
  }
  for (AxisRefAttr other : seen) {
    if (other == axis)
      return emitError() << "axis " << axis.toString() << " is used twice";
    if (other.overlaps(axis))
      return emitError() << "axes " << other.toString() << " and "
                         << axis.toString() << " overlap";
    if (!other.canCoexist(axis))
      return emitError() << "sub-axes " << other.toString() << " and "
                         << axis.toString()
                         << " cannot come from one split of the axis";
  }
  seen.push_back(axis);
  return success();
}

LogicalResult AxisListVerifier::add(ArrayRef<AxisRefAttr> axes) {
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (failed(check(axis)))
      return failure();
    if (index > 0 && axes[index - 1].canMerge(axis))
      return emitError() << "sub-axes " << axes[index - 1].toString() << ", "
                         << axis.toString() << " must be written as one: "
                         << axes[index - 1].merge(axis, mesh).toString();
  }
  return success();
}

LogicalResult AxisListVerifier::addSorted(ArrayRef<AxisRefAttr> axes,
                                          StringRef what) {
  if (failed(add(axes)))
    return failure();
  for (size_t i = 1; i < axes.size(); ++i)
    if (AxisRefAttr::meshLess(mesh, axes[i], axes[i - 1]))
      return emitError() << what << " axes " << toString(axes)
                         << " must be in the order of the mesh " << mesh;
  return success();
}

namespace {

// The shaped type that a sharding speaks of: a tuple of one element stands for
// its element. Null for tokens and the like.
FailureOr<ShapedType> shapedTypeOf(Type type, const EmitError &emitError) {
  if (auto tuple = dyn_cast_or_null<TupleType>(type)) {
    if (tuple.size() != 1)
      return emitError() << "only a tuple of one element can have a sharding, "
                            "got "
                         << type;
    type = tuple.getType(0);
  }
  return dyn_cast_or_null<ShapedType>(type);
}

LogicalResult verifyPriorities(TensorShardingAttr sharding,
                               const EmitError &emitError) {
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    if (!dim.getPriority())
      continue;
    if (*dim.getPriority() < 0)
      return emitError() << "dimension " << index << " has the priority "
                         << *dim.getPriority() << ", which is negative";
    if (dim.getIsClosed() && dim.emptyAxes())
      return emitError() << "dimension " << index
                         << " is closed and empty but has the priority p"
                         << *dim.getPriority();
  }
  return success();
}

// Axes that a surrounding manual computation binds are not free inside.
LogicalResult verifyNotManual(TensorShardingAttr sharding, Operation *op,
                              const EmitError &emitError) {
  for (auto manual = op->getParentOfType<ManualComputationOp>(); manual;
       manual = manual->getParentOfType<ManualComputationOp>())
    for (StringAttr name : manual.getManualAxes().getValue())
      if (sharding.anyOfAxisRef(
              [&](AxisRefAttr axis) { return axis.getName() == name; })) {
        InFlightDiagnostic diag = emitError() << "axis " << name
                                              << " is bound by a surrounding "
                                                 "sdy.manual_computation";
        diag.attachNote(manual.getLoc()) << "bound here";
        return diag;
      }
  return success();
}

} // namespace

LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *op, const EmitError &emitError) {
  MeshAttr mesh = sharding.getMesh(op);
  if (!mesh)
    return emitError() << "unknown mesh @" << sharding.getMeshName()
                       << ", no sdy.mesh of the module has that name";
  FailureOr<ShapedType> shaped = shapedTypeOf(type, emitError);
  if (failed(shaped))
    return failure();
  if (mesh.isMaximal() || !*shaped) {
    if (sharding.getRank() == 0 && sharding.emptyAxes())
      return success();
    return emitError() << (mesh.isMaximal() ? "a value on a single device"
                                            : "a value that is not a tensor")
                       << " must have a sharding of rank 0 without axes, got "
                       << sharding;
  }
  if (!shaped->hasRank())
    return emitError() << "only ranked tensors can have a sharding, got "
                       << type;
  if (shaped->getRank() != sharding.getRank())
    return emitError() << "sharding " << sharding << " has "
                       << sharding.getRank() << " dimensions but the type "
                       << type << " has " << shaped->getRank();
  if (failed(verifyPriorities(sharding, emitError)))
    return failure();

  AxisListVerifier axes(mesh, emitError);
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    if (failed(axes.add(dim.getAxes())))
      return failure();
  if (failed(axes.addSorted(sharding.getReplicatedAxes(), "replicated")) ||
      failed(axes.addSorted(sharding.getUnreducedAxes(), "unreduced")))
    return failure();
  return verifyNotManual(sharding, op, emitError);
}

LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *op, StringRef what) {
  auto emitter = [&](size_t index) {
    return [=]() -> InFlightDiagnostic {
      return op->emitOpError() << what << " " << index << ": ";
    };
  };
  // An op with side effects and no result may still be placed.
  if (types.empty() && shardings.size() == 1 &&
      shardings.getSharding(0).isFullyReplicated())
    return verifySharding(shardings.getSharding(0), Type(), op, emitter(0));
  if (shardings.size() != static_cast<int64_t>(types.size()))
    return op->emitOpError() << "has " << shardings.size() << " shardings for "
                             << types.size() << " " << what << "s";
  for (auto [index, sharding] : llvm::enumerate(shardings.getShardings()))
    if (failed(verifySharding(sharding, types[index], op, emitter(index))))
      return failure();
  return success();
}

namespace {

LogicalResult verifyFuncSharding(Operation *op, Type type, NamedAttribute attr,
                                 unsigned index, StringRef what) {
  auto emitError = [=]() -> InFlightDiagnostic {
    return op->emitOpError() << what << " " << index << ": ";
  };
  auto sharding = dyn_cast<TensorShardingAttr>(attr.getValue());
  if (!sharding)
    return emitError() << "'" << attr.getName().getValue()
                       << "' must be a #sdy.sharding, got " << attr.getValue();
  return verifySharding(sharding, type, op, emitError);
}

} // namespace
} // namespace partopt::sdy::detail

namespace partopt::sdy {

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func || attr.getName() != kShardingAttr)
    return success();
  return detail::verifyFuncSharding(op, func.getArgumentTypes()[index], attr,
                                    index, "argument");
}

LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                      unsigned index,
                                                      NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func || attr.getName() != kShardingAttr)
    return success();
  return detail::verifyFuncSharding(op, func.getResultTypes()[index], attr,
                                    index, "result");
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  if (attr.getName() == kShardingAttr) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attr.getValue());
    if (!shardings)
      return op->emitOpError()
             << "'" << kShardingAttr
             << "' must be a #sdy.sharding_per_value, got " << attr.getValue();
    return detail::verifyShardings(shardings, op->getResultTypes(), op,
                                   "result");
  }
  if (attr.getName() == kShardingRuleAttr) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attr.getValue());
    if (!rule)
      return op->emitOpError()
             << "'" << kShardingRuleAttr
             << "' must be a #sdy.op_sharding_rule, got " << attr.getValue();
    return detail::verifyShardingRule(rule, op);
  }
  return success();
}

} // namespace partopt::sdy
