//===- Executor.h - What runs the steps of a session ----------------------===//
//
// A session gives arguments, asks for steps and takes results; how ranks run
// is the executor's: as threads (World.h), or as work put on a GPU's streams
// (drivers/cuda).
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_EXEC_EXECUTOR_H
#define PARTOPT_RUNTIME_EXEC_EXECUTOR_H

#include "partopt-rt/Session.h"
#include "partopt/Plan/MeshMath.h"
#include "runtime/exec/RankProgram.h"
#include "runtime/trace/Tracer.h"

#include <functional>

namespace partopt::rt {

class Executor {
public:
  virtual ~Executor() = default;

  /// The bodies of all threads, to be run with the executor held.
  virtual std::vector<std::function<void()>> threadBodies() { return {}; }

  /// Runs one step of `entry` and waits for every rank.
  virtual Status runStep(size_t entry) = 0;

  /// Asks every thread to return.
  virtual void stop() {}
  /// A rank did not return after a failure; its thread must be left alone.
  virtual bool stuck() const { return false; }

  virtual SessionStats stats() const = 0;
  /// Fails when `stats` are not what the plan says of the steps that were run.
  Status checkCounts() const;

  /// Where a rank's buffers are, between steps.
  virtual RankMemory memoryOf(uint32_t rank) const = 0;
  virtual DeviceMemory &deviceOf(uint32_t rank) const = 0;

  /// The device and the libraries with their versions, one line; "": nothing
  /// that the plan does not say.
  virtual std::string machineText() const { return ""; }

  const plan::ProgramT &programOf(uint32_t rank, size_t entry) const;

  const std::shared_ptr<const plan::PlanT> plan;
  const plan::MeshMath mesh;
  Tracer tracer;

protected:
  Executor(std::shared_ptr<const plan::PlanT> plan, uint16_t streams,
           bool trace)
      : plan(plan), mesh(*plan), tracer(plan->devices, streams, trace),
        stepsOfEntry(plan->entries.size()) {}

  std::vector<uint64_t> stepsOfEntry; ///< that have ended well
};

/// The most streams that a program of the plan has.
uint16_t maxStreams(const plan::PlanT &plan);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_EXEC_EXECUTOR_H
