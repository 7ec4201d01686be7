//===- ModelClock.cpp - When a modelled device is done --------------------===//
//
// See ModelClock.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/ModelClock.h"

#include "runtime/base/SleepUntil.h"

namespace partopt::rt {

void ModelClock::settle(const AbortSignal &abort) {
  if (!isOn)
    return;
  Clock::time_point now = Clock::now();
  if (now > free) {
    excess += now - free;
    free = now;
  }
  sleepUntil(free, abort);
}

} // namespace partopt::rt
