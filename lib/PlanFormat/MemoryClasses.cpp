//===- MemoryClasses.cpp - Memory of a program by its use -----------------===//
//
// See MemoryClasses.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/MemoryClasses.h"

#include "partopt/Plan/PlanFile.h"

#include <map>
#include <vector>

namespace partopt::plan {

/// Of all slots, each rounded up.
static uint64_t occupied(const BufferT &buffer) {
  uint64_t rounded =
      (buffer.bytes + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
  return rounded * buffer.slots;
}

void MemoryCount::hold(MemoryClass memoryClass, const BufferT &buffer) {
  held[static_cast<size_t>(memoryClass)] += buffer.bytes * buffer.slots;
  total += occupied(buffer);
}

void MemoryCount::release(MemoryClass memoryClass, const BufferT &buffer) {
  held[static_cast<size_t>(memoryClass)] -= buffer.bytes * buffer.slots;
  total -= occupied(buffer);
}

void MemoryCount::settle() {
  for (size_t i = 0; i < numMemoryClasses; ++i)
    peak[i] = std::max(peak[i], held[i]);
  if (total <= most)
    return;
  most = total;
  atPeak = held;
}

const char *memoryClassName(MemoryClass memoryClass) {
  static const char *const names[] = {
      "other",     "parameters",     "optimizer_state", "inputs",
      "gradients", "gathered_units", "activations",     "staging"};
  size_t number = static_cast<size_t>(memoryClass);
  return number < numMemoryClasses ? names[number] : names[0];
}

MemoryClass memoryClassAt(const BufferT &buffer, uint32_t instruction) {
  MemoryClass memoryClass = MemoryClass::Other;
  for (const Held &held : buffer.holds)
    if (held.first() <= instruction)
      memoryClass = held.memory_class();
  return memoryClass;
}

namespace {

/// A buffer comes alive as a class, or ends to be of it.
struct Change {
  MemoryClass memoryClass;
  const BufferT *buffer;
  bool isHeld;

  void apply(MemoryCount &count) const {
    if (isHeld)
      count.hold(memoryClass, *buffer);
    else
      count.release(memoryClass, *buffer);
  }
};

} // namespace

/// By instruction.
static std::map<uint64_t, std::vector<Change>>
changesOf(const ProgramT &program) {
  std::map<uint64_t, std::vector<Change>> changes;
  std::vector<bool> isArgument(program.buffers.size());
  for (const auto &argument : program.arguments)
    isArgument[argument->buffer] = true;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferT &buffer = *program.buffers[i];
    MemoryClass last = memoryClassAt(buffer, buffer.first);
    changes[buffer.first].push_back({last, &buffer, true});
    for (const Held &held : buffer.holds) {
      if (held.first() <= buffer.first)
        continue;
      changes[held.first()].push_back({last, &buffer, false});
      last = held.memory_class();
      changes[held.first()].push_back({last, &buffer, true});
    }
    if (!isArgument[i])
      changes[uint64_t(buffer.last) + 1].push_back({last, &buffer, false});
  }
  return changes;
}

MemoryCount countMemory(const ProgramT &program) {
  MemoryCount count;
  for (const auto &[instruction, list] : changesOf(program)) {
    for (const Change &change : list)
      change.apply(count);
    count.settle();
  }
  return count;
}

std::vector<ClassBytes> memoryAlong(const ProgramT &program) {
  std::vector<ClassBytes> along(program.instructions.size());
  std::map<uint64_t, std::vector<Change>> changes = changesOf(program);
  MemoryCount count;
  auto next = changes.begin();
  for (size_t i = 0; i < along.size(); ++i) {
    for (; next != changes.end() && next->first <= i; ++next)
      for (const Change &change : next->second)
        change.apply(count);
    along[i] = count.now();
  }
  return along;
}

} // namespace partopt::plan
