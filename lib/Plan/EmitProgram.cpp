//===- EmitProgram.cpp - The placed model as a plan.program ---------------===//
//
// One operation per instruction. Only here do values become byte ranges.
//
//===----------------------------------------------------------------------===//

#include "EmitProgram.h"
#include "GemmShape.h"
#include "KernelVariants.h"
#include "SourceText.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/KernelCost.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Support/UnitAttributes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace partopt;

namespace {

class Emitter {
public:
  Emitter(const ProgramModel &model, const Placement &placement)
      : model(model), placement(placement), builder(model.function) {}
  FailureOr<planir::ProgramOp> run();

private:
  void createProgram();
  void emitBuffers();
  LogicalResult emit(const Instruction &instruction, int64_t index);
  LogicalResult emitGemm(stablehlo::DotGeneralOp op, const Instruction &at);
  LogicalResult emitLaunch(func::CallOp op, const Instruction &at);
  void emitCollective(const Instruction &at, int64_t index);
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
  OpBuilder builder;
  planir::ProgramOp program;
  llvm::DenseMap<unsigned, Value> bufferOf;    // by root
  llvm::DenseMap<int64_t, Value> eventOf;      // by start's index
  llvm::MapVector<Attribute, int64_t> streams; // by axes
  int64_t nextId = 0;
  KernelVariants kernels;
  llvm::DenseMap<Operation *, KernelWork> workOf; // by variant
  /// By storage: it depends on a value of the backward part.
  std::vector<bool> afterBackward;
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
      loss ? builder.getI64IntegerAttr(*loss) : IntegerAttr(), deviceIds);
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
        holds.empty() ? ArrayAttr() : builder.getArrayAttr(holds));
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
  if (phase == planir::Phase::Unspecified)
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
  func::FuncOp variant = kernels.get(kernel, overwritten);
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

planir::CollectiveKind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, planir::CollectiveKind>(op)
      .Case([](comm::AllReduceOp) { return planir::CollectiveKind::AllReduce; })
      .Case([](comm::AllGatherOp) { return planir::CollectiveKind::AllGather; })
      .Case([](comm::ReduceScatterOp) {
        return planir::CollectiveKind::ReduceScatter;
      })
      .Case([](comm::AllToAllOp) { return planir::CollectiveKind::AllToAll; })
      .Case([](comm::PermuteOp) { return planir::CollectiveKind::Permute; })
      .Case(
          [](comm::BroadcastOp) { return planir::CollectiveKind::Broadcast; });
}

planir::Combiner combinerOf(Operation *op) {
  comm::CombinerKind kind;
  if (auto reduce = dyn_cast<comm::AllReduceOp>(op))
    kind = reduce.getCombiner();
  else if (auto scatter = dyn_cast<comm::ReduceScatterOp>(op))
    kind = scatter.getCombiner();
  else
    return planir::Combiner::None;
  switch (kind) {
  case comm::CombinerKind::Sum:
    return planir::Combiner::Sum;
  case comm::CombinerKind::Product:
    return planir::Combiner::Product;
  case comm::CombinerKind::Min:
    return planir::Combiner::Min;
  case comm::CombinerKind::Max:
    return planir::Combiner::Max;
  case comm::CombinerKind::And:
    return planir::Combiner::And;
  case comm::CombinerKind::Or:
    return planir::Combiner::Or;
  }
  llvm_unreachable("all combiners are handled");
}

/// Each group of axes has its own stream, so that a long collective of one does
/// not hold up another's.
void Emitter::emitCollective(const Instruction &at, int64_t index) {
  Operation *op = at.op;
  MLIRContext *context = builder.getContext();
  auto axes = cast<ArrayAttr>(
      axesList(cast<comm::CollectiveOpInterface>(op).getAxes()));
  int64_t stream = streams.insert({axes, streams.size()}).first->second;
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
      planir::CollectiveKindAttr::get(context, kindOf(op)),
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
  classify(at, emitted, at.op->getName().stripDialect());
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
  program.setStreams(streams.size());
  kernels.eraseUnused(program->getParentOfType<ModuleOp>());
  return program;
}

} // namespace

FailureOr<planir::ProgramOp> partopt::emitProgram(const ProgramModel &model,
                                                  const Placement &placement) {
  return Emitter(model, placement).run();
}
