//===- Work.cpp - What an instruction does, as cost models count it -------===//
//
// See Work.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Work.h"

#include "partopt/Plan/ElementTypes.h"

namespace partopt::simulate {

static double bytesOf(const plan::ProgramT &program,
                      const std::vector<uint32_t> &buffers) {
  double bytes = 0;
  for (uint32_t buffer : buffers)
    bytes += static_cast<double>(program.buffers[buffer]->bytes);
  return bytes;
}

Work workOf(const plan::ProgramT &program,
            const plan::InstructionT &instruction) {
  Work work;
  bool computes = instruction.op.type == plan::Op::Launch ||
                  instruction.op.type == plan::Op::Gemm ||
                  instruction.op.type == plan::Op::Copy;
  if (!computes)
    return work;
  work.flops = static_cast<double>(instruction.flops);
  work.bytes = static_cast<double>(instruction.bytes);
  if (instruction.bytes == 0)
    work.bytes = bytesOf(program, instruction.reads) +
                 bytesOf(program, instruction.writes);
  work.functions = static_cast<double>(instruction.functions);
  work.contractions = static_cast<double>(instruction.contractions);
  work.shuffled = static_cast<double>(instruction.shuffled);
  work.product = instruction.op.AsGemm();
  return work;
}

/// Bytes of the buffers that are copied, read and written.
static double copied(const plan::ProgramT &program,
                     const std::vector<uint32_t> &sources,
                     const std::vector<uint32_t> &targets) {
  double bytes = 0;
  for (size_t i = 0; i < targets.size(); ++i)
    if (sources[i] != targets[i])
      bytes += 2 * static_cast<double>(program.buffers[targets[i]]->bytes);
  return bytes;
}

Work loopWork(const plan::ProgramT &program,
              const plan::InstructionT &instruction) {
  Work work;
  if (const auto *begin = instruction.op.AsLoopBegin())
    work.bytes = copied(program, begin->inits, begin->carried);
  if (const auto *end = instruction.op.AsLoopEnd())
    work.bytes = copied(program, end->nexts, end->carried);
  return work;
}

Work feedBackWork(const plan::ProgramT &program) {
  Work work;
  for (const auto &result : program.results)
    if (result->alias >= 0 &&
        program.arguments[result->alias]->buffer != result->buffer)
      work.bytes += 2 * static_cast<double>(
                            plan::elementCount(result->tensor->local_shape) *
                            plan::elementSize(result->tensor->type));
  return work;
}

} // namespace partopt::simulate
