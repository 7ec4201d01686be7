//===- StashMeter.h - Microbatches that stages keep -----------------------===//
//
// Counted as the rank walks: a value of a stage's forward segment is kept, in
// the slot of its turn, from that turn to the end of the last one that reads
// it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_STASHMETER_H
#define PARTOPT_RUNTIME_EXEC_STASHMETER_H

#include "partopt/Plan/ProgramWalk.h"
#include "partopt/Plan/Segments.h"
#include "partopt/Plan/StashCount.h"

#include <vector>

namespace partopt::rt {

class StashMeter {
public:
  /// For the steps of one program.
  void open(const plan::PlanT &plan, const plan::ProgramT &program);
  /// The rank is about to take the step.
  void at(const plan::WalkStep &step);
  /// The rank has ended its program.
  void finish();
  /// Of all steps so far.
  plan::RankStash counted() const;

private:
  /// A value's slots.
  struct Value {
    size_t stage = 0; ///< in `stages`
    uint64_t bytes = 0;
    std::vector<bool> isHeld; ///< by slot
    uint32_t held = 0, most = 0;
  };
  struct Stage {
    int number = 0;
    uint32_t held = 0, most = 0; ///< microbatches
    std::vector<size_t> values;
  };
  /// What a turn makes or gives up: a value and its iteration.
  struct Change {
    size_t value = 0;
    uint32_t iteration = 0;
  };

  void addStage(const plan::ProgramT &program,
                const std::vector<plan::Segment> &segments, int number);
  void addTurns(const plan::ProgramT &program,
                const std::vector<plan::Segment> &segments, size_t value,
                const plan::StashValue &of);
  void beginTurn(uint32_t of);
  void endTurn();
  void recount(Stage &stage);

  std::vector<Value> values;
  std::vector<Stage> stages;
  std::vector<std::vector<Change>> made, released; ///< by turn
  uint32_t turn = plan::WalkStep::none;            ///< the one that runs
  uint32_t held = 0, most = 0; ///< microbatches of all stages
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_STASHMETER_H
