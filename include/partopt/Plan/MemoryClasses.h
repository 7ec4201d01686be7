//===- MemoryClasses.h - Memory of a program by its use ---------*- C++ -*-===//
//
// What the plan says that each buffer is used for, added up along the program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_MEMORYCLASSES_H
#define PARTOPT_PLAN_MEMORYCLASSES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <array>
#include <vector>

namespace partopt::plan {

constexpr size_t numMemoryClasses = static_cast<size_t>(MemoryClass::MAX) + 1;
/// Bytes by class, buffers as large as their contents.
using ClassBytes = std::array<uint64_t, numMemoryClasses>;

/// Counts buffers as they come alive and die.
class MemoryCount {
public:
  /// With all its slots.
  void hold(MemoryClass memoryClass, const BufferT &buffer);
  void release(MemoryClass memoryClass, const BufferT &buffer);
  /// Ends an instant: the peaks take what is held.
  void settle();
  const ClassBytes &now() const { return held; }

  ClassBytes peak{};   ///< of each class by itself
  ClassBytes atPeak{}; ///< when all together are most
  uint64_t most = 0;   ///< all together, with each buffer rounded up

private:
  ClassBytes held{};
  uint64_t total = 0;
};

/// "gradients", for reports.
const char *memoryClassName(MemoryClass memoryClass);

/// From the lifetimes in the plan.
MemoryCount countMemory(const ProgramT &program);

/// The same along the program: what is held at each instruction.
std::vector<ClassBytes> memoryAlong(const ProgramT &program);

/// The class of `buffer` at `instruction`, within its lifetime.
MemoryClass memoryClassAt(const BufferT &buffer, uint32_t instruction);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_MEMORYCLASSES_H
