//===- MemoryMeter.cpp - What a rank's memory holds, by use ---------------===//
//
// See MemoryMeter.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/MemoryMeter.h"

namespace partopt::rt {

void MemoryMeter::open(const plan::ProgramT &opened) {
  program = &opened;
  isHeld.assign(opened.buffers.size(), false);
  classes.assign(opened.buffers.size(), plan::MemoryClass::Other);
  ending.assign(opened.instructions.size(), {});
  std::vector<bool> isArgument(opened.buffers.size());
  for (const auto &argument : opened.arguments) {
    isArgument[argument->buffer] = true;
    change(argument->buffer,
           plan::memoryClassAt(*opened.buffers[argument->buffer], 0));
  }
  count.settle();
  for (uint32_t i = 0; i < opened.buffers.size(); ++i)
    if (uint32_t last = opened.buffers[i]->last;
        !isArgument[i] && last < ending.size())
      ending[last].push_back(i);
}

void MemoryMeter::change(uint32_t buffer, plan::MemoryClass to) {
  uint64_t bytes = program->buffers[buffer]->bytes;
  if (isHeld[buffer])
    count.release(classes[buffer], bytes);
  count.hold(to, bytes);
  isHeld[buffer] = true;
  classes[buffer] = to;
}

void MemoryMeter::begin(uint32_t instruction) {
  for (uint32_t buffer : program->instructions[instruction]->writes) {
    const plan::BufferT &written = *program->buffers[buffer];
    plan::MemoryClass is = plan::memoryClassAt(written, instruction);
    if (!isHeld[buffer] || classes[buffer] != is)
      change(buffer, is);
  }
  count.settle();
}

void MemoryMeter::end(uint32_t instruction) {
  for (uint32_t buffer : ending[instruction])
    if (isHeld[buffer]) {
      count.release(classes[buffer], program->buffers[buffer]->bytes);
      isHeld[buffer] = false;
    }
}

} // namespace partopt::rt
