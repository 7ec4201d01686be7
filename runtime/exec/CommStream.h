//===- CommStream.h - A communication thread ------------------------------===//
//
// Each rank has one thread per stream that runs collectives in the order in
// which they were started, while the rank's own thread computes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_COMMSTREAM_H
#define PARTOPT_RUNTIME_EXEC_COMMSTREAM_H

#include "runtime/exec/RankProgram.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace partopt::rt {

/// A rank's events: set by communication threads, waited for by the rank.
class EventSet {
public:
  void resize(size_t events) { done.resize(events); }
  void set(uint32_t event);
  /// Blocks until set or aborted, then clears it; false when aborted.
  bool wait(uint32_t event, const AbortSignal &abort);
  void wake();
  /// Forgets everything; only between steps.
  void reset();

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> done;
};

class CommStream {
public:
  /// Runs one collective; false ends the stream.
  using Execute = std::function<bool(const ResolvedCollective &)>;

  CommStream(EventSet &events, Execute execute)
      : events(events), execute(std::move(execute)) {}

  /// Queues the collective; its event is set when it is done.
  void start(const ResolvedCollective &collective);

  /// Runs the collective on the calling thread when nothing is queued or
  /// running, which saves two thread switches; else returns false.
  bool runHere(const ResolvedCollective &collective);

  /// The thread's body; returns after stop() or a failure.
  void loop();
  void stop();

private:
  EventSet &events;
  Execute execute;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<const ResolvedCollective *> queue;
  bool busy = false, stopping = false;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_COMMSTREAM_H
