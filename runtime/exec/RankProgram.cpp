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

/// The addresses of a program's buffers in the turn of one iteration.
struct Addresses {
  const plan::ProgramT &program;
  const RankMemory &memory;
  uint32_t slot = 0;

  uint8_t *at(uint32_t buffer) const {
    return memory.at(*program.buffers[buffer], slot);
  }
  /// What a loop moves; nothing where a value stays in its buffer.
  std::vector<MemoryCopy> copies(const std::vector<uint32_t> &sources,
                                 const std::vector<uint32_t> &targets) const {
    std::vector<MemoryCopy> list;
    for (size_t i = 0; i < targets.size(); ++i)
      if (sources[i] != targets[i])
        list.push_back({at(targets[i]), at(sources[i]),
                        program.buffers[targets[i]]->bytes});
    return list;
  }
  void fill(ResolvedInstruction &resolved) const;
  void fill(CollectiveCall &call) const;
};

void Addresses::fill(ResolvedInstruction &resolved) const {
  const plan::OpUnion &op = resolved.source->op;
  if (const auto *launch = op.AsLaunch()) {
    resolved.args.clear();
    for (uint32_t buffer : launch->args)
      resolved.args.push_back(at(buffer));
  } else if (const auto *gemm = op.AsGemm()) {
    resolved.gemm = {gemm, at(gemm->a), at(gemm->b), at(gemm->c)};
  } else if (const auto *copy = op.AsCopy()) {
    resolved.copy = {at(copy->target), at(copy->source),
                     program.buffers[copy->target]->bytes};
  } else if (const auto *axis = op.AsAxisIndex()) {
    resolved.copy.target = at(axis->target);
  } else if (const auto *begin = op.AsLoopBegin()) {
    resolved.copy.target = at(begin->index);
    resolved.carried = copies(begin->inits, begin->carried);
  } else if (const auto *end = op.AsLoopEnd()) {
    resolved.carried = copies(end->nexts, end->carried);
  }
}

void Addresses::fill(CollectiveCall &call) const {
  call.operands.clear();
  call.results.clear();
  for (uint32_t buffer : call.op->operands)
    call.operands.push_back(at(buffer));
  for (uint32_t buffer : call.op->results)
    call.results.push_back(at(buffer));
}

class Resolver {
public:
  Resolver(const plan::ProgramT &program, const plan::MeshMath &mesh,
           uint32_t rank, const RankMemory &memory)
      : program(program), mesh(mesh), rank(rank), addresses{program, memory} {}

  RankProgram run();

private:
  ResolvedInstruction resolve(size_t index) const;
  bool hasSlots(const plan::InstructionT &instruction) const;
  std::unique_ptr<ResolvedCollective>
  resolveCollective(size_t index, const plan::CollectiveStartT &op) const;

  const plan::ProgramT &program;
  const plan::MeshMath &mesh;
  uint32_t rank;
  Addresses addresses;
};

bool Resolver::hasSlots(const plan::InstructionT &instruction) const {
  bool several = false;
  for (const std::vector<uint32_t> *list :
       {&instruction.reads, &instruction.writes})
    for (uint32_t buffer : *list)
      several |= program.buffers[buffer]->slots > 1;
  return several;
}

std::unique_ptr<ResolvedCollective>
Resolver::resolveCollective(size_t index,
                            const plan::CollectiveStartT &op) const {
  auto resolved = std::make_unique<ResolvedCollective>();
  CollectiveCall &call = resolved->call;
  call.op = &op;
  call.members = mesh.groupMembers(rank, op.axes);
  call.member = static_cast<uint32_t>(mesh.groupIndex(rank, op.axes));
  addresses.fill(call);
  uint64_t n = call.members.size();
  resolved->instruction = program.instructions[index].get();
  resolved->hasSlots = hasSlots(*resolved->instruction);
  resolved->index = static_cast<uint32_t>(index);
  resolved->payloadBytes = plan::payloadBytes(op, n);
  resolved->wireBytes = plan::wireBytesSent(op, n, call.member);
  if (index + 1 < program.instructions.size())
    if (const auto *wait = program.instructions[index + 1]->op.AsWait())
      resolved->waitsAtOnce = wait->event == op.event;
  return resolved;
}

ResolvedInstruction Resolver::resolve(size_t index) const {
  ResolvedInstruction resolved;
  resolved.source = program.instructions[index].get();
  resolved.hasSlots = hasSlots(*resolved.source);
  addresses.fill(resolved);
  const plan::OpUnion &op = resolved.source->op;
  if (const auto *axis = op.AsAxisIndex())
    resolved.axisIndex =
        static_cast<int32_t>(mesh.groupIndex(rank, axis->axes));
  else if (const auto *start = op.AsCollectiveStart())
    resolved.collective = resolveCollective(index, *start);
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
    uint8_t *target = addresses.at(program.arguments[result->alias]->buffer);
    const uint8_t *source = addresses.at(result->buffer);
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

void chooseSlots(ResolvedInstruction &instruction,
                 const plan::ProgramT &program, const RankMemory &memory,
                 uint32_t slot) {
  if (instruction.hasSlots)
    Addresses{program, memory, slot}.fill(instruction);
}

CollectiveCall callInSlot(const ResolvedCollective &collective,
                          const plan::ProgramT &program,
                          const RankMemory &memory, uint32_t slot) {
  CollectiveCall call = collective.call;
  if (collective.hasSlots)
    Addresses{program, memory, slot}.fill(call);
  return call;
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
