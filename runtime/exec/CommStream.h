//===- CommStream.h - A communication thread ------------------------------===//
//
// Each rank has one thread per stream that runs collectives in the order in
// which they were started, while the rank's own thread computes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_COMMSTREAM_H
#define PARTOPT_RUNTIME_EXEC_COMMSTREAM_H

#include "partopt/Plan/ProgramWalk.h"
#include "runtime/exec/RankProgram.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace partopt::rt {

/// A rank's events: set by communication threads, waited for by the rank.
/// Several runs of a message may be in flight, so an event counts.
class EventSet {
public:
  void resize(size_t events) { done.resize(events); }
  void set(uint32_t event);
  /// Blocks until set or aborted, then takes one off; false when aborted.
  bool wait(uint32_t event, const AbortSignal &abort);
  void wake();
  /// Forgets everything; only between steps.
  void reset();

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<uint32_t> done;
};

/// A run of a collective, in the turn of iteration `slot`.
struct CollectiveRun {
  const ResolvedCollective *collective = nullptr;
  uint32_t turn = plan::WalkStep::none;
  uint32_t slot = 0;
};

class CommStream {
public:
  /// Runs one collective; false ends the stream.
  using Execute = std::function<bool(const CollectiveRun &)>;

  CommStream(EventSet &events, Execute execute)
      : events(events), execute(std::move(execute)) {}

  /// Queues the collective; its event is set when it is done.
  void start(const CollectiveRun &run);

  /// Runs the collective on the calling thread when nothing is queued or
  /// running, which saves two thread switches; else returns false.
  bool runHere(const CollectiveRun &run);

  /// The thread's body; returns after stop() or a failure.
  void loop();
  void stop();

private:
  EventSet &events;
  Execute execute;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<CollectiveRun> queue;
  bool busy = false, stopping = false;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_COMMSTREAM_H
