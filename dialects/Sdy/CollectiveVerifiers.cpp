// Verifiers of the collectives: applying the op's axes to the operand's
// sharding must give out_sharding, dimension by dimension.

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/Sdy/Verifiers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt::sdy {
namespace {

using Axes = SmallVector<AxisRefAttr>;

detail::EmitError emitterOf(Operation *op) {
  return [op]() -> InFlightDiagnostic { return op->emitOpError(); };
}

// An operand without sharding counts as replicated.
TensorShardingAttr operandSharding(CollectiveOpInterface op) {
  if (TensorShardingAttr sharding = getSharding(op.getTensor()))
    return sharding;
  return fullyClosed(op.getTensor(), op.getOutSharding().getMeshOrRef());
}

Axes sliced(ArrayRef<AxisRefAttr> dim, ArrayRef<AxisRefAttr> axes,
            MeshAttr mesh) {
  Axes result(dim);
  for (AxisRefAttr axis : axes)
    addAxisOrMerge(result, axis, mesh);
  return result;
}

// Removes `axes` from the minor end of `dim`.
FailureOr<Axes> gathered(Operation *op, ArrayRef<AxisRefAttr> dim,
                         ArrayRef<AxisRefAttr> axes, int64_t index,
                         MeshAttr mesh) {
  Axes result(dim);
  for (AxisRefAttr axis : llvm::reverse(axes)) {
    if (result.empty() || !axis.suffixOf(result.back(), mesh))
      return op->emitOpError()
             << "cannot take axis " << axis.toString() << " off dimension "
             << index << " of the operand, which is "
             << "sharded as " << detail::toString(dim);
    AxisRefAttr last = result.pop_back_val();
    if (std::optional<AxisRefAttr> rest = last.getPrefixWithoutOverlap(axis))
      result.push_back(*rest);
  }
  return result;
}

LogicalResult expectDim(CollectiveOpInterface op, int64_t index,
                        ArrayRef<AxisRefAttr> expected) {
  ArrayRef<AxisRefAttr> actual =
      op.getOutSharding().getDimSharding(index).getAxes();
  if (actual == expected)
    return success();
  return op->emitOpError() << "dimension " << index
                           << " of the result must be sharded as "
                           << detail::toString(expected)
                           << ", but out_sharding has "
                           << detail::toString(actual);
}

using ExpectedAxes = llvm::function_ref<FailureOr<Axes>(
    ArrayRef<AxisRefAttr> dim, ArrayRef<AxisRefAttr> axes, int64_t index,
    MeshAttr mesh)>;

LogicalResult verifyPerDim(CollectiveOpInterface op,
                           ArrayRef<AxisRefListAttr> axesPerDim,
                           ExpectedAxes expected) {
  TensorShardingAttr in = operandSharding(op), out = op.getOutSharding();
  MeshAttr mesh = out.getMesh(op);
  detail::AxisListVerifier axes(mesh, emitterOf(op));
  for (AxisRefListAttr list : axesPerDim)
    if (failed(axes.add(list.getValue())))
      return failure();
  if (out.getRank() != static_cast<int64_t>(axesPerDim.size()))
    return op->emitOpError()
           << "lists axes for " << axesPerDim.size()
           << " dimensions but the result has " << out.getRank();
  for (auto [index, list] : llvm::enumerate(axesPerDim)) {
    FailureOr<Axes> dim = expected(in.getDimSharding(index).getAxes(),
                                   list.getValue(), index, mesh);
    if (failed(dim) || failed(expectDim(op, index, *dim)))
      return failure();
  }
  return success();
}

LogicalResult verifyGather(CollectiveOpInterface op,
                           ArrayRef<AxisRefListAttr> axes) {
  return verifyPerDim(
      op, axes,
      [&](ArrayRef<AxisRefAttr> dim, ArrayRef<AxisRefAttr> axes, int64_t index,
          MeshAttr mesh) { return gathered(op, dim, axes, index, mesh); });
}

LogicalResult verifySlice(CollectiveOpInterface op,
                          ArrayRef<AxisRefListAttr> axes) {
  return verifyPerDim(
      op, axes,
      [](ArrayRef<AxisRefAttr> dim, ArrayRef<AxisRefAttr> axes, int64_t,
         MeshAttr mesh) -> FailureOr<Axes> { return sliced(dim, axes, mesh); });
}

LogicalResult sameDims(CollectiveOpInterface op) {
  TensorShardingAttr in = operandSharding(op);
  for (auto [index, dim] : llvm::enumerate(in.getDimShardings()))
    if (failed(expectDim(op, index, dim.getAxes())))
      return failure();
  return success();
}

// `axes` must become unreduced: in out_sharding's list, not in the operand's
// other lists.
LogicalResult verifyBecomeUnreduced(CollectiveOpInterface op,
                                    ArrayRef<AxisRefAttr> axes) {
  ArrayRef<AxisRefAttr> unreduced = op.getOutSharding().getUnreducedAxes();
  for (AxisRefAttr axis : axes)
    if (llvm::none_of(unreduced,
                      [&](AxisRefAttr u) { return u.contains(axis); }))
      return op->emitOpError()
             << "axis " << axis.toString()
             << " must be unreduced in out_sharding " << op.getOutSharding();
  return success();
}

// Reduced axes must be free in the operand or unreduced by the same combiner,
// and done with in the result.
LogicalResult verifyReductionAxes(CollectiveOpInterface op,
                                  ArrayRef<AxisRefAttr> axes,
                                  ReductionKind kind) {
  TensorShardingAttr in = operandSharding(op), out = op.getOutSharding();
  for (AxisRefAttr axis : axes) {
    auto overlaps = [&](AxisRefAttr other) { return other.overlaps(axis); };
    bool used = llvm::any_of(in.getReplicatedAxes(), overlaps);
    for (DimensionShardingAttr dim : in.getDimShardings())
      used = used || llvm::any_of(dim.getAxes(), overlaps);
    if (used)
      return op->emitOpError()
             << "reduction axis " << axis.toString()
             << " shards or replicates the operand, sharded as " << in;
    if (llvm::any_of(in.getUnreducedAxes(), overlaps) &&
        in.getReductionKind() != kind)
      return op->emitOpError() << "reduces by " << stringifyReductionKind(kind)
                               << " but the operand is unreduced by "
                               << stringifyReductionKind(in.getReductionKind())
                               << " over " << axis.toString();
    if (llvm::any_of(out.getUnreducedAxes(), overlaps))
      return op->emitOpError() << "reduction axis " << axis.toString()
                               << " is still unreduced in out_sharding " << out;
  }
  return success();
}

} // namespace

LogicalResult detail::verifyCollective(Operation *rawOp) {
  auto op = cast<CollectiveOpInterface>(rawOp);
  TensorShardingAttr in = getSharding(op.getTensor());
  TensorShardingAttr out = op.getOutSharding();
  if (!in && !op.allowMissingInputSharding())
    return op->emitOpError() << "operand must have a sharding";
  if (failed(verifySharding(out, op.getTensor().getType(), rawOp,
                            emitterOf(rawOp))))
    return failure();
  if (!in)
    return success();
  MeshAttr mesh = out.getMesh(rawOp), inMesh = in.getMesh(rawOp);
  if (!inMesh)
    return op->emitOpError() << "operand has a sharding on the unknown mesh @"
                             << in.getMeshName();
  if (!op.allowDifferentMeshes() && mesh != inMesh)
    return op->emitOpError() << "result is on the mesh " << mesh
                             << " but the operand on " << inMesh;
  return success();
}

LogicalResult AllGatherOp::verify() {
  return verifyGather(*this, getGatheringAxes().getValue());
}

LogicalResult AllSliceOp::verify() {
  return verifySlice(*this, getSlicingAxes().getValue());
}

LogicalResult ReduceScatterOp::verify() {
  ArrayRef<AxisRefListAttr> lists = getReduceScatterAxes().getValue();
  if (failed(verifySlice(*this, lists)))
    return failure();
  for (AxisRefListAttr list : lists)
    if (failed(verifyReductionAxes(*this, list.getValue(), getReductionKind())))
      return failure();
  return success();
}

LogicalResult AllToAllOp::verify() {
  TensorShardingAttr in = operandSharding(*this);
  MeshAttr mesh = getOutSharding().getMesh(*this);
  int64_t rank = in.getRank(), previous = -1;
  detail::AxisListVerifier axes(mesh, emitterOf(*this));
  llvm::BitVector seen(rank);
  if (getParams().getValue().empty())
    return emitOpError() << "moves nothing";
  for (AllToAllParamAttr param : getParams().getValue()) {
    if (failed(axes.add(param.getAxes())))
      return failure();
    for (int64_t dim : {param.getSrcDim(), param.getTgtDim()}) {
      if (dim < 0 || dim >= rank)
        return emitOpError()
               << "dimension " << dim << " is not in [0, " << rank << ")";
      if (seen.test(dim))
        return emitOpError() << "dimension " << dim << " occurs twice";
      seen.set(dim);
    }
    if (param.getSrcDim() < previous)
      return emitOpError() << "source dimensions must ascend, got "
                           << param.getSrcDim() << " after " << previous;
    previous = param.getSrcDim();
  }
  for (AllToAllParamAttr param : getParams().getValue()) {
    int64_t source = param.getSrcDim(), target = param.getTgtDim();
    FailureOr<Axes> rest = gathered(*this, in.getDimSharding(source).getAxes(),
                                    param.getAxes(), source, mesh);
    if (failed(rest) || failed(expectDim(*this, source, *rest)) ||
        failed(expectDim(*this, target,
                         sliced(in.getDimSharding(target).getAxes(),
                                param.getAxes(), mesh))))
      return failure();
  }
  for (auto [index, dim] : llvm::enumerate(in.getDimShardings()))
    if (!seen.test(index) && failed(expectDim(*this, index, dim.getAxes())))
      return failure();
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  TensorShardingAttr in = operandSharding(*this), out = getOutSharding();
  MeshAttr mesh = out.getMesh(*this), inMesh = in.getMesh(*this);
  if (mesh.getAxes() != inMesh.getAxes())
    return emitOpError() << "result mesh " << mesh
                         << " has other axes than the operand mesh " << inMesh;
  if (in.getMeshOrRef() != out.getMeshOrRef() &&
      mesh.getDeviceIds() == inMesh.getDeviceIds())
    return emitOpError() << "changes the mesh to " << out.getMeshOrRef()
                         << ", which has the same device order";
  for (auto [index, dims] : llvm::enumerate(
           llvm::zip_equal(in.getDimShardings(), out.getDimShardings()))) {
    int64_t inSize = std::get<0>(dims).getShardedSize(mesh);
    int64_t outSize = std::get<1>(dims).getShardedSize(mesh);
    if (inSize != outSize)
      return emitOpError() << "dimension " << index << " has " << inSize
                           << " shards in the operand but " << outSize
                           << " in the result";
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  ArrayRef<AxisRefAttr> reduced = getReductionAxes().getValue();
  detail::AxisListVerifier axes(getOutSharding().getMesh(*this),
                                emitterOf(*this));
  if (failed(sameDims(*this)) || failed(axes.addSorted(reduced, "reduction")))
    return failure();
  return verifyReductionAxes(*this, reduced, getReductionKind());
}

LogicalResult ShardedToUnreducedOp::verify() {
  ArrayRef<AxisRefListAttr> lists = getAxes().getValue();
  if (failed(verifyGather(*this, lists)))
    return failure();
  for (AxisRefListAttr list : lists)
    if (failed(verifyBecomeUnreduced(*this, list.getValue())))
      return failure();
  return success();
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  ArrayRef<AxisRefAttr> list = getAxes().getValue();
  detail::AxisListVerifier axes(getOutSharding().getMesh(*this),
                                emitterOf(*this));
  if (failed(sameDims(*this)) || failed(axes.addSorted(list, "unreduced")))
    return failure();
  return verifyBecomeUnreduced(*this, list);
}

} // namespace partopt::sdy
