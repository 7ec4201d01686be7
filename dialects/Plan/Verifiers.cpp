//===- Verifiers.cpp - Local checks of the plan dialect -------------------===//
//
// Each operation is checked against its own buffers and the program's mesh.
// Ordering, overlap and agreement between ranks are proven on the plan file.
//
//===----------------------------------------------------------------------===//

#include "dialects/Plan/Plan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partopt::planir;

//===----------------------------------------------------------------------===//
// Program and buffers
//===----------------------------------------------------------------------===//

/// Checks that `list` holds only attributes of type `Attr`.
template <typename Attr>
static LogicalResult verifyList(Operation *op, ArrayAttr list, StringRef what,
                                StringRef expected) {
  for (Attribute item : list)
    if (!isa<Attr>(item))
      return op->emitOpError()
             << what << " must list " << expected << ", got " << item;
  return success();
}

/// Checks buffers against the program's regions and instruction count.
static LogicalResult verifyBuffers(ProgramOp program, int64_t instructions) {
  for (auto buffer : program.getBody().getOps<BufferOp>()) {
    int64_t limit = buffer.getSpace() == Space::Arena
                        ? static_cast<int64_t>(program.getArenaBytes())
                        : static_cast<int64_t>(program.getResidentBytes());
    int64_t end =
        buffer.getOffset() + buffer.getBytes() +
        (buffer.getSlots().value_or(1) - 1) * buffer.getStride().value_or(0);
    if (end > limit)
      return buffer.emitOpError()
             << "ends at byte " << end << ", past the "
             << stringifySpace(buffer.getSpace()) << " region of " << limit;
    if (instructions > 0 &&
        static_cast<int64_t>(buffer.getLast()) >= instructions)
      return buffer.emitOpError()
             << "is live until instruction " << buffer.getLast()
             << ", the program has " << instructions;
  }
  return success();
}

/// Checks the bound buffers and aliases of `plan.return`.
static LogicalResult verifyReturn(ProgramOp program, ReturnOp ret) {
  if (ret.getArguments().size() != program.getArguments().size() ||
      ret.getResults().size() != program.getResults().size())
    return ret.emitOpError()
           << "binds " << ret.getArguments().size() << " arguments and "
           << ret.getResults().size() << " results, the program has "
           << program.getArguments().size() << " and "
           << program.getResults().size();
  if (ret.getAliases().size() != ret.getResults().size())
    return ret.emitOpError()
           << "has " << ret.getAliases().size() << " aliases for "
           << ret.getResults().size() << " results";
  int64_t numArguments = ret.getArguments().size();
  SmallVector<bool> taken(numArguments, false);
  for (auto [result, alias] : llvm::enumerate(ret.getAliases())) {
    if (alias == -1)
      continue;
    if (alias < 0 || alias >= numArguments)
      return ret.emitOpError() << "result " << result << " aliases argument "
                               << alias << " of " << numArguments;
    if (taken[alias])
      return ret.emitOpError() << "two results alias argument " << alias
                               << ", the second is " << result;
    taken[alias] = true;
  }
  auto holds = [](Value value, TensorAttr tensor) {
    auto buffer = value.getDefiningOp<BufferOp>();
    return static_cast<int64_t>(buffer.getBytes()) ==
           tensor.getLocal().getNumElements() *
               storageBytes(tensor.getLocal().getElementType());
  };
  for (auto [list, tensors] :
       {std::pair(ret.getArguments(), program.getArguments()),
        std::pair(ret.getResults(), program.getResults())})
    for (auto [value, attr] : llvm::zip(list, tensors)) {
      auto tensor = cast<TensorAttr>(attr);
      if (!holds(value, tensor))
        return ret.emitOpError()
               << "binds " << tensor.getName() << " of " << tensor.getLocal()
               << " to a buffer of "
               << value.getDefiningOp<BufferOp>().getBytes() << " bytes";
    }
  return success();
}

/// Runs before the body's own verifiers, which rely on it: buffers come only
/// from plan.buffer, and the mesh is well formed.
LogicalResult ProgramOp::verify() {
  if (getBody().getNumArguments() != 0)
    return emitOpError("takes no block arguments");
  if (failed(verifyList<AxisAttr>(*this, getMesh(), "mesh", "#plan.axis")) ||
      failed(verifyList<TensorAttr>(*this, getArguments(), "arguments",
                                    "#plan.tensor")) ||
      failed(verifyList<TensorAttr>(*this, getResults(), "results",
                                    "#plan.tensor")))
    return failure();
  llvm::StringSet<> names;
  for (auto axis : getMesh().getAsRange<AxisAttr>())
    if (!names.insert(axis.getName().getValue()).second)
      return emitOpError() << "mesh names axis " << axis.getName() << " twice";
  if (auto loss = getLossResult())
    if (*loss >= getResults().size())
      return emitOpError() << "loss_result " << *loss << " of "
                           << getResults().size() << " results";
  bool instructions = false;
  for (Operation &op : getBody().front()) {
    if (!isa<InstructionInterface, BufferOp, ReturnOp>(op))
      return op.emitOpError("is not part of a plan.program");
    if (isa<BufferOp>(op) && instructions)
      return op.emitOpError("must come before the first instruction");
    instructions |= isa<InstructionInterface>(op);
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  auto ops = getBody().getOps<InstructionInterface>();
  int64_t instructions = std::distance(ops.begin(), ops.end());
  auto ret = cast<ReturnOp>(getBody().front().getTerminator());
  if (failed(verifyBuffers(*this, instructions)) ||
      failed(verifyReturn(*this, ret)))
    return failure();
  return success();
}

LogicalResult BufferOp::verify() {
  if (static_cast<int64_t>(getOffset()) < 0 ||
      getOffset() % kBufferAlignment != 0)
    return emitOpError() << "has offset " << static_cast<int64_t>(getOffset())
                         << ", expected a multiple of " << kBufferAlignment;
  if (static_cast<int64_t>(getBytes()) < 0)
    return emitOpError() << "has negative size";
  if (static_cast<int64_t>(getFirst()) < 0 || getFirst() > getLast())
    return emitOpError() << "has the lifetime ["
                         << static_cast<int64_t>(getFirst()) << ", "
                         << static_cast<int64_t>(getLast()) << "]";
  auto slots = static_cast<int64_t>(getSlots().value_or(1));
  auto stride = static_cast<int64_t>(getStride().value_or(0));
  if (slots < 1 || stride < 0 || stride % kBufferAlignment != 0 ||
      (slots > 1 && stride < static_cast<int64_t>(getBytes())))
    return emitOpError() << "has " << slots << " slots " << stride
                         << " bytes apart";
  if (!getHolds())
    return success();
  int64_t before = static_cast<int64_t>(getFirst()) - 1;
  ArrayAttr holds = *getHolds();
  for (Attribute item : holds) {
    auto held = dyn_cast<HeldAttr>(item);
    if (!held || held.getFirst() <= before ||
        held.getFirst() > static_cast<int64_t>(getLast()))
      return emitOpError()
             << "holds must list #plan.held in the order of instructions from "
             << static_cast<int64_t>(getFirst()) << " to "
             << static_cast<int64_t>(getLast()) << ", got " << item;
    before = held.getFirst();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static int64_t bytesOf(Value buffer) {
  return buffer.getDefiningOp<BufferOp>().getBytes();
}

/// Checks that `count` elements of `bytes` each fit `buffer`.
static LogicalResult verifyFits(Operation *op, Value buffer, int64_t count,
                                int64_t bytes, const Twine &what) {
  if (count * bytes <= bytesOf(buffer))
    return success();
  return op->emitOpError() << what << " takes " << count * bytes
                           << " bytes, its buffer has " << bytesOf(buffer);
}

/// Checks `axes` against the mesh and returns the size of one group.
static FailureOr<int64_t> verifyAxes(Operation *op, ArrayAttr axes) {
  auto program = op->getParentOfType<ProgramOp>();
  int64_t group = 1;
  for (Attribute item : axes) {
    auto ref = dyn_cast<AxisRefAttr>(item);
    if (!ref)
      return op->emitOpError() << "axes must list #plan.axis_ref, got " << item;
    auto range = program.getMesh().getAsRange<AxisAttr>();
    auto axis = llvm::find_if(
        range, [&](AxisAttr a) { return a.getName() == ref.getAxis(); });
    if (axis == range.end())
      return op->emitOpError() << "names axis " << ref.getAxis()
                               << ", which the mesh does not have";
    if ((*axis).getSize() % (ref.getPreSize() * ref.getSize()) != 0)
      return op->emitOpError() << "uses (" << ref.getPreSize() << ")"
                               << ref.getSize() << " of axis " << ref.getAxis()
                               << ", whose size is " << (*axis).getSize();
    group *= ref.getSize();
  }
  return group;
}

LogicalResult LaunchOp::verify() {
  if (getOutputs().empty())
    return emitOpError() << "of " << getKernel() << " writes nothing";
  return success();
}

LogicalResult GemmOp::verify() {
  if (!getType().isF32() && !getType().isF64())
    return emitOpError() << "needs f32 or f64, got " << getType();
  struct Side {
    StringRef name;
    Value buffer;
    int64_t rows, cols, ld, stride;
  };
  int64_t m = getM(), n = getN(), k = getK(), batch = getBatch();
  if (m < 0 || n < 0 || k < 0 || batch < 0)
    return emitOpError("has a negative size");
  const Side sides[] = {
      {"A", getA(), getTransA() ? k : m, getTransA() ? m : k, int64_t(getLda()),
       int64_t(getStrideA())},
      {"B", getB(), getTransB() ? n : k, getTransB() ? k : n, int64_t(getLdb()),
       int64_t(getStrideB())},
      {"C", getC(), m, n, int64_t(getLdc()), int64_t(getStrideC())}};
  for (const Side &side : sides) {
    if (side.ld < side.cols)
      return emitOpError() << side.name << " has leading dimension " << side.ld
                           << " for rows of " << side.cols << " elements";
    if (side.rows == 0 || side.cols == 0 || batch == 0)
      continue;
    int64_t count =
        (batch - 1) * side.stride + (side.rows - 1) * side.ld + side.cols;
    if (failed(verifyFits(*this, side.buffer, count, storageBytes(getType()),
                          side.name)))
      return failure();
  }
  return success();
}

LogicalResult CopyOp::verify() {
  if (bytesOf(getSource()) != bytesOf(getTarget()))
    return emitOpError() << "copies " << bytesOf(getSource())
                         << " bytes to a buffer of " << bytesOf(getTarget());
  return success();
}

LogicalResult AxisIndexOp::verify() {
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  if (bytesOf(getTarget()) != 4)
    return emitOpError() << "writes 4 bytes to a buffer of "
                         << bytesOf(getTarget());
  return success();
}

/// Elements of the result of one operand of `count` elements, in a group of n.
static int64_t resultCount(CollectiveKind kind, int64_t count, int64_t n) {
  switch (kind) {
  case CollectiveKind::AllGather:
    return count * n;
  case CollectiveKind::ReduceScatter:
    return count / n;
  default:
    return count;
  }
}

static LogicalResult verifyPermutation(CollectiveStartOp op, int64_t group) {
  auto permutation = op.getPermutation();
  if (!permutation || static_cast<int64_t>(permutation->size()) != group)
    return op.emitOpError()
           << "permute in groups of " << group << " needs as many targets, got "
           << (permutation ? permutation->size() : 0);
  SmallVector<bool> seen(group, false);
  for (int64_t target : *permutation) {
    if (target < 0 || target >= group || seen[target])
      return op.emitOpError() << "permutation target " << target
                              << " is out of range or used twice";
    seen[target] = true;
  }
  return success();
}

/// A send or a recv: values of one side, to or from one other member.
static LogicalResult verifyMessage(CollectiveStartOp op, int64_t group,
                                   int64_t bytes) {
  bool sends = op.getKind() == CollectiveKind::Send;
  OperandRange values = sends ? op.getInputs() : op.getOutputs();
  if (values.empty() || values.size() != op.getCounts().size() ||
      !(sends ? op.getOutputs() : op.getInputs()).empty())
    return op.emitOpError() << "has " << op.getInputs().size() << " operands, "
                            << op.getOutputs().size() << " results and "
                            << op.getCounts().size() << " counts";
  if (!op.getRoot() || static_cast<int64_t>(*op.getRoot()) >= group)
    return op.emitOpError()
           << stringifyCollectiveKind(op.getKind()) << " in groups of " << group
           << " needs a root within the group";
  for (auto [value, count] : llvm::zip(values, op.getCounts()))
    if (failed(
            verifyFits(op, value, count, bytes, sends ? "operand" : "result")))
      return failure();
  return success();
}

LogicalResult CollectiveStartOp::verify() {
  FailureOr<int64_t> group = verifyAxes(*this, getAxes());
  if (failed(group))
    return failure();
  CollectiveKind kind = getKind();
  int64_t bytes = storageBytes(getType());
  if (bytes == 0)
    return emitOpError() << "cannot move " << getType();
  if (kind == CollectiveKind::Send || kind == CollectiveKind::Recv)
    return verifyMessage(*this, *group, bytes);
  if (getInputs().empty() || getInputs().size() != getOutputs().size() ||
      getCounts().size() != getInputs().size())
    return emitOpError() << "has " << getInputs().size() << " operands, "
                         << getOutputs().size() << " results and "
                         << getCounts().size() << " counts";
  bool reduces = kind == CollectiveKind::AllReduce ||
                 kind == CollectiveKind::ReduceScatter;
  if (reduces == (getCombiner() == Combiner::None))
    return emitOpError() << stringifyCollectiveKind(kind) << " with combiner "
                         << stringifyCombiner(getCombiner());
  bool splits =
      kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll;
  for (auto [input, output, count] :
       llvm::zip(getInputs(), getOutputs(), getCounts())) {
    if (splits && count % *group != 0)
      return emitOpError() << "splits " << count << " elements in groups of "
                           << *group;
    if (failed(verifyFits(*this, input, count, bytes, "operand")) ||
        failed(verifyFits(*this, output, resultCount(kind, count, *group),
                          bytes, "result")))
      return failure();
  }
  if (kind == CollectiveKind::Permute)
    if (failed(verifyPermutation(*this, *group)))
      return failure();
  if (kind == CollectiveKind::Broadcast) {
    if (!getRoot() || static_cast<int64_t>(*getRoot()) >= *group)
      return emitOpError() << "broadcast in groups of " << *group
                           << " needs a root within the group";
  }
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (getStream() >= program.getStreams())
    return emitOpError() << "runs on stream " << getStream() << " of "
                         << program.getStreams();
  if (!getEvent().hasOneUse())
    return emitOpError() << "needs exactly one plan.wait, has "
                         << std::distance(getEvent().use_begin(),
                                          getEvent().use_end());
  return success();
}
