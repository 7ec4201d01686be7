//===- ComputeModel.cpp - How long a modelled device computes -------------===//
//
// See ComputeModel.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/ComputeModel.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Simulate/Quantities.h"

#include <algorithm>

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
  switch (instruction.op.type) {
  case plan::Op::Launch:
  case plan::Op::Gemm:
  case plan::Op::Copy:
    return {static_cast<double>(instruction.flops),
            bytesOf(program, instruction.reads) +
                bytesOf(program, instruction.writes)};
  default:
    return {};
  }
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
  if (const auto *begin = instruction.op.AsLoopBegin())
    return {0, copied(program, begin->inits, begin->carried)};
  if (const auto *end = instruction.op.AsLoopEnd())
    return {0, copied(program, end->nexts, end->carried)};
  return {};
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

std::string ComputeModel::parse(const std::string &text) {
  const std::string form =
      "write FLOPS,BYTES or FLOPS,BYTES,OVERHEAD of the modelled device, e.g. "
      "2GFLOP/s,1GB/s,10us";
  std::vector<std::string> parts = splitText(text, ',');
  if (parts.size() != 2 && parts.size() != 3)
    return "'" + text + "' is no speed of a device; " + form;
  std::optional<double> flops = parseFlopRate(parts[0]);
  if (!flops)
    return "'" + parts[0] +
           "' is no rate of arithmetic (units FLOP/s, MFLOP/s, GFLOP/s, "
           "TFLOP/s); " +
           form;
  std::optional<double> bytes = parseByteRate(parts[1]);
  if (!bytes)
    return "'" + parts[1] +
           "' is no memory bandwidth (units B/s, KB/s, MB/s, GB/s, TB/s); " +
           form;
  std::optional<double> each = parts.size() == 3 ? parseTime(parts[2]) : 0.0;
  if (!each)
    return "'" + parts[2] + "' is no overhead (units s, ms, us, ns); " + form;
  *this = {*flops, *bytes, *each};
  return "";
}

double ComputeModel::seconds(const Work &work) const {
  if (empty() || (work.flops == 0 && work.bytes == 0))
    return 0;
  return overhead +
         std::max(work.flops / flopsPerSecond, work.bytes / bytesPerSecond);
}

} // namespace partopt::simulate
