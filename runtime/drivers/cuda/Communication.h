//===- Communication.h - Collectives on streams ---------------------------===//
//
// How the groups of a plan communicate: through NCCL where each rank has a GPU,
// or by moves in one GPU's memory where they share it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_COMMUNICATION_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_COMMUNICATION_H

#include "partopt-rt/Session.h"
#include "runtime/drivers/cuda/Gpu.h"
#include "runtime/exec/StreamSchedule.h"

namespace partopt::rt {

/// A stream of a GPU.
struct Lane {
  Gpu *gpu = nullptr;
  CUstream stream = nullptr;
};

class Communication {
public:
  virtual ~Communication() = default;

  /// Whether each member has its own lane; else a group has one.
  virtual bool hasLanePerMember() const = 0;

  /// Whether what is sent is counted; a library does not tell, and what the
  /// plan says of what was started stands for it.
  virtual bool countsBytes() const = 0;

  /// Prepares the groups of a schedule, which outlives this. Adds to
  /// sent[rank][kind] what a step of it sends.
  virtual Status open(const StreamSchedule &schedule,
                      std::vector<PerKind> &sent) = 0;

  /// Puts the collective `group` of a schedule that was opened on its lanes.
  virtual Status start(const StreamSchedule &schedule, uint32_t group,
                       const std::vector<Lane> &lanes) = 0;

  /// A failure that the device does not report; called while a step runs.
  virtual Status poll() { return Status(); }
  /// Ends what is in flight after a failure.
  virtual void abort() {}

  /// "NCCL 2.28.9", or what stands for it.
  virtual std::string text() const = 0;
};

/// For ranks that share `gpu`.
std::unique_ptr<Communication> createSharedGpuCommunication(const Gpu &gpu);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_COMMUNICATION_H
