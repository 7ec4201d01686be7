//===- World.h - All ranks of a session -----------------------------------===//
//
// What the threads of a session share. Threads hold the world by shared
// pointer, so that one that never returns from a kernel cannot be left with
// freed memory.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_WORLD_H
#define PARTOPT_RUNTIME_EXEC_WORLD_H

#include "partopt-rt/Session.h"
#include "runtime/exec/CommStream.h"
#include "runtime/exec/MemoryMeter.h"
#include "runtime/exec/ModelClock.h"
#include "runtime/exec/Progress.h"
#include "runtime/trace/Tracer.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace partopt::rt {

/// One rank: its device, its memory, its programs and its streams.
struct Rank {
  uint32_t number = 0;
  std::unique_ptr<Device> device;
  RankMemory memory;
  uint64_t residentBytes = 0, arenaBytes = 0; // counted by the device
  std::shared_ptr<KernelLibrary> kernels;
  std::vector<RankProgram> programs; // by entry
  std::vector<MemoryMeter> meters;   // by entry
  EventSet events;
  std::vector<std::unique_ptr<CommStream>> streams;
  std::array<std::atomic<uint64_t>, numCollectiveKinds> completed{};
  double exposedSeconds = 0; // of the last step
  ModelClock clock;
  /// By event: what Overlap::Late starts only at the wait.
  std::vector<const ResolvedCollective *> postponed;
};

class World {
public:
  static StatusOr<std::shared_ptr<World>>
  create(std::shared_ptr<const plan::PlanT> plan,
         const SessionOptions &options);

  /// The bodies of all threads, to be run with the world held.
  std::vector<std::function<void()>> threadBodies();

  /// Runs one step of `entry` and waits for every rank.
  Status runStep(size_t entry);

  /// Asks every thread to return.
  void stop();
  /// A rank did not return after a failure; its thread must be left alone.
  bool stuck() const { return isStuck; }

  SessionStats stats() const;
  Status checkCounts() const;

  const std::shared_ptr<const plan::PlanT> plan;
  const plan::MeshMath mesh;
  std::vector<std::unique_ptr<Rank>> ranks;
  Tracer tracer;

private:
  World(std::shared_ptr<const plan::PlanT> plan, const SessionOptions &options,
        uint16_t streams);

  Status open(const SessionOptions &options);
  Status openRank(Rank &rank);
  Status allocateMemory(Rank &rank);

  void rankLoop(Rank &rank);
  Status runProgram(Rank &rank, const RankProgram &program, MemoryMeter &meter);
  /// A rank's place in its program: the loops that are running.
  struct LoopState {
    struct Open {
      size_t begin = 0;
      int32_t iteration = 0;
    };
    std::vector<Open> open; ///< the innermost last
    /// That of the innermost loop, which `index` may be about to begin.
    int32_t iteration(const RankProgram &program, size_t index) const;
    /// The instruction behind `index`.
    size_t next(const RankProgram &program, size_t index);
  };
  Status runInstruction(Rank &rank, const RankProgram &program, size_t index,
                        int32_t iteration);
  Status compute(Rank &rank, const ResolvedInstruction &instruction) const;
  static void boundLoop(Rank &rank, const ResolvedInstruction &instruction,
                        int32_t iteration);
  Status wait(Rank &rank, const plan::WaitT &wait);
  Status finishProgram(Rank &rank, const RankProgram &program);
  Status startCollective(Rank &rank, const ResolvedInstruction &instruction);
  static bool runExposed(Rank &rank, const ResolvedCollective &collective);
  Status provoke(const Rank &rank, size_t index);
  bool communicate(Rank &rank, uint16_t stream,
                   const ResolvedCollective &collective);

  SessionOptions options;
  std::vector<simulate::LinkSpeed> links; // by mesh axis, or empty
  uint16_t streams;
  AbortSignal abort;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Transport> transport;
  Progress progress;

  // The step in progress: a rank works when `generation` moves.
  mutable std::mutex mutex;
  std::condition_variable stepBegins, rankEnds;
  uint64_t generation = 0;
  size_t currentEntry = 0;
  size_t working = 0;
  bool stopping = false, isStuck = false;
  std::vector<uint64_t> stepsOfEntry;
  std::vector<double> stepSeconds, exposedSeconds, excessSeconds;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_WORLD_H
