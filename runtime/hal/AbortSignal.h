//===- AbortSignal.h - One failure stops every rank -----------------------===//
//
// The first error wins and is kept; everything that blocks watches the flag.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_HAL_ABORTSIGNAL_H
#define PARTOPT_RUNTIME_HAL_ABORTSIGNAL_H

#include "partopt-rt/Status.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace partopt::rt {

class AbortSignal {
public:
  bool raised() const { return flag.load(std::memory_order_acquire); }

  /// Keeps the first failure and wakes everyone who blocks.
  void raise(const Status &failure) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (flag.load(std::memory_order_relaxed))
        return;
      first = failure;
      flag.store(true, std::memory_order_release);
    }
    changed.notify_all();
    for (const std::function<void()> &wake : wakers)
      wake();
  }

  Status status() const {
    std::lock_guard<std::mutex> lock(mutex);
    return first;
  }

  /// Sleeps for `duration` or until raised; true when raised.
  bool sleep(std::chrono::milliseconds duration) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, duration, [&] { return raised(); });
  }

  /// Registers a wake-up of something that blocks; only before threads start.
  void addWaker(std::function<void()> wake) {
    wakers.push_back(std::move(wake));
  }

private:
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> flag{false};
  Status first;
  std::vector<std::function<void()>> wakers;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_HAL_ABORTSIGNAL_H
