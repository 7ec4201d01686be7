//===- CudaExecutor.h - All ranks of a session on GPUs --------------------===//
//
// One GPU for each rank, which communicate through NCCL, or one for all. Memory
// is one allocation per GPU: what its ranks keep, their arenas, and the
// workspaces of libraries and kernels.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_CUDAEXECUTOR_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_CUDAEXECUTOR_H

#include "runtime/drivers/cuda/StreamStep.h"
#include "runtime/exec/Executor.h"

namespace partopt::rt {

class CudaExecutor : public Executor {
public:
  CudaExecutor(std::shared_ptr<const plan::PlanT> plan,
               const SessionOptions &options);

  /// Everything that a step needs; to be called once.
  Status open();

  Status runStep(size_t entry) override;
  SessionStats stats() const override;
  RankMemory memoryOf(uint32_t rank) const override { return memories[rank]; }
  DeviceMemory &deviceOf(uint32_t rank) const override {
    return *resources[rank].gpu;
  }
  std::string machineText() const override;

private:
  /// What the ranks of one GPU have in common.
  struct Place {
    std::unique_ptr<Gpu> gpu;
    std::map<const plan::KernelObjectT *, std::unique_ptr<GpuKernels>> kernels;
    std::unique_ptr<Products> products;
    std::vector<uint32_t> ranks;
  };
  struct EntryStep {
    std::vector<RankProgram> programs; // by rank
    StreamSchedule schedule;
    std::vector<PerKind> sent, started; // by rank, in a step
    std::unique_ptr<StreamStep> step;
  };

  Status checkOptions() const;
  Status openGpus(const CudaApi &api);
  Status openCommunication();
  /// By place.
  StatusOr<std::vector<uint64_t>> freeBytes() const;
  Status openKernels(Place &place);
  Status openMemory(Place &place);
  Status openEntry(size_t entry);
  void countStarted(EntryStep &entry) const;
  const plan::RankClassT &classOf(uint32_t rank) const {
    return *plan->classes[plan->rank_class[rank]];
  }

  SessionOptions options;
  // In the order in which they depend on each other.
  std::vector<std::unique_ptr<Place>> places;
  std::vector<RankResources> resources; // by rank
  std::vector<RankMemory> memories;     // by rank
  std::vector<uint64_t> residentBytes, arenaBytes;
  std::unique_ptr<Communication> communication;
  std::vector<std::unique_ptr<EntryStep>> entries;
  std::vector<double> stepSeconds;
  std::vector<uint64_t> deviceBytes; // by place, that opening took
  Status failure;                    ///< of an earlier step
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_CUDAEXECUTOR_H
