//===- StreamStep.h - A schedule on a GPU's streams -----------------------===//
//
// Enqueues the operations of a schedule, with an event where one stream waits
// for another and nowhere else. Nothing is allocated and nothing waits for the
// device, so the same calls, captured once, are a graph that is the whole step.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_STREAMSTEP_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_STREAMSTEP_H

#include "runtime/drivers/cuda/Communication.h"
#include "runtime/drivers/cuda/GpuKernels.h"
#include "runtime/drivers/cuda/Products.h"
#include "runtime/trace/Tracer.h"

namespace partopt::rt {

/// What the operations of a rank run with.
struct RankResources {
  Gpu *gpu = nullptr;
  const GpuKernels *kernels = nullptr;
  const Products *products = nullptr;
  uint8_t *workspace = nullptr; ///< for products
  uint8_t *scratch = nullptr;   ///< for kernels
};

class StreamStep {
public:
  /// `ranks` is by number. All arguments outlive the step.
  StreamStep(const plan::PlanT &plan, size_t entry,
             const StreamSchedule &schedule,
             const std::vector<RankResources> &ranks,
             Communication &communication, bool isTraced)
      : plan(plan), entry(entry), schedule(schedule), ranks(ranks),
        communication(communication), isTraced(isTraced) {}
  ~StreamStep();

  /// Makes the streams and the events.
  Status open();
  /// Makes the graph that start() replays from then on.
  Status capture();
  /// Puts one step on the device.
  Status start();
  /// Waits for its end; fails after `limit`, or when a library fails.
  Status finish(std::chrono::milliseconds limit);
  /// Records when the operations of the step that has ended ran.
  Status trace(Tracer &tracer, uint32_t step) const;

private:
  struct OpEvents {
    std::vector<CUevent> begin; ///< by lane; while tracing
    std::vector<CUevent> end;   ///< by lane; empty where nothing waits for it
  };

  Status openLanes(uint32_t stream);
  Status openEvents();
  StatusOr<CUevent> addEvent(Gpu &gpu, bool hasTime);
  Status enqueue();
  Status enqueue(uint32_t index);
  Status run(const StreamOp &op);
  Status fork();
  Status join();
  Status use(const Gpu &gpu);
  Status waitFor(const Lane &lane, uint32_t before);
  Status record(CUevent event, const Lane &lane);
  Status makeGraph(CUgraph graph);
  Status traceOp(Tracer &tracer, uint32_t step, uint32_t index) const;
  Status timeOf(CUevent event, const Lane &lane,
                Tracer::Clock::time_point &when) const;
  const plan::ProgramT &programOf(uint32_t rank) const;
  std::string placeText(const StreamOp &op) const;
  std::string pendingText() const;
  const Lane &origin() const { return lanes.front().front(); }
  const CudaApi &api() const { return origin().gpu->api; }

  const plan::PlanT &plan;
  size_t entry;
  const StreamSchedule &schedule;
  const std::vector<RankResources> &ranks;
  Communication &communication;
  bool isTraced;
  std::vector<std::vector<Lane>> lanes;    ///< by stream
  std::vector<std::vector<CUevent>> ends;  ///< by stream and lane, at the end
  std::vector<OpEvents> events;            ///< by operation
  CUevent begin = nullptr, over = nullptr; ///< of the step
  std::map<const Gpu *, CUevent> clocks;   ///< where a GPU's time begins
  const Gpu *current = nullptr;            ///< whose context is current
  CUgraphExec graph = nullptr;
  std::chrono::steady_clock::time_point started;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_STREAMSTEP_H
