//===- SleepUntil.cpp - Waiting for a point in time
//------------------------===//
//
// See SleepUntil.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/SleepUntil.h"

#include <algorithm>
#include <ctime>
#include <sys/prctl.h>
#include <thread>

namespace partopt::rt {

using Clock = std::chrono::steady_clock; // CLOCK_MONOTONIC

/// Linux may wake a thread 50 microseconds late to save power, unless it says
/// otherwise.
static void wantPreciseTimers() {
  static thread_local bool done = false;
  if (!done)
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  done = true;
}

void sleepUntil(Clock::time_point due, const AbortSignal &abort) {
  constexpr std::chrono::microseconds wakeUp{30};
  // An abort need not be noticed sooner than this.
  constexpr std::chrono::milliseconds longest{20};
  for (Clock::time_point now = Clock::now(); now < due; now = Clock::now()) {
    if (abort.raised())
      return;
    if (due - now <= wakeUp) {
      std::this_thread::yield();
      continue;
    }
    wantPreciseTimers();
    auto until = std::min(due - wakeUp, now + longest).time_since_epoch();
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(until);
    timespec at{};
    at.tv_sec = static_cast<time_t>(seconds.count());
    at.tv_nsec = static_cast<long>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(until - seconds)
            .count());
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
}

} // namespace partopt::rt
