//===- TestPlan.cpp - Plans written by hand for unit tests -------------===//
//
// See TestPlan.h.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"
#include "RefitProgram.h"

#include "partopt/Plan/Dataflow.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"

#include <algorithm>

namespace partopt::test {

using namespace plan;

TestPlan::TestPlan(const std::vector<std::pair<std::string, uint32_t>> &mesh)
    : result_(std::make_unique<PlanT>()) {
  PlanT &plan = *result_;
  plan.format_version = formatVersion;
  plan.model = "test";
  plan.strategy = "none";
  plan.devices = 1;
  for (const auto &[name, size] : mesh) {
    auto axis = std::make_unique<AxisT>();
    axis->name = name;
    axis->size = size;
    plan.devices *= size;
    plan.mesh.push_back(std::move(axis));
  }
  plan.locations = {"unknown", "\"step.py\":7:3"};
  plan.rank_class.assign(plan.devices, 0);
  auto entry = std::make_unique<EntryT>();
  entry->name = "main";
  plan.entries.push_back(std::move(entry));
  addClass("all");
}

void TestPlan::addClass(const std::string &name) {
  auto rankClass = std::make_unique<RankClassT>();
  rankClass->name = name;
  rankClass->programs.push_back(std::make_unique<ProgramT>());
  rankClass->programs[0]->num_streams = 1;
  result_->classes.push_back(std::move(rankClass));
}

AxisRef TestPlan::axis(const std::string &name) const {
  for (size_t i = 0; i < result_->mesh.size(); ++i)
    if (result_->mesh[i]->name == name)
      return AxisRef(static_cast<uint16_t>(i), 1, result_->mesh[i]->size);
  return AxisRef(999, 1, 1);
}

uint32_t TestPlan::buffer(uint64_t bytes, Space space) {
  auto buffer = std::make_unique<BufferT>();
  buffer->space = space;
  buffer->bytes = bytes;
  program().buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(program().buffers.size() - 1);
}

std::unique_ptr<TensorT>
TestPlan::tensor(const std::string &name, const std::string &indexName,
                 const Shape &shape, const DimAxes &axes, ElementType type) {
  auto tensor = std::make_unique<TensorT>();
  tensor->name = name;
  tensor->index_name = indexName;
  tensor->type = type;
  tensor->global_shape = shape;
  tensor->loc = 1;
  tensor->sharding = std::make_unique<ShardingT>();
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    auto sharding = std::make_unique<DimShardingT>();
    if (dim < axes.size())
      sharding->axes = axes[dim];
    tensor->sharding->dims.push_back(std::move(sharding));
  }
  MeshMath mesh(*result_);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    tensor->local_shape.push_back(mesh.localExtent(*tensor, dim));
  return tensor;
}

uint32_t TestPlan::argument(const std::string &name, const Shape &shape,
                            const DimAxes &axes, ElementType type, Role role) {
  auto argument = std::make_unique<ArgumentT>();
  std::string index = "arg" + std::to_string(program().arguments.size());
  argument->tensor = tensor(name, index, shape, axes, type);
  argument->tensor->role = role;
  argument->buffer =
      buffer(elementCount(argument->tensor->local_shape) * elementSize(type),
             Space::Resident);
  program().arguments.push_back(std::move(argument));
  return program().arguments.back()->buffer;
}

void TestPlan::result(const std::string &name, uint32_t buffer,
                      const Shape &shape, const DimAxes &axes, int alias,
                      ElementType type) {
  auto result = std::make_unique<ResultT>();
  std::string index = "out" + std::to_string(program().results.size());
  result->tensor = tensor(name, index, shape, axes, type);
  result->buffer = buffer;
  result->alias = alias;
  program().results.push_back(std::move(result));
}

InstructionT &TestPlan::add(std::vector<uint32_t> reads,
                            std::vector<uint32_t> writes,
                            const std::string &label) {
  auto instruction = std::make_unique<InstructionT>();
  instruction->reads = std::move(reads);
  instruction->writes = std::move(writes);
  instruction->label = label;
  instruction->loc = 1;
  program().instructions.push_back(std::move(instruction));
  return *program().instructions.back();
}

InstructionT &TestPlan::launch(uint32_t kernel, std::vector<uint32_t> reads,
                               std::vector<uint32_t> writes) {
  LaunchT op;
  op.kernel = kernel;
  op.args = reads;
  op.args.insert(op.args.end(), writes.begin(), writes.end());
  InstructionT &instruction = add(reads, writes, "kernel");
  instruction.op.Set(std::move(op));
  return instruction;
}

InstructionT &TestPlan::gemm(uint32_t a, uint32_t b, uint32_t c, uint64_t m,
                             uint64_t n, uint64_t k) {
  GemmT op;
  op.type = ElementType::F32;
  op.a = a;
  op.b = b;
  op.c = c;
  op.m = m;
  op.n = op.ldb = op.ldc = n;
  op.k = op.lda = k;
  InstructionT &instruction = add({a, b}, {c}, "dot");
  instruction.op.Set(op);
  return instruction;
}

InstructionT &TestPlan::copy(uint32_t source, uint32_t target) {
  CopyT op;
  op.source = source;
  op.target = target;
  InstructionT &instruction = add({source}, {target}, "copy");
  instruction.op.Set(op);
  return instruction;
}

InstructionT &TestPlan::axisIndex(AxisList axes, uint32_t target) {
  AxisIndexT op;
  op.axes = std::move(axes);
  op.target = target;
  InstructionT &instruction = add({}, {target}, "axis_index");
  instruction.op.Set(std::move(op));
  return instruction;
}

CollectiveStartT &TestPlan::start(CollectiveKind kind, AxisList axes,
                                  std::vector<uint32_t> operands,
                                  std::vector<uint32_t> results,
                                  std::vector<uint64_t> counts,
                                  Combiner combiner, ElementType type,
                                  uint16_t stream) {
  CollectiveStartT op;
  op.kind = kind;
  op.axes = std::move(axes);
  op.operands = operands;
  op.results = results;
  op.counts = std::move(counts);
  op.combiner = combiner;
  op.type = type;
  op.stream = stream;
  op.id = op.event = program().num_events++;
  program().num_streams = std::max<uint16_t>(program().num_streams, stream + 1);
  InstructionT &instruction = add(operands, results, "collective");
  instruction.op.Set(std::move(op));
  return *instruction.op.AsCollectiveStart();
}

void TestPlan::wait(uint32_t event) {
  WaitT op;
  op.event = event;
  add({}, {}, "wait").op.Set(op);
}

uint32_t TestPlan::send(const AxisList &axes, uint32_t peer, uint32_t channel,
                        uint16_t stream, uint32_t buffer, uint64_t count,
                        uint32_t trips) {
  CollectiveStartT &op =
      start(CollectiveKind::Send, axes, {buffer}, {}, {count}, Combiner::None,
            ElementType::F32, stream);
  op.root = peer;
  op.id = channel;
  op.trip_count = trips;
  return op.event;
}

uint32_t TestPlan::receive(const AxisList &axes, uint32_t peer,
                           uint32_t channel, uint16_t stream, uint32_t buffer,
                           uint64_t count, uint32_t trips) {
  CollectiveStartT &op =
      start(CollectiveKind::Recv, axes, {}, {buffer}, {count}, Combiner::None,
            ElementType::F32, stream);
  op.root = peer;
  op.id = channel;
  op.trip_count = trips;
  return op.event;
}

void TestPlan::beginLoop(const std::string &axis, uint32_t index,
                         std::vector<uint32_t> inits,
                         std::vector<uint32_t> carried) {
  LoopBeginT op;
  for (const auto &instruction : program().instructions)
    op.id += instruction->op.AsLoopBegin() != nullptr;
  AxisRef over = this->axis(axis);
  op.axis = over.axis();
  op.trips = over.size();
  op.index = index;
  op.inits = inits;
  op.carried = carried;
  std::vector<uint32_t> writes = std::move(carried);
  writes.push_back(index);
  add(std::move(inits), std::move(writes), "loop").op.Set(std::move(op));
}

void TestPlan::endLoop(std::vector<uint32_t> nexts,
                       std::vector<uint32_t> carried) {
  LoopEndT op;
  op.nexts = nexts;
  op.carried = carried;
  add(std::move(nexts), std::move(carried), "loop").op.Set(std::move(op));
}

void recordDataflow(PlanT &plan) {
  for (size_t entry = 0; entry < plan.entries.size(); ++entry) {
    std::vector<ClassResults> results = resultNumbers(plan, entry);
    for (size_t i = 0; i < plan.classes.size(); ++i)
      for (auto &program : plan.classes[i]->programs)
        for (size_t j = 0;
             program->entry == entry && j < program->results.size(); ++j)
          program->results[j]->value = results[i].numbers[j];
  }
}

std::unique_ptr<PlanT> TestPlan::finish() {
  for (auto &rankClass : result_->classes) {
    ProgramT &program = *rankClass->programs[0];
    for (auto &buffer : program.buffers) {
      uint64_t &top = buffer->space == Space::Arena ? program.arena_bytes
                                                    : program.resident_bytes;
      buffer->offset = top;
      buffer->stride = (buffer->bytes + bufferAlignment - 1) / bufferAlignment *
                       bufferAlignment;
      top += buffer->stride * buffer->slots;
    }
    refitProgram(program);
  }
  recordDataflow(*result_);
  return std::move(result_);
}

} // namespace partopt::test
