//===- EmitProgram.cpp - The placed model as a plan.program ---------------===//
//
// One operation per instruction. Only here do values become byte ranges.
//
//===----------------------------------------------------------------------===//

#include "EmitProgram.h"

#include "CollectiveKinds.h"
#include "GemmShape.h"
#include "SourceText.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/KernelCost.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Support/StageAttributes.h"
#include "partopt/Support/UnitAttributes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace partopt;

namespace {

class Emitter {
public:
  Emitter(const ProgramModel &model, const Placement &placement,
          ModuleNumbers &numbers)
      : model(model), placement(placement), numbers(numbers),
        builder(model.function), nextId(numbers.channels) {}
  FailureOr<planir::ProgramOp> run();

private:
  void createProgram();
  void emitBuffers();
  LogicalResult emit(const Instruction &instruction, int64_t index);
  LogicalResult emitGemm(stablehlo::DotGeneralOp op, const Instruction &at);
  LogicalResult emitLaunch(func::CallOp op, const Instruction &at);
  void emitCollective(const Instruction &at, int64_t index);
  void emitMessage(const Instruction &at, int64_t index);
  void emitLoopBound(const Instruction &at);
  void recordValues(const Instruction &at);
  void emitReturn();
  void classify(const Instruction &instruction, Operation *emitted,
                StringRef label);

  SmallVector<Value> buffers(ArrayRef<unsigned> storages) {
    SmallVector<Value> values;
    for (unsigned s : storages)
      values.push_back(bufferOf.lookup(placement.root[s]));
    return values;
  }
  Attribute axesList(comm::AxesAttr axes);

  const ProgramModel &model;
  const Placement &placement;
  ModuleNumbers &numbers;
  OpBuilder builder;
  planir::ProgramOp program;
  llvm::DenseMap<unsigned, Value> bufferOf; // by root
  llvm::DenseMap<int64_t, Value> eventOf;   // by start's index
  int64_t nextId;
  llvm::DenseMap<Operation *, KernelWork> workOf; // by variant
  /// By storage: it depends on a value of the backward part.
  std::vector<bool> afterBackward;
  /// Of the pipeline's segment that is being emitted, with loops within.
  std::optional<planir::Phase> segment;
  int64_t openLoops = 0;
};

void Emitter::createProgram() {
  func::FuncOp function = model.function;
  auto module = function->getParentOfType<ModuleOp>();
  auto loss = lossResult(function);
  DenseI64ArrayAttr deviceIds;
  if (sdy::MeshOp mesh = sdy::getMainMesh(module)) {
    deviceIds = mesh->getAttrOfType<DenseI64ArrayAttr>(kDeviceIdsAttr);
    if (!mesh.getMesh().getDeviceIds().empty())
      deviceIds = builder.getDenseI64ArrayAttr(mesh.getMesh().getDeviceIds());
  }
  program = builder.create<planir::ProgramOp>(
      function.getLoc(), function.getSymNameAttr(), meshAttr(module),
      argumentTensors(function), resultTensors(function),
      builder.getI64IntegerAttr(placement.residentBytes),
      builder.getI64IntegerAttr(placement.arenaBytes),
      builder.getI64IntegerAttr(placement.residentBytes + placement.arenaBytes),
      builder.getI64IntegerAttr(0),
      loss ? builder.getI64IntegerAttr(*loss) : IntegerAttr(), deviceIds,
      function->getAttrOfType<DenseI64ArrayAttr>(kTurnsAttr),
      function->getAttrOfType<IntegerAttr>(kPipelineRankAttr),
      function->getAttrOfType<StringAttr>(kPipelineAxisAttr));
  builder.createBlock(&program.getBody());
}

void Emitter::emitBuffers() {
  std::vector<BufferClasses> classes = classesOfBuffers(model, placement);
  for (unsigned s = 0; s < model.storages.size(); ++s) {
    if (placement.root[s] != s)
      continue;
    const Storage &storage = model.storages[s];
    auto [first, last] = placement.live[s];
    SmallVector<Attribute> holds;
    for (auto [memoryClass, from] : classes[s])
      holds.push_back(
          planir::HeldAttr::get(builder.getContext(), memoryClass, from));
    bufferOf[s] = builder.create<planir::BufferOp>(
        storage.loc, planir::BufferType::get(builder.getContext()),
        placement.resident[s] ? planir::Space::Resident : planir::Space::Arena,
        placement.offset[s], storage.bytes, first, last,
        holds.empty() ? ArrayAttr() : builder.getArrayAttr(holds),
        storage.slots > 1 ? builder.getI64IntegerAttr(storage.slots)
                          : IntegerAttr(),
        storage.slots > 1
            ? builder.getI64IntegerAttr(Placement::strideOf(storage))
            : IntegerAttr());
  }
}

/// Sets the phase and label. What depends on the backward part without being of
/// it is the update; what does not is forward, where nothing is known.
void Emitter::classify(const Instruction &instruction, Operation *emitted,
                       StringRef label) {
  planir::Phase phase = phaseOf(instruction.op->getLoc());
  if (auto known = instruction.op->getAttrOfType<StringAttr>(kPhaseAttr))
    phase = planir::symbolizePhase(known.getValue()).value_or(phase);
  bool late = phase == planir::Phase::Backward;
  for (unsigned s : instruction.reads)
    late |= afterBackward[s];
  // A gather that the backward pass has of its own stands at the parameter.
  if (auto gather =
          instruction.op->getAttrOfType<StringAttr>(kStorageGatherAttr);
      gather && gather.getValue() == kGatherBackward)
    phase = planir::Phase::Backward;
  if (segment)
    phase = *segment;
  else if (phase == planir::Phase::Unspecified)
    phase = late ? planir::Phase::Update : planir::Phase::Forward;
  for (unsigned s : instruction.writes)
    afterBackward[s] = late;
  emitted->setAttr("phase",
                   planir::PhaseAttr::get(builder.getContext(), phase));
  emitted->setAttr("label", builder.getStringAttr(label));
}

LogicalResult Emitter::emitLaunch(func::CallOp op, const Instruction &at) {
  func::FuncOp kernel = model.calledKernel(op);
  if (!kernel)
    return op.emitOpError() << "calls @" << op.getCallee()
                            << ", which is no function with partopt.kernel";
  SmallVector<std::pair<unsigned, unsigned>> overwritten;
  for (auto [argument, read] : llvm::enumerate(at.reads))
    for (auto [result, written] : llvm::enumerate(at.writes))
      if (placement.root[read] == placement.root[written])
        overwritten.push_back({argument, result});
  func::FuncOp variant = numbers.kernels.get(kernel, overwritten);
  auto [found, isNew] = workOf.insert({variant, {}});
  if (isNew)
    found->second = kernelWork(variant);
  const KernelWork &work = found->second;
  auto launch = builder.create<planir::LaunchOp>(
      op.getLoc(), FlatSymbolRefAttr::get(variant), buffers(at.reads),
      buffers(at.writes), planir::PhaseAttr(), StringAttr(),
      builder.getI64IntegerAttr(work.flops));
  launch->setAttr(planir::kWorkAttr, builder.getDenseI64ArrayAttr(
                                         {work.contractions, work.functions,
                                          work.bytes, work.shuffled}));
  classify(at, launch, variant.getSymName());
  return success();
}

LogicalResult Emitter::emitGemm(stablehlo::DotGeneralOp op,
                                const Instruction &at) {
  FailureOr<GemmShape> shape = gemmShape(op);
  if (failed(shape))
    return failure();
  auto i64 = [&](int64_t value) { return builder.getI64IntegerAttr(value); };
  auto unit = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  SmallVector<Value> reads = buffers(at.reads);
  if (at.accumulates && reads.back() != buffers(at.writes)[0])
    return op.emitOpError("has its sum and what it adds to in two buffers");
  auto [batch, m, n, k, transA, transB, lda, ldb] = *shape;
  auto gemm = builder.create<planir::GemmOp>(
      op.getLoc(),
      TypeAttr::get(cast<RankedTensorType>(op.getType()).getElementType()),
      reads[0], reads[1], buffers(at.writes)[0], i64(batch), i64(m), i64(n),
      i64(k), unit(transA), unit(transB), unit(at.accumulates), i64(lda),
      i64(ldb), i64(n), i64(m * k), i64(k * n), i64(m * n), planir::PhaseAttr(),
      StringAttr(), i64(2 * batch * m * n * k));
  classify(at, gemm, "dot_general");
  return success();
}

Attribute Emitter::axesList(comm::AxesAttr axes) {
  SmallVector<Attribute> refs;
  for (auto [name, preSize, size] :
       llvm::zip(axes.getNames(), axes.getPreSizes(), axes.getSizes()))
    refs.push_back(
        planir::AxisRefAttr::get(builder.getContext(), name, preSize, size));
  return builder.getArrayAttr(refs);
}

/// One value to or from another rank of the pipeline.
void Emitter::emitMessage(const Instruction &at, int64_t index) {
  Operation *op = at.op;
  MLIRContext *context = builder.getContext();
  auto send = dyn_cast<comm::SendOp>(op);
  auto receive = dyn_cast<comm::RecvOp>(op);
  int64_t peer = send ? int64_t(send.getTo()) : int64_t(receive.getFrom());
  auto channel = int64_t(send ? send.getChannel() : receive.getChannel());
  auto type = cast<RankedTensorType>(send ? op->getOperand(0).getType()
                                          : op->getResult(0).getType());
  auto start = builder.create<planir::CollectiveStartOp>(
      op->getLoc(), planir::EventType::get(context),
      planir::CollectiveKindAttr::get(context,
                                      send ? planir::CollectiveKind::Send
                                           : planir::CollectiveKind::Recv),
      planir::CombinerAttr::get(context, planir::Combiner::None),
      TypeAttr::get(type.getElementType()),
      cast<ArrayAttr>(axesList(send ? send.getAxes() : receive.getAxes())),
      buffers(at.reads), buffers(at.writes), Value(),
      builder.getDenseI64ArrayAttr({type.getNumElements()}),
      builder.getI64IntegerAttr(channel),
      builder.getI64IntegerAttr(numbers.ofChannel.at(channel)),
      DenseI64ArrayAttr(), builder.getI64IntegerAttr(peer),
      builder.getStringAttr(send ? "what another stage reads"
                                 : "what another stage makes"),
      planir::PhaseAttr(), StringAttr(), IntegerAttr());
  eventOf[index] = start.getEvent();
  classify(at, start, op->getName().stripDialect());
}

void Emitter::emitCollective(const Instruction &at, int64_t index) {
  Operation *op = at.op;
  MLIRContext *context = builder.getContext();
  comm::AxesAttr group = cast<comm::CollectiveOpInterface>(op).getAxes();
  auto axes = cast<ArrayAttr>(axesList(group));
  int64_t stream = numbers.ofAxes.lookup(group);
  SmallVector<int64_t> counts;
  for (Type type : op->getOperandTypes())
    counts.push_back(cast<RankedTensorType>(type).getNumElements());
  DenseI64ArrayAttr permutation;
  if (auto permute = dyn_cast<comm::PermuteOp>(op))
    permutation = builder.getDenseI64ArrayAttr(permute.getPermutation());
  IntegerAttr root;
  if (auto broadcast = dyn_cast<comm::BroadcastOp>(op))
    root = builder.getI64IntegerAttr(broadcast.getRoot());
  Type element =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  auto start = builder.create<planir::CollectiveStartOp>(
      op->getLoc(), planir::EventType::get(context),
      planir::CollectiveKindAttr::get(context, collectiveKindOf(op)),
      planir::CombinerAttr::get(context, combinerOf(op)),
      TypeAttr::get(element), axes, buffers(at.reads), buffers(at.writes),
      Value(), builder.getDenseI64ArrayAttr(counts),
      builder.getI64IntegerAttr(nextId++), builder.getI64IntegerAttr(stream),
      permutation, root, op->getAttrOfType<StringAttr>("partopt.why"),
      planir::PhaseAttr(), StringAttr(), IntegerAttr());
  if (Attribute unit = op->getAttr(kWrapUnitAttr))
    start->setAttr(kWrapUnitAttr, unit);
  eventOf[index] = start.getEvent();
  classify(at, start, op->getName().stripDialect());
}

LogicalResult Emitter::emit(const Instruction &at, int64_t index) {
  Location loc = at.op->getLoc();
  switch (at.kind) {
  case InstructionKind::Start:
    if (isa<comm::SendOp, comm::RecvOp>(at.op))
      emitMessage(at, index);
    else
      emitCollective(at, index);
    return success();
  case InstructionKind::Wait:
    builder.create<planir::WaitOp>(loc, eventOf.lookup(at.partner),
                                   planir::PhaseAttr(), StringAttr(),
                                   IntegerAttr());
    return success();
  case InstructionKind::CopyResult:
    builder.create<planir::CopyOp>(
        model.storages[at.writes[0]].loc, buffers(at.reads)[0],
        buffers(at.writes)[0], planir::PhaseAttr(),
        builder.getStringAttr("copy of a result"), IntegerAttr());
    return success();
  case InstructionKind::LoopBegin:
  case InstructionKind::LoopEnd:
    emitLoopBound(at);
    return success();
  case InstructionKind::Run:
    break;
  }
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(at.op))
    return emitGemm(dot, at);
  if (auto axisIndex = dyn_cast<comm::AxisIndexOp>(at.op)) {
    auto op = builder.create<planir::AxisIndexOp>(
        loc, cast<ArrayAttr>(axesList(axisIndex.getAxes())),
        buffers(at.writes)[0], planir::PhaseAttr(), StringAttr(),
        IntegerAttr());
    classify(at, op, "axis_index");
    return success();
  }
  return emitLaunch(cast<func::CallOp>(at.op), at);
}

void Emitter::emitLoopBound(const Instruction &at) {
  SmallVector<Value> writes = buffers(at.writes);
  std::string label = at.op->getName().stripDialect().str();
  auto part = at.op->getAttrOfType<StringAttr>(kStagePartAttr);
  if (part) {
    openLoops = 0;
    segment = part.getValue() == "F" ? planir::Phase::Forward
                                     : planir::Phase::Backward;
    // As actions of schedules begin, which end in the microbatch.
    label =
        std::to_string(at.op->getAttrOfType<IntegerAttr>(kStageAttr).getInt()) +
        part.str();
  }
  Operation *emitted;
  if (auto begin = dyn_cast<comm::LoopBeginOp>(at.op))
    emitted = builder.create<planir::LoopBeginOp>(
        at.op->getLoc(), begin.getAxisAttr(), begin.getTripsAttr(), writes[0],
        buffers(at.reads), ArrayRef(writes).drop_front(), planir::PhaseAttr(),
        StringAttr(), IntegerAttr());
  else
    emitted = builder.create<planir::LoopEndOp>(
        at.op->getLoc(), buffers(at.reads), writes, planir::PhaseAttr(),
        StringAttr(), IntegerAttr());
  classify(at, emitted, label);
  openLoops += isa<comm::LoopBeginOp>(at.op) ? 1 : -1;
  if (openLoops == 0)
    segment.reset();
}

/// Notes which values of the program the emitted instruction reads and writes:
/// its buffers do not tell, since values share them.
void Emitter::recordValues(const Instruction &at) {
  if (at.kind == InstructionKind::Wait)
    return;
  SmallVector<int64_t> values;
  llvm::append_range(values, at.reads);
  llvm::append_range(values, at.writes);
  program.getBody().front().back().setAttr(
      planir::kValuesAttr, builder.getDenseI64ArrayAttr(values));
}

void Emitter::emitReturn() {
  func::FuncOp function = model.function;
  SmallVector<Value> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(bufferOf.lookup(i));
  SmallVector<int64_t> aliases;
  for (const ProgramResult &result : model.results) {
    results.push_back(bufferOf.lookup(placement.root[result.storage]));
    aliases.push_back(result.alias);
  }
  auto ret =
      builder.create<planir::ReturnOp>(function.getLoc(), arguments, results,
                                       builder.getDenseI64ArrayAttr(aliases));
  SmallVector<int64_t> values;
  for (const ProgramResult &result : model.results)
    values.push_back(result.storage);
  ret->setAttr(planir::kValuesAttr, builder.getDenseI64ArrayAttr(values));
}

FailureOr<planir::ProgramOp> Emitter::run() {
  afterBackward.assign(model.storages.size(), false);
  createProgram();
  emitBuffers();
  for (auto [index, instruction] : llvm::enumerate(model.instructions)) {
    if (failed(emit(instruction, index))) {
      program.erase();
      return failure();
    }
    recordValues(instruction);
  }
  emitReturn();
  program.setStreams(numbers.streams);
  return program;
}

} // namespace

FailureOr<planir::ProgramOp> partopt::emitProgram(const ProgramModel &model,
                                                  const Placement &placement,
                                                  ModuleNumbers &numbers) {
  return Emitter(model, placement, numbers).run();
}
