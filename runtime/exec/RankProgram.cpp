//===- RankProgram.cpp - A program with its addresses filled in -----------===//
//
// See RankProgram.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/RankProgram.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"

namespace partopt::rt {

namespace {

class Resolver {
public:
  Resolver(const plan::ProgramT &program, const plan::MeshMath &mesh,
           uint32_t rank, const RankMemory &memory)
      : program(program), mesh(mesh), rank(rank), memory(memory) {}

  RankProgram run();

private:
  uint8_t *at(uint32_t buffer) const {
    return memory.at(*program.buffers[buffer]);
  }
  ResolvedInstruction resolve(size_t index) const;
  std::vector<MemoryCopy> copies(const std::vector<uint32_t> &sources,
                                 const std::vector<uint32_t> &targets) const;
  std::unique_ptr<ResolvedCollective>
  resolveCollective(size_t index, const plan::CollectiveStartT &op) const;

  const plan::ProgramT &program;
  const plan::MeshMath &mesh;
  uint32_t rank;
  const RankMemory &memory;
};

std::unique_ptr<ResolvedCollective>
Resolver::resolveCollective(size_t index,
                            const plan::CollectiveStartT &op) const {
  auto resolved = std::make_unique<ResolvedCollective>();
  CollectiveCall &call = resolved->call;
  call.op = &op;
  call.members = mesh.groupMembers(rank, op.axes);
  call.member = static_cast<uint32_t>(mesh.groupIndex(rank, op.axes));
  for (uint32_t buffer : op.operands)
    call.operands.push_back(at(buffer));
  for (uint32_t buffer : op.results)
    call.results.push_back(at(buffer));
  uint64_t n = call.members.size();
  resolved->instruction = program.instructions[index].get();
  resolved->index = static_cast<uint32_t>(index);
  resolved->payloadBytes = plan::payloadBytes(op, n);
  resolved->wireBytes = plan::wireBytesSent(op, n, call.member);
  if (index + 1 < program.instructions.size())
    if (const auto *wait = program.instructions[index + 1]->op.AsWait())
      resolved->waitsAtOnce = wait->event == op.event;
  return resolved;
}

/// What a loop moves; nothing where a value stays in its buffer.
std::vector<MemoryCopy>
Resolver::copies(const std::vector<uint32_t> &sources,
                 const std::vector<uint32_t> &targets) const {
  std::vector<MemoryCopy> list;
  for (size_t i = 0; i < targets.size(); ++i)
    if (sources[i] != targets[i])
      list.push_back(
          {at(targets[i]), at(sources[i]), program.buffers[targets[i]]->bytes});
  return list;
}

ResolvedInstruction Resolver::resolve(size_t index) const {
  ResolvedInstruction resolved;
  resolved.source = program.instructions[index].get();
  const plan::OpUnion &op = resolved.source->op;
  if (const auto *launch = op.AsLaunch()) {
    for (uint32_t buffer : launch->args)
      resolved.args.push_back(at(buffer));
  } else if (const auto *gemm = op.AsGemm()) {
    resolved.gemm = {gemm, at(gemm->a), at(gemm->b), at(gemm->c)};
  } else if (const auto *copy = op.AsCopy()) {
    resolved.copy = {at(copy->target), at(copy->source),
                     program.buffers[copy->target]->bytes};
  } else if (const auto *axis = op.AsAxisIndex()) {
    resolved.axisIndex =
        static_cast<int32_t>(mesh.groupIndex(rank, axis->axes));
    resolved.copy.target = at(axis->target);
  } else if (const auto *start = op.AsCollectiveStart()) {
    resolved.collective = resolveCollective(index, *start);
  } else if (const auto *begin = op.AsLoopBegin()) {
    resolved.copy.target = at(begin->index);
    resolved.carried = copies(begin->inits, begin->carried);
  } else if (const auto *end = op.AsLoopEnd()) {
    resolved.carried = copies(end->nexts, end->carried);
  }
  return resolved;
}

RankProgram Resolver::run() {
  RankProgram resolved;
  resolved.program = &program;
  for (size_t i = 0; i < program.instructions.size(); ++i)
    resolved.instructions.push_back(resolve(i));
  for (const auto &result : program.results) {
    if (result->alias < 0)
      continue;
    uint8_t *target = at(program.arguments[result->alias]->buffer);
    const uint8_t *source = at(result->buffer);
    const plan::TensorT &tensor = *result->tensor;
    if (target != source)
      resolved.feedBack.push_back({target, source,
                                   plan::elementCount(tensor.local_shape) *
                                       plan::elementSize(tensor.type)});
  }
  return resolved;
}

} // namespace

RankProgram resolveProgram(const plan::ProgramT &program,
                           const plan::MeshMath &mesh, uint32_t rank,
                           const RankMemory &memory) {
  return Resolver(program, mesh, rank, memory).run();
}

void modelTimes(RankProgram &resolved, const simulate::ComputeModel &model) {
  const plan::ProgramT &program = *resolved.program;
  for (ResolvedInstruction &instruction : resolved.instructions)
    instruction.modelledSeconds =
        model.seconds(simulate::workOf(program, *instruction.source)) +
        model.seconds(simulate::loopWork(program, *instruction.source));
  resolved.feedBackSeconds = model.seconds(simulate::feedBackWork(program));
}

} // namespace partopt::rt
