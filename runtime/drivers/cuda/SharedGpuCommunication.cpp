//===- SharedGpuCommunication.cpp - Ranks that share a GPU ----------------===//
//
// NCCL refuses two ranks on one device. Collectives there are device copies and
// reduction kernels (GroupMoves.h), put on the group's stream when its last
// member is ready.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Communication.h"
#include "runtime/drivers/cuda/GpuKernels.h"
#include "runtime/drivers/cuda/ReductionPtx.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <map>

namespace partopt::rt {

namespace {

/// What is left of a collective: moves, with their kernels.
struct ResolvedMove {
  GroupMove move;
  CUfunction kernel = nullptr; ///< null for a copy
  uint64_t elementBytes = 0;
};

class SharedGpuCommunication : public Communication {
public:
  explicit SharedGpuCommunication(const Gpu &gpu) : gpu(gpu) {}

  bool hasLanePerMember() const override { return false; }
  bool countsBytes() const override { return true; }
  Status open(const StreamSchedule &schedule,
              std::vector<PerKind> &sent) override;
  Status start(const StreamSchedule &schedule, uint32_t group,
               const std::vector<Lane> &lanes) override;
  std::string text() const override {
    return "ranks share the GPU, which copies and reduces for them";
  }

private:
  Status loadKernels(const std::set<Reduction> &needed);
  Status enqueue(const ResolvedMove &resolved, CUstream stream) const;

  const Gpu &gpu;
  std::map<const StreamSchedule *, std::vector<std::vector<ResolvedMove>>>
      moves; ///< by group
  std::vector<std::unique_ptr<GpuModule>> modules;
  std::map<Reduction, CUfunction> kernels;
};

Reduction reductionOf(const plan::CollectiveStartT &op, const GroupMove &move) {
  return {op.combiner, op.type, move.order,
          static_cast<uint32_t>(move.sources.size()),
          static_cast<uint32_t>(move.targets.size())};
}

Status SharedGpuCommunication::loadKernels(const std::set<Reduction> &needed) {
  for (const Reduction &reduction : needed)
    if (reduction.sources + reduction.targets > maxReducedArrays)
      return Status::badInput(
          "a reduction over " + std::to_string(reduction.sources) +
          " ranks has no room in a kernel's parameters; use several GPUs");
  if (needed.empty())
    return Status();
  StatusOr<std::unique_ptr<GpuModule>> module =
      GpuModule::load(gpu, reductionPtx(needed).c_str());
  if (!module.ok())
    return module.status();
  modules.push_back(std::move(*module));
  for (const Reduction &reduction : needed) {
    StatusOr<CUfunction> function = modules.back()->function(reduction.name());
    if (!function.ok())
      return function.status();
    kernels[reduction] = *function;
  }
  return Status();
}

Status SharedGpuCommunication::open(const StreamSchedule &schedule,
                                    std::vector<PerKind> &sent) {
  std::set<Reduction> needed;
  std::vector<std::vector<ResolvedMove>> &list = moves[&schedule];
  for (const ScheduledGroup &group : schedule.groups) {
    const plan::CollectiveStartT &op = *group.call.op;
    std::vector<uint64_t> bytes;
    std::vector<ResolvedMove> &resolved = list.emplace_back();
    for (GroupMove &move : groupMoves(group.call, bytes)) {
      if (!move.isCopy() && !kernels.count(reductionOf(op, move)))
        needed.insert(reductionOf(op, move));
      resolved.push_back(
          {std::move(move), nullptr, plan::elementSize(op.type)});
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      // A message is its sender's.
      auto kind = group.call.isMessage() ? plan::CollectiveKind::Send : op.kind;
      sent[group.call.members[i].rank][static_cast<size_t>(kind)] += bytes[i];
    }
  }
  if (Status status = loadKernels(needed); !status.ok())
    return status;
  for (size_t i = 0; i < list.size(); ++i)
    for (ResolvedMove &move : list[i])
      if (!move.move.isCopy())
        move.kernel =
            kernels.at(reductionOf(*schedule.groups[i].call.op, move.move));
  return Status();
}

Status SharedGpuCommunication::enqueue(const ResolvedMove &resolved,
                                       CUstream stream) const {
  const GroupMove &move = resolved.move;
  if (!resolved.kernel) {
    Status status;
    for (uint8_t *target : move.targets)
      if (status.ok() && target != move.sources.front())
        status = gpu.api.status(gpu.api.cuMemcpyDtoDAsync(
                                    devicePointer(target),
                                    devicePointer(move.sources.front()),
                                    move.count * resolved.elementBytes, stream),
                                "cuMemcpyDtoDAsync");
    return status;
  }
  std::vector<CUdeviceptr> parameters;
  for (const uint8_t *target : move.targets)
    parameters.push_back(devicePointer(target));
  for (const uint8_t *source : move.sources)
    parameters.push_back(devicePointer(source));
  parameters.push_back(move.count);
  constexpr uint64_t threads = 256, mostBlocks = 1024;
  uint64_t blocks = (move.count + threads - 1) / threads;
  uint32_t grid[] = {static_cast<uint32_t>(std::min(blocks, mostBlocks)), 1, 1};
  uint32_t block[] = {threads, 1, 1};
  return launchGrid(gpu.api, resolved.kernel, grid, block, 0, parameters,
                    stream);
}

Status SharedGpuCommunication::start(const StreamSchedule &schedule,
                                     uint32_t group,
                                     const std::vector<Lane> &lanes) {
  for (const ResolvedMove &move : moves.at(&schedule)[group])
    if (Status status = enqueue(move, lanes.front().stream); !status.ok())
      return status;
  return Status();
}

} // namespace

std::unique_ptr<Communication> createSharedGpuCommunication(const Gpu &gpu) {
  return std::make_unique<SharedGpuCommunication>(gpu);
}

} // namespace partopt::rt
