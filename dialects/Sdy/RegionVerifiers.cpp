// Verifiers of the ops that are not collectives. The regions' rule: outside
// stand global types, inside local ones over the manual axes only.

#include "dialects/Sdy/Verifiers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt::sdy {
namespace {

using detail::EmitError;

EmitError emitterOf(Operation *op) {
  return [op]() -> InFlightDiagnostic { return op->emitOpError(); };
}

TypeRange returnedTypes(Region &body) {
  return body.front().getTerminator()->getOperandTypes();
}

bool isManual(ArrayRef<StringAttr> manualAxes, AxisRefAttr axis) {
  return llvm::any_of(manualAxes,
                      [&](StringAttr name) { return name == axis.getName(); });
}

// The type inside the region; each dimension divided by its manual axes, which
// must come before the free ones and must not need padding.
FailureOr<Type> manualLocalType(ManualComputationOp op, Type type,
                                TensorShardingAttr sharding, MeshAttr mesh,
                                const EmitError &emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || mesh.isMaximal())
    return type;
  ArrayRef<StringAttr> manual = op.getManualAxes().getValue();
  SmallVector<int64_t> shape;
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    int64_t count = 1;
    AxisRefAttr lastFree;
    for (AxisRefAttr axis : dim.getAxes()) {
      if (!isManual(manual, axis)) {
        lastFree = axis;
        continue;
      }
      if (lastFree)
        return emitError() << "dimension " << index << " has the manual axis "
                           << axis.toString() << " after the free axis "
                           << lastFree.toString();
      count *= axis.getSize(mesh);
    }
    int64_t size = tensor.getDimSize(index);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    if (size % count != 0)
      return emitError() << "dimension " << index << " of size " << size
                         << " is not divisible by its manual axes of size "
                         << count;
    shape.push_back(size / count);
  }
  return Type(RankedTensorType::get(shape, tensor.getElementType(),
                                    tensor.getEncoding()));
}

LogicalResult verifyManualSide(ManualComputationOp op, TypeRange outer,
                               TypeRange inner,
                               TensorShardingPerValueAttr shardings,
                               StringRef what) {
  if (failed(detail::verifyShardings(shardings, outer, op, what)))
    return failure();
  if (outer.size() != inner.size())
    return op.emitOpError() << "has " << outer.size() << " " << what
                            << "s outside but " << inner.size() << " inside";
  for (auto [index, sharding] : llvm::enumerate(shardings.getShardings())) {
    if (index >= outer.size())
      break;
    auto emitError = [&, i = index]() -> InFlightDiagnostic {
      return op.emitOpError() << what << " " << i << ": ";
    };
    FailureOr<Type> local = manualLocalType(op, outer[index], sharding,
                                            sharding.getMesh(op), emitError);
    if (failed(local))
      return failure();
    if (*local != inner[index])
      return emitError() << "the type " << outer[index] << " sharded as "
                         << sharding << " is " << *local
                         << " inside, but the region has " << inner[index];
  }
  return success();
}

// All shardings that have axes must be on one mesh, which knows the manual
// axes.
LogicalResult verifyManualMesh(ManualComputationOp op) {
  MeshAttr mesh;
  for (TensorShardingPerValueAttr side :
       {op.getInShardings(), op.getOutShardings()})
    for (TensorShardingAttr sharding : side.getShardings()) {
      MeshAttr other = sharding.getMesh(op);
      if (other.getAxes().empty())
        continue;
      if (mesh && mesh != other)
        return op.emitOpError()
               << "has shardings on two meshes: " << mesh << " and " << other;
      mesh = other;
    }
  for (StringAttr name : op.getManualAxes().getValue())
    if (mesh && !mesh.hasAxis(name))
      return op.emitOpError() << "manual axis " << name
                              << " is not an axis of the mesh " << mesh;
  return success();
}

LogicalResult verifySameTypes(Operation *op, TypeRange inner, TypeRange outer,
                              StringRef what) {
  if (inner.size() != outer.size())
    return op->emitOpError() << "has " << outer.size() << " " << what
                             << "s outside but " << inner.size() << " inside";
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(inner, outer)))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError()
             << what << " " << index << " has the type " << std::get<1>(types)
             << " outside but " << std::get<0>(types) << " inside";
  return success();
}

} // namespace

LogicalResult ShardingConstraintOp::verify() {
  return detail::verifySharding(getSharding(), getType(), *this,
                                emitterOf(*this));
}

LogicalResult ReshardOp::verify() {
  return detail::verifySharding(getSharding(), getType(), *this,
                                emitterOf(*this));
}

LogicalResult ManualComputationOp::verify() {
  for (auto parent = (*this)->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>())
    for (StringAttr name : getManualAxes().getValue())
      if (llvm::is_contained(parent.getManualAxes().getValue(), name)) {
        InFlightDiagnostic diag = emitOpError()
                                  << "manual axis " << name
                                  << " is bound by a surrounding "
                                     "sdy.manual_computation already";
        diag.attachNote(parent.getLoc()) << "bound here";
        return diag;
      }
  if (getInShardings().empty() && getOutShardings().empty() &&
      !getManualAxes().getValue().empty() &&
      !isa<ReturnOp>(getBody().front().front()))
    return emitOpError() << "has manual axes and a body but no shardings";
  if (failed(verifyManualSide(*this, getOperandTypes(),
                              getBody().getArgumentTypes(), getInShardings(),
                              "operand")) ||
      failed(verifyManualSide(*this, getResultTypes(), returnedTypes(getBody()),
                              getOutShardings(), "result")))
    return failure();
  return verifyManualMesh(*this);
}

LogicalResult NamedComputationOp::verify() {
  if (failed(verifySameTypes(*this, getBody().getArgumentTypes(),
                             getOperandTypes(), "operand")) ||
      failed(verifySameTypes(*this, returnedTypes(getBody()), getResultTypes(),
                             "result")))
    return failure();
  if (getInShardingsAttr() &&
      failed(detail::verifyShardings(getInShardingsAttr(), getOperandTypes(),
                                     *this, "operand")))
    return failure();
  if (getOutShardingsAttr())
    return detail::verifyShardings(getOutShardingsAttr(), getResultTypes(),
                                   *this, "result");
  return success();
}

LogicalResult DataFlowEdgeOp::verify() {
  if (!cast<ShapedType>(getType()).hasStaticShape())
    return emitOpError() << "needs a static shape, got " << getType();
  if (!getInput().hasOneUse())
    return emitOpError() << "must be the only user of its operand, which has "
                         << llvm::range_size(getInput().getUses()) << " uses";
  Operation *owner = getInput().getDefiningOp();
  if (owner && isa<SdyDialect>(owner->getDialect()) &&
      !isa<ManualComputationOp, NamedComputationOp>(owner)) {
    InFlightDiagnostic diag = emitOpError() << "operand must not come from '"
                                            << owner->getName() << "'";
    diag.attachNote(owner->getLoc()) << "defined here";
    return diag;
  }
  if (TensorShardingAttr sharding = getShardingAttr())
    return detail::verifySharding(sharding, getType(), *this, emitterOf(*this));
  return success();
}

LogicalResult FuncDataFlowEdgeOp::verify() {
  Operation *owner = getInput().getDefiningOp();
  auto arg = dyn_cast<BlockArgument>(getInput());
  bool isFuncArgument =
      arg && isa<FunctionOpInterface>(arg.getOwner()->getParentOp());
  if (!isFuncArgument && !isa_and_nonnull<CallOpInterface>(owner))
    return emitOpError()
           << "operand must be a function's argument or a call's result";
  return success();
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == PropagationDirection::BOTH)
    return emitOpError()
           << "cannot allow BOTH directions: it would block nothing";
  return success();
}

} // namespace partopt::sdy
