//===- ScheduleProblem.h - Order of compute and collectives -----*- C++ -*-===//
//
// One program's steps with their dependences, the scheduler, and the proof of
// its answer. Steps are compute or collectives; a collective is started and
// waited for, and runs on its stream in between.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SCHEDULE_SCHEDULEPROBLEM_H
#define PARTOPT_SCHEDULE_SCHEDULEPROBLEM_H

#include <cstdint>
#include <string>
#include <vector>

namespace partopt {

/// Gathers that start no earlier than they have to, since their results take
/// memory: of each kind only `prefetch` are in flight ahead of their use, one
/// after the other in the order of their first readers.
enum class LimitedGather : uint8_t { None, Parameter, Activation };

struct ScheduleStep {
  bool isCollective = false;
  LimitedGather limited = LimitedGather::None;
  unsigned stream = 0;         ///< of a collective; one runs after the other
  int64_t nanoseconds = 0;     ///< estimate; decides only what may pass what
  std::vector<unsigned> needs; ///< steps that must be over before this one
  /// Compute that only the next step's state depends on: runs as soon as what
  /// it needs is there, since memory is free afterwards.
  bool eager = false;
  /// A collective that starts only after the last paced one of its stream has
  /// been waited for, so that the operands of two are never held at once.
  bool paced = false;
};

/// Steps in the program's order; each needs only earlier ones.
struct ScheduleProblem {
  std::vector<ScheduleStep> steps;
  unsigned prefetch = 1;
  unsigned lookahead = 16;

  /// Empty, or which step needs one that does not come before.
  std::string check() const;
};

enum class ScheduleAction { Run, Start, Wait };

struct ScheduleEntry {
  ScheduleAction action;
  unsigned step;
  bool operator==(const ScheduleEntry &other) const {
    return action == other.action && step == other.step;
  }
};

/// A list scheduler along simulated time. The first step that has not run is
/// always next, unless it would have to wait for a collective: then the first
/// of the `lookahead` steps after it that need not wait runs instead.
/// An eager step passes all of them once the collectives that it needs have
/// been waited for. Collectives start as soon as what they need is there. A
/// collective is waited for right before its first reader or, unless it is
/// limited, when it has had twice its time, so that its operands' memory is
/// free; the rest at the end. check() must be empty. O(n * lookahead) for n
/// steps, and deterministic.
std::vector<ScheduleEntry> scheduleSteps(const ScheduleProblem &problem);

/// Empty, or why `order` is wrong: a step that is missing or twice, one that
/// comes before what it needs, a wait before its start.
std::string verifySchedule(const ScheduleProblem &problem,
                           const std::vector<ScheduleEntry> &order);

} // namespace partopt

#endif // PARTOPT_SCHEDULE_SCHEDULEPROBLEM_H
