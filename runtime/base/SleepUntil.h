//===- SleepUntil.h - Waiting for a point in time
//--------------------------===//
//
// Modelled links and devices are made of waiting: precise to some tens of
// microseconds, without burning a core, and ended by an abort.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_BASE_SLEEPUNTIL_H
#define PARTOPT_RUNTIME_BASE_SLEEPUNTIL_H

#include "runtime/hal/AbortSignal.h"

namespace partopt::rt {

/// Returns at `due` or soon after, or early once `abort` is raised. Sleeps, and
/// yields through the last 30 microseconds, which is about what a wake-up
/// takes.
void sleepUntil(std::chrono::steady_clock::time_point due,
                const AbortSignal &abort);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_BASE_SLEEPUNTIL_H
