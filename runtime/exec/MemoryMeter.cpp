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
  for (uint32_t i = 0; i < opened.buffers.size(); ++i) {
    const plan::BufferT &buffer = *opened.buffers[i];
    bool isKept = opened.turns && buffer.first <= opened.turns->first &&
                  buffer.last >= opened.turns->last;
    if (isArgument[i])
      continue;
    if (isKept)
      kept.push_back(i);
    if (isKept && buffer.last == opened.turns->last)
      continue; // not before all turns have ended
    if (buffer.last < ending.size())
      ending[buffer.last].push_back(i);
  }
}

void MemoryMeter::hold(uint32_t buffer, uint32_t instruction) {
  plan::MemoryClass is =
      plan::memoryClassAt(*program->buffers[buffer], instruction);
  if (!isHeld[buffer] || classes[buffer] != is)
    change(buffer, is);
}

void MemoryMeter::change(uint32_t buffer, plan::MemoryClass to) {
  release(buffer);
  count.hold(to, *program->buffers[buffer]);
  isHeld[buffer] = true;
  classes[buffer] = to;
}

void MemoryMeter::release(uint32_t buffer) {
  if (isHeld[buffer])
    count.release(classes[buffer], *program->buffers[buffer]);
  isHeld[buffer] = false;
}

bool MemoryMeter::isTurn(uint32_t instruction) const {
  return program->turns && instruction >= program->turns->first &&
         instruction <= program->turns->last;
}

void MemoryMeter::beginTurns() {
  inTurns = true;
  for (uint32_t buffer : kept)
    hold(buffer, program->turns->first);
}

void MemoryMeter::endTurns() {
  inTurns = false;
  for (uint32_t buffer : kept)
    if (program->buffers[buffer]->last == program->turns->last)
      release(buffer);
}

void MemoryMeter::begin(uint32_t instruction) {
  if (isTurn(instruction) != inTurns)
    inTurns ? endTurns() : beginTurns();
  for (uint32_t buffer : program->instructions[instruction]->writes)
    hold(buffer, instruction);
  count.settle();
}

void MemoryMeter::end(uint32_t instruction) {
  for (uint32_t buffer : ending[instruction])
    release(buffer);
}

void MemoryMeter::finish() {
  if (inTurns)
    endTurns();
}

} // namespace partopt::rt
