//===- SerializePlan.cpp - The plan dialect as a plan file ----------------===//
//
// Walks the program once; buffers, locations and events get their numbers in
// the order in which they are met.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/SerializePlan.h"

#include "PlanTypes.h"
#include "SerializeLayers.h"
#include "SerializeOps.h"
#include "SerializePipeline.h"
#include "SourceText.h"

#include "dialects/Plan/Plan.h"

#include "partopt/Plan/PlanFile.h"
#include "partopt/Support/KernelAttributes.h"
#include "partopt/Support/UnitAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace partopt;

namespace {

class Serializer {
public:
  Serializer(ModuleOp module, const PlanHeader &header)
      : module(module), header(header),
        result(std::make_unique<plan::PlanT>()) {}
  FailureOr<std::unique_ptr<plan::PlanT>> run();

private:
  void writeHeader(planir::ProgramOp program);
  void collectKernels(plan::RankClassT &rankClass);
  LogicalResult writeClass(planir::ProgramOp op, size_t number, size_t count);
  LogicalResult writeProgram(planir::ProgramOp op, plan::ProgramT &program);
  std::unique_ptr<plan::TensorT> tensorOf(planir::TensorAttr attr,
                                          Location loc);
  LogicalResult writeInstruction(planir::InstructionInterface op,
                                 plan::ProgramT &program);
  LogicalResult writeLaunch(planir::LaunchOp op, plan::OpUnion &to);
  void writeGemm(planir::GemmOp op, plan::OpUnion &to);
  void writeStart(planir::CollectiveStartOp op, plan::OpUnion &to);
  void writeWait(planir::WaitOp op, plan::OpUnion &to);
  void writeLoopBegin(planir::LoopBeginOp op, plan::OpUnion &to,
                      const plan::ProgramT &program);
  void writeLoopEnd(planir::LoopEndOp op, plan::OpUnion &to,
                    const plan::ProgramT &program);
  std::vector<plan::AxisRef> axesOf(ArrayAttr axes);

  uint32_t locationOf(const std::string &text);
  std::vector<uint32_t> numbers(ValueRange buffers) {
    std::vector<uint32_t> list;
    for (Value buffer : buffers)
      list.push_back(bufferNumber.lookup(buffer));
    return list;
  }

  ModuleOp module;
  const PlanHeader &header;
  std::unique_ptr<plan::PlanT> result;
  llvm::StringMap<uint32_t> locations, kernels, axisNumber;
  uint32_t numLoops = 0;
  /// Instruction and iterations of the loops being written.
  SmallVector<std::pair<size_t, uint32_t>> openLoops;
  llvm::DenseMap<Value, uint32_t> bufferNumber, eventNumber;
  std::set<uint32_t> freeEvents; ///< none where turns mix starts and waits
  bool takesTurns = false;
  uint32_t numEvents = 0;

  std::vector<WrittenProgram> written;
};

uint32_t Serializer::locationOf(const std::string &text) {
  auto [at, isNew] = locations.insert({text, result->locations.size()});
  if (isNew)
    result->locations.push_back(text);
  return at->second;
}

std::vector<plan::AxisRef> Serializer::axesOf(ArrayAttr axes) {
  std::vector<plan::AxisRef> refs;
  for (auto axis : axes.getAsRange<planir::AxisRefAttr>())
    refs.push_back(plan::AxisRef(axisNumber.lookup(axis.getAxis().getValue()),
                                 axis.getPreSize(), axis.getSize()));
  return refs;
}

void Serializer::writeHeader(planir::ProgramOp program) {
  result->format_version = plan::formatVersion;
  result->partopt_version = header.partoptVersion;
  result->model = header.model;
  result->strategy = header.strategy;
  result->options_json = header.optionsJson;
  locationOf("unknown");
  uint32_t devices = 1;
  for (auto axis : program.getMesh().getAsRange<planir::AxisAttr>()) {
    auto entry = std::make_unique<plan::AxisT>();
    entry->name = axis.getName().str();
    entry->size = axis.getSize();
    entry->kind = static_cast<plan::AxisKind>(axis.getKind());
    if (axis.getKind() == planir::AxisKind::Space)
      devices *= axis.getSize();
    axisNumber[axis.getName()] = result->mesh.size();
    result->mesh.push_back(std::move(entry));
  }
  result->devices = devices;
  if (auto ids = program.getDeviceIds())
    result->device_ids.assign(ids->begin(), ids->end());
  result->rank_class = rankClasses(*result, program);
  auto entry = std::make_unique<plan::EntryT>();
  StringRef name = program.getSymName();
  entry->name =
      program.getPipelineRank() ? name.rsplit("_rank").first.str() : name.str();
  entry->loss_result = lossResultOf(module);
  result->entries.push_back(std::move(entry));
}

void Serializer::collectKernels(plan::RankClassT &rankClass) {
  rankClass.kernels = std::make_unique<plan::KernelObjectT>();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(kKernelAttr))
      continue;
    kernels[function.getSymName()] = rankClass.kernels->symbols.size();
    rankClass.kernels->symbols.push_back(function.getSymName().str());
  }
}

std::unique_ptr<plan::TensorT> Serializer::tensorOf(planir::TensorAttr attr,
                                                    Location loc) {
  auto tensor = std::make_unique<plan::TensorT>();
  tensor->name = attr.getName().str();
  tensor->index_name = attr.getIndex().str();
  tensor->type = elementTypeOf(attr.getLocal().getElementType());
  for (int64_t extent : attr.getGlobal().getShape())
    tensor->global_shape.push_back(extent);
  for (int64_t extent : attr.getLocal().getShape())
    tensor->local_shape.push_back(extent);
  if (std::optional<int64_t> first = attr.getFirstRow()) {
    tensor->first_row = *first;
    tensor->rows = attr.getLocal().getShape().front();
  }
  tensor->role = static_cast<plan::Role>(attr.getRole());
  tensor->int_bound = attr.getIntBound();
  tensor->loc = locationOf(locationText(loc));
  if (attr.getText())
    tensor->sharding_text = attr.getText().str();
  auto about = [&](StringRef key) {
    auto text =
        attr.getAbout() ? attr.getAbout().getAs<StringAttr>(key) : StringAttr();
    return text ? text.str() : std::string();
  };
  tensor->role_reason = about("role_reason");
  tensor->layer = about("layer");
  tensor->wrap_unit = about("wrap_unit");
  tensor->note = about("note");
  tensor->next_result_reason = about("next_result_reason");
  if (attr.getSharding()) {
    tensor->sharding = std::make_unique<plan::ShardingT>();
    for (auto dim : attr.getSharding().getAsRange<ArrayAttr>()) {
      tensor->sharding->dims.push_back(std::make_unique<plan::DimShardingT>());
      tensor->sharding->dims.back()->axes = axesOf(dim);
    }
  }
  return tensor;
}

LogicalResult Serializer::writeLaunch(planir::LaunchOp op, plan::OpUnion &to) {
  auto kernel = kernels.find(op.getKernel());
  if (kernel == kernels.end())
    return op.emitOpError() << "calls @" << op.getKernel()
                            << ", which is no function with partopt.kernel";
  plan::LaunchT launch;
  launch.kernel = kernel->second;
  launch.args = numbers(op.getInputs());
  for (uint32_t output : numbers(op.getOutputs()))
    launch.args.push_back(output);
  to.Set(std::move(launch));
  return success();
}

void Serializer::writeGemm(planir::GemmOp op, plan::OpUnion &to) {
  plan::GemmT gemm = serializeGemm(op);
  gemm.a = bufferNumber.lookup(op.getA());
  gemm.b = bufferNumber.lookup(op.getB());
  gemm.c = bufferNumber.lookup(op.getC());
  to.Set(gemm);
}

/// An event is free again after its wait, so that a program needs only as many
/// as it has collectives in flight.
void Serializer::writeStart(planir::CollectiveStartOp op, plan::OpUnion &to) {
  plan::CollectiveStartT start;
  start.id = op.getId();
  start.kind = static_cast<plan::CollectiveKind>(op.getKind());
  start.combiner = static_cast<plan::Combiner>(op.getCombiner());
  start.type = elementTypeOf(op.getType());
  start.axes = axesOf(op.getAxes());
  start.operands = numbers(op.getInputs());
  start.results = numbers(op.getOutputs());
  start.counts.assign(op.getCounts().begin(), op.getCounts().end());
  if (auto permutation = op.getPermutation())
    start.permutation.assign(permutation->begin(), permutation->end());
  start.root = op.getRoot().value_or(0);
  start.trip_count = 1;
  for (auto [begin, trips] : openLoops)
    start.trip_count *= trips;
  start.stream = op.getStream();
  if (op.getScratch())
    start.scratch = bufferNumber.lookup(op.getScratch());
  if (auto why = op.getWhy())
    start.why = why->str();
  if (auto unit = op->getAttrOfType<StringAttr>(kWrapUnitAttr))
    start.unit = unit.str();
  // Waited for at once, it overlaps with nothing, unless other turns are
  // between.
  bool inTurns = takesTurns && !openLoops.empty();
  start.async = inTurns || !isa<planir::WaitOp>(op->getNextNode());
  if (freeEvents.empty())
    freeEvents.insert(numEvents++);
  start.event = *freeEvents.begin();
  freeEvents.erase(freeEvents.begin());
  eventNumber[op.getEvent()] = start.event;
  to.Set(std::move(start));
}

void Serializer::writeWait(planir::WaitOp op, plan::OpUnion &to) {
  plan::WaitT wait;
  wait.event = eventNumber.lookup(op.getEvent());
  if (!takesTurns)
    freeEvents.insert(wait.event);
  to.Set(wait);
}

void Serializer::writeLoopBegin(planir::LoopBeginOp op, plan::OpUnion &to,
                                const plan::ProgramT &program) {
  plan::LoopBeginT begin;
  begin.id = numLoops++;
  begin.axis = axisNumber.lookup(op.getAxis());
  begin.trips = op.getTrips();
  begin.index = bufferNumber.lookup(op.getIndex());
  begin.inits = numbers(op.getInits());
  begin.carried = numbers(op.getCarried());
  to.Set(std::move(begin));
  openLoops.push_back({program.instructions.size(), op.getTrips()});
}

void Serializer::writeLoopEnd(planir::LoopEndOp op, plan::OpUnion &to,
                              const plan::ProgramT &program) {
  plan::LoopEndT end;
  size_t begin = openLoops.pop_back_val().first;
  end.begin = begin;
  end.nexts = numbers(op.getNexts());
  end.carried = numbers(op.getCarried());
  to.Set(std::move(end));
  program.instructions[begin]->op.AsLoopBegin()->end =
      program.instructions.size();
}

LogicalResult Serializer::writeInstruction(planir::InstructionInterface op,
                                           plan::ProgramT &program) {
  auto instruction = std::make_unique<plan::InstructionT>();
  plan::OpUnion &to = instruction->op;
  if (auto launch = dyn_cast<planir::LaunchOp>(*op)) {
    if (failed(writeLaunch(launch, to)))
      return failure();
  } else if (auto gemm = dyn_cast<planir::GemmOp>(*op)) {
    writeGemm(gemm, to);
  } else if (auto copy = dyn_cast<planir::CopyOp>(*op)) {
    plan::CopyT copyOp;
    copyOp.source = bufferNumber.lookup(copy.getSource());
    copyOp.target = bufferNumber.lookup(copy.getTarget());
    to.Set(copyOp);
  } else if (auto axisIndex = dyn_cast<planir::AxisIndexOp>(*op)) {
    plan::AxisIndexT indexOp;
    indexOp.axes = axesOf(axisIndex.getAxes());
    indexOp.target = bufferNumber.lookup(axisIndex.getTarget());
    to.Set(std::move(indexOp));
  } else if (auto start = dyn_cast<planir::CollectiveStartOp>(*op)) {
    writeStart(start, to);
  } else if (auto begin = dyn_cast<planir::LoopBeginOp>(*op)) {
    writeLoopBegin(begin, to, program);
  } else if (auto end = dyn_cast<planir::LoopEndOp>(*op)) {
    writeLoopEnd(end, to, program);
  } else {
    writeWait(cast<planir::WaitOp>(*op), to);
  }
  instruction->reads = numbers(op.getReadBuffers());
  instruction->writes = numbers(op.getWrittenBuffers());
  instruction->loc = locationOf(locationText(op->getLoc()));
  describe(op, *instruction);
  written.back().ops.push_back(op);
  program.instructions.push_back(std::move(instruction));
  return success();
}

LogicalResult Serializer::writeProgram(planir::ProgramOp op,
                                       plan::ProgramT &program) {
  program.resident_bytes = op.getResidentBytes();
  program.arena_bytes = op.getArenaBytes();
  program.peak_bytes = op.getPeakBytes();
  program.num_streams = op.getStreams();
  for (auto buffer : op.getBody().getOps<planir::BufferOp>()) {
    bufferNumber[buffer] = program.buffers.size();
    program.buffers.push_back(serializeBuffer(buffer));
  }
  auto ret = cast<planir::ReturnOp>(op.getBody().front().getTerminator());
  for (auto [value, attr] : llvm::zip(ret.getArguments(), op.getArguments())) {
    auto argument = std::make_unique<plan::ArgumentT>();
    argument->tensor = tensorOf(cast<planir::TensorAttr>(attr), value.getLoc());
    argument->buffer = bufferNumber.lookup(value);
    program.arguments.push_back(std::move(argument));
  }
  for (auto [value, attr, alias] :
       llvm::zip(ret.getResults(), op.getResults(), ret.getAliases())) {
    auto entry = std::make_unique<plan::ResultT>();
    entry->tensor = tensorOf(cast<planir::TensorAttr>(attr), value.getLoc());
    entry->buffer = bufferNumber.lookup(value);
    entry->alias = alias;
    program.results.push_back(std::move(entry));
  }
  for (auto instruction : op.getBody().getOps<planir::InstructionInterface>())
    if (failed(writeInstruction(instruction, program)))
      return failure();
  program.num_events = numEvents;
  program.turns = turnsOf(op, program);
  return success();
}

LogicalResult Serializer::writeClass(planir::ProgramOp op, size_t number,
                                     size_t count) {
  auto rankClass = std::make_unique<plan::RankClassT>();
  rankClass->name = count == 1 ? "all" : "stage rank " + std::to_string(number);
  if (number == 0)
    collectKernels(*rankClass);
  auto program = std::make_unique<plan::ProgramT>();
  bufferNumber.clear();
  eventNumber.clear();
  freeEvents.clear();
  numEvents = numLoops = 0;
  takesTurns = op.getTurns().has_value();
  written.push_back({op, program.get(), {}, {}, 0});
  if (failed(writeProgram(op, *program)))
    return failure();
  for (const auto &argument : program->arguments)
    written.back().values.arguments.push_back(
        plan::argumentNumber(*argument->tensor));
  rankClass->programs.push_back(std::move(program));
  result->classes.push_back(std::move(rankClass));
  return success();
}

FailureOr<std::unique_ptr<plan::PlanT>> Serializer::run() {
  auto programs = llvm::to_vector(module.getOps<planir::ProgramOp>());
  bool isPipeline = !programs.empty() && programs.front().getPipelineRank();
  if (programs.empty() || (programs.size() != 1 && !isPipeline))
    return module.emitError()
           << "needs exactly one plan.program to become a plan file, has "
           << programs.size();
  llvm::sort(programs, [](planir::ProgramOp a, planir::ProgramOp b) {
    return a.getPipelineRank().value_or(0) < b.getPipelineRank().value_or(0);
  });
  writeHeader(programs.front());
  for (auto [i, program] : llvm::enumerate(programs))
    if (failed(writeClass(program, i, programs.size())))
      return failure();
  for (WrittenProgram &one : written)
    one.values.kernels = result->classes.front()->kernels.get();
  if (failed(numberValues(written)))
    return failure();
  auto locationNumber = [&](const std::string &text) {
    return locationOf(text);
  };
  result->warnings =
      serializeRemarks(module, "partopt.warnings", locationNumber);
  result->notes = serializeRemarks(module, "partopt.notes", locationNumber);
  result->layers = serializeLayers(module);
  result->mapping = serializeMapping(module, axisNumber);
  return std::move(result);
}

} // namespace

FailureOr<std::unique_ptr<plan::PlanT>>
partopt::serializePlan(ModuleOp module, const PlanHeader &header) {
  return Serializer(module, header).run();
}
