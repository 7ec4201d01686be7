//===- ModelClock.h - When a modelled device is done ----------------------===//
//
// The clock of one rank's modelled device. Work is queued behind work, as on a
// device that runs on its own; the rank waits for it only where someone could
// notice: before a collective starts, before a wait, at the end of a step. So
// the time that a kernel really takes, and a late wake-up, hide inside modelled
// time. What does not fit is counted as excess.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_MODELCLOCK_H
#define PARTOPT_RUNTIME_EXEC_MODELCLOCK_H

#include "runtime/hal/AbortSignal.h"

namespace partopt::rt {

class ModelClock {
public:
  using Clock = std::chrono::steady_clock;

  /// Begins a step with an idle device; without `enabled` nothing is waited
  /// for or counted.
  void begin(bool enabled) {
    isOn = enabled;
    free = Clock::now();
    excess = {};
  }

  bool on() const { return isOn; }
  /// When all that is queued will be done.
  Clock::time_point end() const { return free; }

  /// Queues work of `seconds`.
  void spend(double seconds) {
    free += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds));
  }

  /// Waits until the queued work is done. Work that took longer in reality
  /// than its model is excess, and moves the clock.
  void settle(const AbortSignal &abort);

  /// The device had nothing to do until now.
  void idle() { free = std::max(free, Clock::now()); }

  /// Of this step.
  double excessSeconds() const {
    return std::chrono::duration<double>(excess).count();
  }

private:
  bool isOn = false;
  Clock::time_point free;
  Clock::duration excess{};
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_MODELCLOCK_H
