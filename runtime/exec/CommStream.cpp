//===- CommStream.cpp - A communication thread ----------------------------===//
//
// See CommStream.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CommStream.h"

namespace partopt::rt {

void EventSet::set(uint32_t event) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++done[event];
  }
  changed.notify_one(); // only the rank's thread waits
}

bool EventSet::wait(uint32_t event, const AbortSignal &abort) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done[event] > 0 || abort.raised(); });
  if (done[event] == 0)
    return false;
  --done[event];
  return true;
}

void EventSet::wake() {
  {
    std::lock_guard<std::mutex> lock(mutex);
  }
  changed.notify_all();
}

void EventSet::reset() {
  std::lock_guard<std::mutex> lock(mutex);
  done.assign(done.size(), 0);
}

void CommStream::start(const CollectiveRun &run) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(run);
  }
  changed.notify_one();
}

bool CommStream::runHere(const CollectiveRun &run) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (busy || !queue.empty())
      return false;
    busy = true;
  }
  if (execute(run))
    events.set(run.collective->call.op->event);
  std::lock_guard<std::mutex> lock(mutex);
  busy = false;
  return true;
}

void CommStream::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stopping || (!busy && !queue.empty()); });
    if (stopping)
      return;
    CollectiveRun run = queue.front();
    queue.pop_front();
    busy = true;
    lock.unlock();
    bool good = execute(run);
    lock.lock();
    busy = false;
    if (!good)
      return;
    lock.unlock();
    events.set(run.collective->call.op->event);
    lock.lock();
  }
}

void CommStream::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
}

} // namespace partopt::rt
