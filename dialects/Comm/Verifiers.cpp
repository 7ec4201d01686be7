// Verifiers of the collectives: shapes against group sizes.

#include "dialects/Comm/Comm.h"

using namespace mlir;
using namespace partopt::comm;

namespace {

int64_t bytesOf(Type type) {
  auto tensor = getValueType(type);
  Type element = tensor.getElementType();
  int64_t factor = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    factor = 2;
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * factor * (bits <= 8 ? 1 : bits / 8);
}

int64_t bytesOf(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    bytes += bytesOf(type);
  return bytes;
}

/// Result types must all be pending or all be tensors, one per operand.
LogicalResult verifyCounts(Operation *op) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError()
           << "has " << op->getNumOperands() << " operands but "
           << op->getNumResults() << " results; each operand needs one result";
  unsigned pending = llvm::count_if(op->getResultTypes(),
                                    [](Type t) { return isa<PendingType>(t); });
  if (pending != 0 && pending != op->getNumResults())
    return op->emitOpError()
           << "mixes started and finished results: " << pending << " of "
           << op->getNumResults() << " are !comm.pending";
  Type element =
      op->getNumOperands()
          ? getValueType(op->getOperand(0).getType()).getElementType()
          : Type();
  for (Value operand : op->getOperands())
    if (getValueType(operand.getType()).getElementType() != element)
      return op->emitOpError()
             << "mixes element types " << element << " and "
             << getValueType(operand.getType()).getElementType()
             << "; a bucket has one";
  return success();
}

LogicalResult verifyDim(Operation *op, StringRef name, int64_t dim,
                        RankedTensorType type) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError() << name << " " << dim << " is not a dimension of "
                           << type;
}

/// The result must equal the operand with dimension `grow` multiplied and
/// dimension `shrink` divided by the group size (-1: none).
LogicalResult verifyShapes(Operation *op, unsigned i, int64_t n, int64_t grow,
                           int64_t shrink) {
  auto from = getValueType(op->getOperand(i).getType());
  auto to = getValueType(op->getResult(i).getType());
  if (grow >= 0 && failed(verifyDim(op, "dimension", grow, from)))
    return failure();
  if (shrink >= 0 && failed(verifyDim(op, "dimension", shrink, from)))
    return failure();
  SmallVector<int64_t> shape(from.getShape());
  if (shrink >= 0) {
    if (shape[shrink] % n != 0)
      return op->emitOpError() << "dimension " << shrink << " of " << from
                               << " does not divide by the group's " << n;
    shape[shrink] /= n;
  }
  if (grow >= 0)
    shape[grow] *= n;
  auto expected = RankedTensorType::get(shape, from.getElementType());
  if (to != expected)
    return op->emitOpError()
           << "result " << i << " is " << to << ", but a group of " << n
           << " makes " << expected << " from " << from;
  return success();
}

LogicalResult verifyAll(Operation *op, AxesAttr axes, int64_t grow,
                        int64_t shrink) {
  if (failed(verifyCounts(op)))
    return failure();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (failed(verifyShapes(op, i, axes.getGroupSize(), grow, shrink)))
      return failure();
  return success();
}

} // namespace

LogicalResult AllReduceOp::verify() {
  return verifyAll(*this, getAxes(), -1, -1);
}
int64_t AllReduceOp::getPayloadBytes() {
  return bytesOf(getOperands().getTypes());
}

LogicalResult AllGatherOp::verify() {
  return verifyAll(*this, getAxes(), getDim(), -1);
}
int64_t AllGatherOp::getPayloadBytes() {
  return bytesOf(getResults().getTypes());
}

bool AllGatherOp::isContiguous() { return getDim() == 0; }

LogicalResult ReduceScatterOp::verify() {
  return verifyAll(*this, getAxes(), -1, getDim());
}
int64_t ReduceScatterOp::getPayloadBytes() {
  return bytesOf(getOperands().getTypes());
}

bool ReduceScatterOp::isContiguous() { return getDim() == 0; }

LogicalResult AllToAllOp::verify() {
  return verifyAll(*this, getAxes(), getConcatDim(), getSplitDim());
}
int64_t AllToAllOp::getPayloadBytes() {
  return bytesOf(getOperand().getType());
}

bool AllToAllOp::isContiguous() {
  auto type = cast<RankedTensorType>(getOperand().getType());
  return getSplitDim() == 0 && getConcatDim() == 0 &&
         type.getDimSize(0) == getAxes().getGroupSize();
}

LogicalResult PermuteOp::verify() {
  int64_t n = getAxes().getGroupSize();
  SmallVector<bool> seen(n, false);
  for (int64_t target : getPermutation()) {
    if (target < 0 || target >= n || seen[target])
      return emitOpError() << "target " << target
                           << " is out of range or named twice in a group of "
                           << n;
    seen[target] = true;
  }
  if (static_cast<int64_t>(getPermutation().size()) != n)
    return emitOpError() << "names " << getPermutation().size()
                         << " targets for a group of " << n;
  return verifyAll(*this, getAxes(), -1, -1);
}
int64_t PermuteOp::getPayloadBytes() { return bytesOf(getOperand().getType()); }

LogicalResult BroadcastOp::verify() {
  int64_t root = getRoot(), n = getAxes().getGroupSize();
  if (root < 0 || root >= n)
    return emitOpError() << "root " << root << " is not in a group of " << n;
  return verifyAll(*this, getAxes(), -1, -1);
}
int64_t BroadcastOp::getPayloadBytes() {
  return bytesOf(getResult().getType());
}

/// `member` is one of the group, and something goes over the channel.
static LogicalResult verifyTransfer(Operation *op, AxesAttr axes,
                                    int64_t member, size_t values) {
  if (member < 0 || member >= axes.getGroupSize())
    return op->emitOpError() << "names member " << member << " of a group of "
                             << axes.getGroupSize();
  if (values == 0)
    return op->emitOpError("moves no value");
  return success();
}

LogicalResult SendOp::verify() {
  return verifyTransfer(*this, getAxes(), getTo(), getOperands().size());
}

LogicalResult RecvOp::verify() {
  return verifyTransfer(*this, getAxes(), getFrom(), getResults().size());
}

LogicalResult WaitOp::verify() {
  if (getPending().size() != getResults().size())
    return emitOpError() << "waits for " << getPending().size()
                         << " values but has " << getResults().size()
                         << " results";
  Operation *start = nullptr;
  for (auto [pending, result] : llvm::zip_equal(getPending(), getResults())) {
    auto type = cast<PendingType>(pending.getType()).getValueType();
    if (type != result.getType())
      return emitOpError() << "waits for " << type << " but yields "
                           << result.getType();
    Operation *def = pending.getDefiningOp();
    if (start && def != start)
      return emitOpError("waits for two collectives; each has its own wait");
    start = def;
  }
  return success();
}

LogicalResult ShardOp::verify() {
  auto from = getValueType(getOperand().getType());
  auto to = getValueType(getResult().getType());
  if (failed(verifyDim(*this, "dimension", getDim(), from)))
    return failure();
  int64_t n = getAxes().getGroupSize();
  SmallVector<int64_t> shape(from.getShape());
  shape[getDim()] = (shape[getDim()] + n - 1) / n;
  auto expected = RankedTensorType::get(shape, from.getElementType());
  if (to != expected)
    return emitOpError() << "result is " << to << ", but a group of " << n
                         << " makes " << expected << " from " << from;
  return success();
}

LoopEndOp LoopBeginOp::getEnd() {
  int64_t open = 1;
  for (Operation *op = getOperation()->getNextNode(); op;
       op = op->getNextNode()) {
    open += isa<LoopBeginOp>(op);
    if (auto end = dyn_cast<LoopEndOp>(op); end && --open == 0)
      return end;
  }
  return {};
}

LoopBeginOp LoopEndOp::getBegin() {
  int64_t closed = 1;
  for (Operation *op = getOperation()->getPrevNode(); op;
       op = op->getPrevNode()) {
    closed += isa<LoopEndOp>(op);
    if (auto begin = dyn_cast<LoopBeginOp>(op); begin && --closed == 0)
      return begin;
  }
  return {};
}

LogicalResult LoopBeginOp::verify() {
  if (getTrips() < 1)
    return emitOpError() << "runs " << int64_t(getTrips())
                         << " times, expected at least 1";
  if (getInits().getTypes() != getCarried().getTypes())
    return emitOpError("carries values of other types than it starts with");
  if (!getEnd())
    return emitOpError("has no comm.loop_end");
  return success();
}

LogicalResult LoopOp::verify() {
  if (getTrips() < 1)
    return emitOpError() << "runs " << int64_t(getTrips())
                         << " times, expected at least 1";
  Block &block = getBody().front();
  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  if (!yield)
    return emitOpError("has a body that does not end in comm.yield");
  TypeRange carried = getInits().getTypes();
  bool hasIndex =
      block.getNumArguments() > 0 &&
      block.getArgument(0).getType() ==
          RankedTensorType::get({}, IntegerType::get(getContext(), 32));
  if (!hasIndex || TypeRange(block.getArgumentTypes()).drop_front() != carried)
    return emitOpError("has a body that does not take an iteration, "
                       "tensor<i32>, and what is carried");
  if (yield.getNexts().getTypes() != carried ||
      getFinals().getTypes() != carried)
    return emitOpError("carries values of other types than it starts with");
  return success();
}

LogicalResult LoopEndOp::verify() {
  LoopBeginOp begin = getBegin();
  if (!begin)
    return emitOpError("ends no loop");
  if (getNexts().getTypes() != begin.getCarried().getTypes() ||
      getNexts().getTypes() != getFinals().getTypes())
    return emitOpError("passes on values of other types than comm.loop_begin "
                       "carries");
  return success();
}
