//===- ProgramWalk.h - The order in which a program runs ------------------===//
//
// Instruction by instruction, through loops and through the turns of
// interleaved ones (Interleave): what an executor, the verifier's play and a
// cost model walk along.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PROGRAMWALK_H
#define PARTOPT_PLAN_PROGRAMWALK_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace partopt::plan {

struct WalkStep {
  enum class Kind {
    Enter, ///< a LoopBegin, before its first iteration: inits are copied
    Run,   ///< the instruction; a LoopBegin at every iteration
    Post,  ///< a Recv that starts ahead of its turn
    Await  ///< a Send: until `count` of its runs in these turns are over
  };
  static constexpr uint32_t none = UINT32_MAX;

  Kind kind = Kind::Run;
  uint32_t instruction = 0;
  uint32_t iteration = 0; ///< of the innermost loop that runs
  uint32_t turn = none;   ///< the place in the order table
  uint32_t slot = 0;      ///< the turn's iteration, which chooses slots
  uint64_t count = 0;
};

/// Where the contents of `buffer` lie in the turn of iteration `slot`.
inline uint64_t offsetAt(const BufferT &buffer, uint32_t slot) {
  return buffer.slots <= 1
             ? buffer.offset
             : buffer.offset + slot % buffer.slots * buffer.stride;
}

/// "turn 7 (loop 1, iteration 3)"
std::string turnText(const ProgramT &program, uint32_t turn);

class ProgramWalk {
public:
  /// Of a program whose references, loops and turns are good.
  explicit ProgramWalk(const ProgramT &program);

  /// Takes the next step; false at the end.
  bool next(WalkStep &step);

private:
  struct OpenLoop {
    uint32_t begin = 0, iteration = 0;
  };
  struct Send {
    uint32_t instruction = 0;
    size_t firstSent = 0;              ///< in `sent`, of its operands
    uint64_t started = 0, awaited = 0; ///< runs in these turns
  };
  /// A buffer that a Send reads, and the last run that reads each slot.
  struct SentBuffer {
    size_t send = 0;
    uint32_t buffer = 0;
    std::vector<uint64_t> lastRun;
  };
  /// A loop of the turns.
  struct TurnLoop {
    uint32_t begin = 0;
    std::vector<uint32_t> receives; ///< instructions
    /// In `sent`: what it writes, and what its receives write.
    std::vector<uint32_t> overwrites, receivedOver;
  };

  const LoopBeginT *beginAt(uint32_t index) const {
    return program.instructions[index]->op.AsLoopBegin();
  }
  void scanLoop(const LoopBeginT &begin, uint32_t at);
  void findOverwrites();
  void push(WalkStep::Kind kind, uint32_t instruction);
  bool advance();
  void endIteration();
  void enterTurns();
  void beginTurn();
  void endTurn();
  void post(uint32_t ofTurn);
  void noteSend(uint32_t instruction);
  void await(size_t send, uint64_t count);
  void awaitReaders(const SentBuffer &buffer, uint32_t slot);

  const ProgramT &program;
  const InterleaveT *turns;
  std::vector<TurnLoop> turnLoops; // by loop id
  std::vector<Send> sends;
  std::unordered_map<uint32_t, size_t> sendAt; // by instruction
  std::vector<SentBuffer> sent;
  std::deque<WalkStep> pending;
  std::vector<OpenLoop> loops; // the innermost last
  uint32_t at = 0, turn = WalkStep::none, posted = 0;
};

} // namespace partopt::plan

#endif // PARTOPT_PLAN_PROGRAMWALK_H
