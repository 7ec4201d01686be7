//===- ProgramModel.cpp - A function as instructions and storages ---------===//
//
// Reads the kernel form: views share the storage of their source, a collective
// keeps its operands and results in use until its wait.
//
//===----------------------------------------------------------------------===//

#include "ProgramModel.h"
#include "AccumulatingProducts.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/LinearAlgebraOps.h"
#include "dialects/StableHLO/ShapeOps.h"

#include "partopt/Support/KernelAttributes.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/StageAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace partopt;

namespace {

/// Builds the model by one walk over the function's block.
class ModelBuilder {
public:
  explicit ModelBuilder(func::FuncOp function) : function(function) {
    model.function = function;
    auto module = function->getParentOfType<ModuleOp>();
    for (auto kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr(kKernelAttr))
        model.kernels[kernel.getSymNameAttr()] = kernel;
  }

  FailureOr<ProgramModel> run() {
    Block &block = function.getBody().front();
    for (BlockArgument argument : block.getArguments())
      if (failed(define(argument, 0)))
        return failure();
    for (auto [i, argument] : llvm::enumerate(block.getArguments()))
      model.storages[i].argument = i;
    for (Operation &op : block)
      if (failed(visit(op)))
        return failure();
    return std::move(model);
  }

private:
  LogicalResult visit(Operation &op);
  LogicalResult define(Value value, int64_t definition);
  LogicalResult addRun(Operation &op);
  void accumulate(AccumulatingProduct found);
  LogicalResult addStart(Operation &op);
  LogicalResult addMessage(Operation &op);
  LogicalResult addReceives(comm::LoopBeginOp op);
  void addWait(Operation &op, Operation *start);
  LogicalResult addLoopBegin(comm::LoopBeginOp op);
  LogicalResult addLoopEnd(comm::LoopEndOp op);
  void keepThroughLoop(const Loop &loop);
  LogicalResult addReturn(func::ReturnOp op);
  LogicalResult bindNextValues(func::ReturnOp op);
  FailureOr<bool> checkFit(unsigned result, unsigned argument, Type resultType);
  void use(unsigned storage, int64_t instruction) {
    model.storages[storage].uses.push_back(instruction);
  }
  int64_t next() const { return model.instructions.size(); }

  func::FuncOp function;
  ProgramModel model;
  llvm::DenseMap<Operation *, int64_t> startIndex;
  SmallVector<Operation *> sent; ///< and not waited for
  /// By sum that a product computes besides: its storage.
  llvm::DenseMap<Operation *, unsigned> summed;
};

/// Gives `value` a storage of its own.
LogicalResult ModelBuilder::define(Value value, int64_t definition) {
  RankedTensorType type = comm::getValueType(value.getType());
  int64_t element = planir::storageBytes(type.getElementType());
  if (element == 0)
    return emitError(value.getLoc())
           << "buffers cannot hold elements of " << type.getElementType()
           << " (value of type " << type << ")";
  model.storageOf[value] = model.addStorage(type.getNumElements() * element,
                                            value.getLoc(), definition);
  return success();
}

LogicalResult ModelBuilder::visit(Operation &op) {
  for (Type type : op.getResultTypes()) {
    if (isa<comm::PendingType>(type))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return op.emitOpError()
             << "yields " << type << "; a plan needs static tensors";
  }
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    model.storageOf[reshape.getResult()] =
        model.storageOf.lookup(reshape.getOperand());
    return success();
  }
  if (summed.contains(&op)) {
    model.storageOf[op.getResult(0)] = summed.lookup(&op);
    return success();
  }
  if (isa<func::CallOp, stablehlo::DotGeneralOp, comm::AxisIndexOp>(op)) {
    std::optional<AccumulatingProduct> found = findAccumulation(&op, model);
    if (failed(addRun(op)))
      return failure();
    if (found)
      accumulate(*found);
    return success();
  }
  if (isa<comm::CollectiveOpInterface>(op))
    return addStart(op);
  if (isa<comm::SendOp, comm::RecvOp>(op))
    return addMessage(op);
  if (auto wait = dyn_cast<comm::WaitOp>(op)) {
    Operation *start = wait.getPending().front().getDefiningOp();
    for (auto [pending, result] :
         llvm::zip(wait.getPending(), wait.getResults()))
      model.storageOf[result] = model.storageOf.lookup(pending);
    addWait(op, start);
    return success();
  }
  if (auto begin = dyn_cast<comm::LoopBeginOp>(op))
    return addLoopBegin(begin);
  if (auto end = dyn_cast<comm::LoopEndOp>(op))
    return addLoopEnd(end);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return addReturn(ret);
  return op.emitOpError("is not part of the kernel form; run "
                        "partopt-form-kernels before partopt-lower-to-plan");
}

LogicalResult ModelBuilder::addRun(Operation &op) {
  Instruction instruction{InstructionKind::Run, &op, {}, {}};
  for (Value operand : op.getOperands()) {
    instruction.reads.push_back(model.storageOf.lookup(operand));
    use(instruction.reads.back(), next());
  }
  for (Value result : op.getResults()) {
    if (failed(define(result, next())))
      return failure();
    instruction.writes.push_back(model.storageOf.lookup(result));
  }
  model.instructions.push_back(std::move(instruction));
  return success();
}

/// The instruction just added computes the sum, which has the product's
/// storage.
void ModelBuilder::accumulate(AccumulatingProduct found) {
  Instruction &instruction = model.instructions.back();
  instruction.accumulates = true;
  instruction.reads.push_back(model.storageOf.lookup(found.accumulator));
  use(instruction.reads.back(), next() - 1);
  summed[found.sum] = instruction.writes.front();
}

LogicalResult ModelBuilder::addStart(Operation &op) {
  int64_t index = next();
  if (failed(addRun(op)))
    return failure();
  model.instructions.back().kind = InstructionKind::Start;
  startIndex[&op] = index;
  auto collective = cast<comm::CollectiveOpInterface>(op);
  if (!collective.isContiguous())
    return op.emitOpError("does not move contiguous blocks; run "
                          "partopt-normalise-collectives before");
  if (!collective.isStart()) {
    addWait(op, &op);
    return success();
  }
  // One wait for all results; without it nothing would ever finish.
  if (op.getNumResults() == 0 || !op.getResult(0).hasOneUse())
    return op.emitOpError("is started and needs exactly one comm.wait");
  return success();
}

/// In loops that take turns a receive has been started at the begin, and a send
/// is over when its slot is needed. Elsewhere a send is over at the end, so
/// that two ranks may send to each other first.
LogicalResult ModelBuilder::addMessage(Operation &op) {
  bool inTurns = model.isInTurn();
  if (!startIndex.contains(&op)) {
    startIndex[&op] = next();
    if (failed(addRun(op)))
      return failure();
    model.instructions.back().kind = InstructionKind::Start;
    if (!inTurns && isa<comm::SendOp>(op))
      sent.push_back(&op);
    if (inTurns || isa<comm::SendOp>(op))
      return success();
  }
  addWait(op, &op);
  return success();
}

/// Of the segment that begins here.
LogicalResult ModelBuilder::addReceives(comm::LoopBeginOp begin) {
  int64_t depth = 0;
  for (Operation *op = begin->getNextNode(); op; op = op->getNextNode()) {
    depth += isa<comm::LoopBeginOp>(op);
    if (isa<comm::LoopEndOp>(op) && depth-- == 0)
      return success();
    if (!isa<comm::RecvOp>(op))
      continue;
    startIndex[op] = next();
    if (failed(addRun(*op)))
      return failure();
    model.instructions.back().kind = InstructionKind::Start;
  }
  return success();
}

void ModelBuilder::addWait(Operation &op, Operation *start) {
  int64_t started = startIndex.lookup(start);
  const Instruction &begin = model.instructions[started];
  for (unsigned read : begin.reads)
    use(read, next());
  for (unsigned written : begin.writes)
    model.storages[written].settled = next();
  model.instructions.push_back({InstructionKind::Wait, &op, {}, {}, started});
}

LogicalResult ModelBuilder::addLoopBegin(comm::LoopBeginOp op) {
  Loop loop{next(), -1, {}};
  if (failed(addRun(*op)))
    return failure();
  Instruction &begin = model.instructions.back();
  begin.kind = InstructionKind::LoopBegin;
  for (auto [i, init] : llvm::enumerate(begin.reads))
    loop.values.push_back({init, begin.writes[i + 1], 0, 0});
  loop.takesTurns = op->hasAttr(kStageAttr) && function->hasAttr(kTurnsAttr);
  model.loops.push_back(std::move(loop));
  model.beginOf[op.getEnd()] = op;
  if (!model.loops.back().takesTurns)
    return success();
  if (!model.turns.any())
    model.turns.first = model.loops.back().begin;
  return addReceives(op);
}

LogicalResult ModelBuilder::addLoopEnd(comm::LoopEndOp op) {
  auto open = llvm::find_if(llvm::reverse(model.loops),
                            [](const Loop &loop) { return loop.end < 0; });
  if (open == model.loops.rend())
    return op.emitOpError("ends no loop");
  Loop &loop = *open;
  loop.end = next();
  if (failed(addRun(*op)))
    return failure();
  Instruction &end = model.instructions.back();
  end.kind = InstructionKind::LoopEnd;
  for (auto [i, value] : llvm::enumerate(loop.values)) {
    value.next = end.reads[i];
    value.result = end.writes[i];
    if (model.storages[value.next].argument >= 0 ||
        model.storages[value.next].definition <= loop.begin)
      return op.emitOpError()
             << "passes on value " << i << ", which the loop does not compute";
  }
  keepThroughLoop(loop);
  if (loop.takesTurns)
    model.turns.last = loop.end;
  return success();
}

/// What a loop reads of what was there before is still there in the next
/// iteration.
void ModelBuilder::keepThroughLoop(const Loop &loop) {
  for (Storage &storage : model.storages) {
    bool isBefore = storage.argument >= 0 || storage.definition < loop.begin;
    if (isBefore && !storage.uses.empty() && storage.uses.back() > loop.begin)
      storage.uses.push_back(loop.end);
  }
}

LogicalResult ModelBuilder::addReturn(func::ReturnOp op) {
  for (Operation *send : sent)
    addWait(*send, send);
  for (Value operand : op.getOperands()) {
    unsigned storage = model.storageOf.lookup(operand);
    model.storages[storage].returned = true;
    model.results.push_back({storage});
  }
  return bindNextValues(op);
}

/// Reads which argument's next value each result is.
LogicalResult ModelBuilder::bindNextValues(func::ReturnOp op) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::optional<unsigned> next = nextResultOf(function, i);
    auto donation = function.getArgAttrOfType<IntegerAttr>(i, kAliasingAttr);
    if (!next && donation)
      return emitError(function.getArgument(i).getLoc())
             << "argument " << i << " is to take result " << donation.getInt()
             << " of " << model.results.size();
    if (!next)
      continue;
    ProgramResult &result = model.results[*next];
    if (result.alias >= 0)
      return emitError(function.getArgument(i).getLoc())
             << "arguments " << result.alias << " and " << i
             << " are both to take result " << *next;
    FailureOr<bool> fits = checkFit(*next, i, op.getOperand(*next).getType());
    if (failed(fits))
      return failure();
    if (!*fits)
      continue;
    result.alias = i;
    result.mayOverwrite = isDonated(function, i);
  }
  return success();
}

/// The name of an argument or result for messages.
std::string nameOf(DictionaryAttr attributes, StringRef kind, unsigned i) {
  std::string text = (kind + " " + Twine(i)).str();
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>("partopt.name"))
      text += " (" + name.getValue().str() + ")";
  return text;
}

std::string wholeShardingText(sdy::TensorShardingAttr sharding) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (sharding)
    stream << sharding;
  else
    stream << "no sharding";
  return text;
}

/// Whether the result is laid out as the argument whose next value it is. What
/// is donated has to be; else the result is only not fed back.
FailureOr<bool> ModelBuilder::checkFit(unsigned result, unsigned argument,
                                       Type resultType) {
  Type argumentType = function.getArgument(argument).getType();
  auto shardingOfArgument = sdy::getSharding(function.getArgument(argument));
  auto shardingOfResult = sdy::getFuncResultSharding(function, result);
  bool sameDims = true;
  if (shardingOfArgument && shardingOfResult &&
      shardingOfArgument.getRank() == shardingOfResult.getRank())
    for (int64_t dim = 0; dim < shardingOfArgument.getRank(); ++dim)
      sameDims &= shardingOfArgument.getDimSharding(dim).getAxes() ==
                  shardingOfResult.getDimSharding(dim).getAxes();
  if (argumentType == resultType && sameDims)
    return true;
  std::string from =
      nameOf(function.getResultAttrDict(result), "result", result);
  std::string to =
      nameOf(function.getArgAttrDict(argument), "argument", argument);
  if (!isDonated(function, argument)) {
    addWarning(function, "next-value",
               from + ", " + wholeShardingText(shardingOfResult) +
                   ", is the next value of " + to + ", " +
                   wholeShardingText(shardingOfArgument) +
                   ", but laid out in another way: steps do not pass it on; "
                   "give both the same sharding");
    return false;
  }
  return emitError(function.getArgument(argument).getLoc())
         << from << " of " << resultType << ", "
         << wholeShardingText(shardingOfResult)
         << ", cannot take the buffer of " << to << " of " << argumentType
         << ", " << wholeShardingText(shardingOfArgument)
         << "; give both the same sharding, or drop " << kAliasingAttr;
}

} // namespace

func::FuncOp ProgramModel::calledKernel(Operation *op) const {
  auto call = dyn_cast<func::CallOp>(op);
  return call ? kernels.lookup(call.getCalleeAttr().getAttr()) : func::FuncOp();
}

unsigned ProgramModel::addStorage(int64_t bytes, Location loc,
                                  int64_t definition) {
  storages.push_back({bytes, loc, -1, definition, definition, {}, false});
  return storages.size() - 1;
}

FailureOr<ProgramModel> ProgramModel::build(func::FuncOp function,
                                            const SendSlots &sends) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("needs one block to become a plan");
  FailureOr<ProgramModel> model = ModelBuilder(function).run();
  if (succeeded(model))
    findTurnStorages(*model, sends);
  return model;
}
