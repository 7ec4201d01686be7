//===- RankProgram.h - A program with its addresses filled in -------------===//
//
// Memory is static, so every pointer, group and count that a rank needs is
// found once; a step is then a walk over this list.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_RANKPROGRAM_H
#define PARTOPT_RUNTIME_EXEC_RANKPROGRAM_H

#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFormat_generated.h"
#include "partopt/Plan/ProgramWalk.h"
#include "partopt/Simulate/ComputeModel.h"
#include "runtime/collectives/Collectives.h"
#include "runtime/hal/Driver.h"

#include <memory>
#include <vector>

namespace partopt::rt {

/// One rank's memory regions.
struct RankMemory {
  uint8_t *resident = nullptr;
  uint8_t *arena = nullptr;

  /// The buffer in the turn of iteration `slot`.
  uint8_t *at(const plan::BufferT &buffer, uint32_t slot = 0) const {
    return (buffer.space == plan::Space::Arena ? arena : resident) +
           plan::offsetAt(buffer, slot);
  }
};

struct MemoryCopy {
  uint8_t *target = nullptr;
  const uint8_t *source = nullptr;
  uint64_t bytes = 0;
};

/// A collective ready to run, shared with the communication thread.
struct ResolvedCollective {
  CollectiveCall call;
  const plan::InstructionT *instruction = nullptr;
  uint32_t index = 0;        ///< of the instruction
  uint64_t payloadBytes = 0; ///< as reports count it
  uint64_t wireBytes = 0;    ///< that this rank will send
  bool waitsAtOnce = false;  ///< the next instruction waits for it
  bool hasSlots = false;     ///< the addresses depend on the turn
};

struct ResolvedInstruction {
  const plan::InstructionT *source = nullptr;
  std::vector<void *> args;                       ///< Launch
  GemmCall gemm{};                                ///< Gemm
  MemoryCopy copy;                                ///< Copy
  int32_t axisIndex = 0;                          ///< AxisIndex
  std::unique_ptr<ResolvedCollective> collective; ///< CollectiveStart
  std::vector<MemoryCopy> carried;                ///< LoopBegin, LoopEnd
  double modelledSeconds = 0; ///< of compute, on a modelled device
  bool hasSlots = false;      ///< the addresses depend on the turn
};

struct RankProgram {
  const plan::ProgramT *program = nullptr;
  std::vector<ResolvedInstruction> instructions;
  /// After the step: results into the arguments that they take.
  std::vector<MemoryCopy> feedBack;
  double feedBackSeconds = 0; ///< on a modelled device
};

/// Resolves a verified program for `rank`.
RankProgram resolveProgram(const plan::ProgramT &program,
                           const plan::MeshMath &mesh, uint32_t rank,
                           const RankMemory &memory);

/// Sets the addresses of an instruction that has slots to those of the turn of
/// iteration `slot`.
void chooseSlots(ResolvedInstruction &instruction,
                 const plan::ProgramT &program, const RankMemory &memory,
                 uint32_t slot);

/// The same for a collective, which others may still be running: the call to
/// be made.
CollectiveCall callInSlot(const ResolvedCollective &collective,
                          const plan::ProgramT &program,
                          const RankMemory &memory, uint32_t slot);

/// Fills in the modelled seconds.
void modelTimes(RankProgram &program, const simulate::ComputeModel &model);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_RANKPROGRAM_H
