//===- World.h - All ranks of a session -----------------------------------===//
//
// What the threads of a session share. Threads hold the world by shared
// pointer, so that one that never returns from a kernel cannot be left with
// freed memory.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_WORLD_H
#define PARTOPT_RUNTIME_EXEC_WORLD_H

#include "runtime/exec/CommStream.h"
#include "runtime/exec/Executor.h"
#include "runtime/exec/MemoryMeter.h"
#include "runtime/exec/ModelClock.h"
#include "runtime/exec/Progress.h"
#include "runtime/exec/StashMeter.h"

#include <atomic>
#include <condition_variable>
#include <map>
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
  std::vector<StashMeter> stashes;   // by entry
  EventSet events;
  std::vector<std::unique_ptr<CommStream>> streams;
  std::array<std::atomic<uint64_t>, numCollectiveKinds> completed{};
  double exposedSeconds = 0; // of the last step
  ModelClock clock;
  /// By event: what starts only at the wait (Overlap).
  std::vector<const ResolvedCollective *> postponed;
  /// By Send of a turn: its runs that were waited for.
  std::map<uint32_t, uint64_t> awaited;
};

class World : public Executor {
public:
  /// Of a plan that verifies.
  static StatusOr<std::shared_ptr<Executor>>
  create(std::shared_ptr<const plan::PlanT> plan,
         const SessionOptions &options);

  std::vector<std::function<void()>> threadBodies() override;
  Status runStep(size_t entry) override;
  void stop() override;
  bool stuck() const override { return isStuck; }
  SessionStats stats() const override;
  RankMemory memoryOf(uint32_t rank) const override {
    return ranks[rank]->memory;
  }
  DeviceMemory &deviceOf(uint32_t rank) const override {
    return *ranks[rank]->device;
  }

private:
  World(std::shared_ptr<const plan::PlanT> plan, const SessionOptions &options,
        uint16_t streams);

  Status open(const SessionOptions &options);
  Status openRank(Rank &rank);
  Status allocateMemory(Rank &rank);

  void rankLoop(Rank &rank);
  Status runProgram(Rank &rank, size_t entry);
  Status runStep(Rank &rank, RankProgram &program, MemoryMeter &meter,
                 const plan::WalkStep &step);
  Status runInstruction(Rank &rank, RankProgram &program,
                        const plan::WalkStep &step);
  Status compute(Rank &rank, const ResolvedInstruction &instruction) const;
  static Status boundLoop(Rank &rank, const ResolvedInstruction &instruction,
                          const plan::WalkStep &step);
  Status wait(Rank &rank, const plan::WaitT &wait, const plan::WalkStep &step);
  Status awaitSends(Rank &rank, const plan::CollectiveStartT &send,
                    const plan::WalkStep &step);
  Status finishProgram(Rank &rank, const RankProgram &program);
  Status startCollective(Rank &rank, const ResolvedInstruction &instruction,
                         const plan::WalkStep &step);
  static bool runExposed(Rank &rank, const CollectiveRun &run);
  Status provoke(const Rank &rank, size_t index);
  bool communicate(Rank &rank, uint16_t stream, const CollectiveRun &run);

  SessionOptions options;
  std::vector<std::unique_ptr<Rank>> ranks;
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
  std::vector<double> stepSeconds, exposedSeconds, excessSeconds;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_WORLD_H
