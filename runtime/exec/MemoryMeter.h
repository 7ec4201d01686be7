//===- MemoryMeter.h - What a rank's memory holds, by use -----------------===//
//
// Arenas are static, so an allocation is the first write to a buffer that holds
// nothing, and a free is the end of the instruction after which the plan gives
// the range to others. Counted as the rank walks. What interleaved loops hand
// to each other is held, with all its slots, from the first turn to the last.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_MEMORYMETER_H
#define PARTOPT_RUNTIME_EXEC_MEMORYMETER_H

#include "partopt/Plan/MemoryClasses.h"

#include <vector>

namespace partopt::rt {

class MemoryMeter {
public:
  /// For the steps of one program.
  void open(const plan::ProgramT &program);
  /// The rank is about to run the instruction.
  void begin(uint32_t instruction);
  /// The rank goes on.
  void end(uint32_t instruction);
  /// The rank has ended its program.
  void finish();
  /// Of all steps so far.
  const plan::MemoryCount &counted() const { return count; }

private:
  /// As what the plan says that it holds from `instruction` on.
  void hold(uint32_t buffer, uint32_t instruction);
  void change(uint32_t buffer, plan::MemoryClass to);
  void release(uint32_t buffer);
  bool isTurn(uint32_t instruction) const;
  void beginTurns();
  void endTurns();

  const plan::ProgramT *program = nullptr;
  plan::MemoryCount count;
  std::vector<bool> isHeld;                  ///< by buffer
  std::vector<plan::MemoryClass> classes;    ///< by buffer, while it is held
  std::vector<std::vector<uint32_t>> ending; ///< by instruction
  std::vector<uint32_t> kept; ///< buffers that live through all turns
  bool inTurns = false;       ///< of interleaved loops
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_MEMORYMETER_H
