//===- CudaExecutor.cpp - All ranks of a session on GPUs ------------------===//
//
// See CudaExecutor.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/CudaExecutor.h"

#include "partopt/Plan/Classes.h"
#include "runtime/drivers/cuda/CudaDriver.h"
#include "runtime/drivers/cuda/NcclCommunication.h"

namespace partopt::rt {

CudaExecutor::CudaExecutor(std::shared_ptr<const plan::PlanT> plan,
                           const SessionOptions &options)
    : Executor(plan, maxStreams(*plan), options.trace), options(options),
      resources(plan->devices), memories(plan->devices),
      residentBytes(plan->devices), arenaBytes(plan->devices) {}

Status CudaExecutor::checkOptions() const {
  if (!options.faults.empty())
    return Status::badInput("--fault provokes faults in the host driver; with "
                            "--driver cuda leave it out");
  if (options.machine.isModelled())
    return Status::badInput(
        "--link, --compute and --overlap model a machine in the host driver; a "
        "GPU takes the time that it takes: leave them out with --driver cuda");
  if (options.jitterMicroseconds > 0)
    return Status::badInput("jitterMicroseconds delays messages of the host "
                            "driver; a GPU's cannot be delayed");
  return Status();
}

Status CudaExecutor::openGpus(const CudaApi &api) {
  int visible = 0;
  Status status =
      api.status(api.cuDeviceGetCount(&visible), "cuDeviceGetCount");
  if (!status.ok())
    return status;
  auto gpus = static_cast<uint32_t>(visible);
  bool isShared = plan->devices == 1 || gpus == 1;
  if (!isShared && gpus < plan->devices)
    return Status::badInput("the plan has " + std::to_string(plan->devices) +
                            " ranks and " + std::to_string(gpus) +
                            " GPUs are visible: give a GPU to each rank, or "
                            "set CUDA_VISIBLE_DEVICES to one that all share");
  for (uint32_t rank = 0; rank < plan->devices; ++rank) {
    if (!isShared || rank == 0) {
      StatusOr<std::unique_ptr<Gpu>> gpu =
          Gpu::open(api, static_cast<int>(rank));
      if (!gpu.ok())
        return gpu.status();
      places.push_back(std::make_unique<Place>());
      places.back()->gpu = std::move(*gpu);
    }
    places.back()->ranks.push_back(rank);
    resources[rank].gpu = places.back()->gpu.get();
  }
  return Status();
}

Status CudaExecutor::openCommunication() {
  if (places.size() > 1)
    return openNccl(mesh, resources, communication);
  communication = createSharedGpuCommunication(*places.front()->gpu);
  return Status();
}

StatusOr<std::vector<uint64_t>> CudaExecutor::freeBytes() const {
  std::vector<uint64_t> list;
  for (const auto &place : places) {
    StatusOr<uint64_t> free = place->gpu->freeBytes();
    if (!free.ok())
      return free.status();
    list.push_back(*free);
  }
  return list;
}

Status CudaExecutor::openKernels(Place &place) {
  if (Status status = place.gpu->makeCurrent(); !status.ok())
    return status;
  place.products = std::make_unique<Products>(*place.gpu, options.cuda.tf32);
  for (uint32_t rank : place.ranks) {
    const plan::KernelObjectT *object = plan::kernelsOf(*plan, classOf(rank));
    resources[rank].products = place.products.get();
    if (object && !place.kernels.count(object)) {
      StatusOr<std::unique_ptr<GpuKernels>> loaded =
          GpuKernels::load(*place.gpu, *object);
      if (!loaded.ok())
        return loaded.status();
      place.kernels[object] = std::move(*loaded);
    }
    if (object)
      resources[rank].kernels = place.kernels.at(object).get();
    for (const auto &program : classOf(rank).programs)
      for (const auto &instruction : program->instructions)
        if (const auto *gemm = instruction->op.AsGemm())
          if (Status status = place.products->add(*gemm); !status.ok())
            return status;
  }
  return Status();
}

namespace {

/// Gives out ranges of one block.
struct Carver {
  static constexpr uint64_t alignment = 256;
  uint64_t take(uint64_t bytes) {
    uint64_t at = total;
    total += (bytes + alignment - 1) / alignment * alignment;
    return at;
  }
  uint64_t total = 0;
};

} // namespace

/// Ranks compute at the same time, so that each has a workspace of its own.
Status CudaExecutor::openMemory(Place &place) {
  struct Ranges {
    uint64_t resident, arena, workspace, scratch;
  };
  Carver carver;
  std::vector<Ranges> ranges;
  uint64_t kept = 0, arenas = 0;
  for (uint32_t rank : place.ranks) {
    for (const auto &program : classOf(rank).programs) {
      residentBytes[rank] =
          std::max(residentBytes[rank], program->resident_bytes);
      arenaBytes[rank] = std::max(arenaBytes[rank], program->arena_bytes);
    }
    kept += residentBytes[rank];
    arenas += arenaBytes[rank];
    const GpuKernels *kernels = resources[rank].kernels;
    ranges.push_back({carver.take(residentBytes[rank]),
                      carver.take(arenaBytes[rank]),
                      carver.take(place.products->workspaceBytes()),
                      carver.take(kernels ? kernels->scratchBytes() : 0)});
  }
  Status status = place.gpu->allocate(
      std::max(carver.total, Carver::alignment),
      std::to_string(place.ranks.size()) + " ranks: " + std::to_string(kept) +
          " for arguments, " + std::to_string(arenas) + " for arenas, " +
          std::to_string(carver.total - kept - arenas) +
          " for workspaces and alignment");
  if (!status.ok())
    return status;
  for (size_t i = 0; i < ranges.size(); ++i) {
    uint8_t *base = place.gpu->memory();
    uint32_t rank = place.ranks[i];
    memories[rank] = {base + ranges[i].resident, base + ranges[i].arena};
    resources[rank].workspace = base + ranges[i].workspace;
    resources[rank].scratch = base + ranges[i].scratch;
  }
  return Status();
}

/// By rank, the collectives of each kind that a step starts.
void CudaExecutor::countStarted(EntryStep &entry) const {
  for (const ScheduledGroup &group : entry.schedule.groups)
    for (size_t i = 0; i < group.call.members.size(); ++i) {
      plan::CollectiveKind kind = group.call.op->kind;
      if (group.call.isMessage())
        kind = i == 0 ? plan::CollectiveKind::Send : plan::CollectiveKind::Recv;
      ++entry.started[group.call.members[i].rank][static_cast<size_t>(kind)];
    }
}

Status CudaExecutor::openEntry(size_t index) {
  entries.push_back(std::make_unique<EntryStep>());
  EntryStep &entry = *entries.back();
  std::vector<ScheduledRank> ranks;
  entry.programs.reserve(plan->devices);
  for (uint32_t rank = 0; rank < plan->devices; ++rank) {
    entry.programs.push_back(
        resolveProgram(programOf(rank, index), mesh, rank, memories[rank]));
    ranks.push_back({rank, &entry.programs.back(), memories[rank]});
  }
  StatusOr<StreamSchedule> schedule = scheduleStreams(*plan, ranks);
  if (!schedule.ok())
    return schedule.status();
  entry.schedule = std::move(*schedule);
  entry.sent.resize(plan->devices);
  entry.started.resize(plan->devices);
  countStarted(entry);
  Status status = communication->open(entry.schedule, entry.sent);
  if (!status.ok())
    return status;
  entry.step = std::make_unique<StreamStep>(
      *plan, index, entry.schedule, resources, *communication, options.trace);
  status = entry.step->open();
  // A graph's events do not tell their time.
  if (status.ok() && options.cuda.graphs && !options.trace)
    status = entry.step->capture();
  return status;
}

Status CudaExecutor::open() {
  Status status = checkOptions();
  if (!status.ok())
    return status;
  StatusOr<const CudaApi *> api = CudaApi::get();
  if (!api.ok())
    return api.status();
  status = openGpus(**api);
  if (!status.ok())
    return status;
  StatusOr<std::vector<uint64_t>> before = freeBytes();
  status = before.ok() ? openCommunication() : before.status();
  for (const auto &place : places) {
    if (status.ok())
      status = openKernels(*place);
    if (status.ok())
      status = openMemory(*place);
  }
  for (size_t entry = 0; entry < plan->entries.size() && status.ok(); ++entry)
    status = openEntry(entry);
  if (!status.ok())
    return status;
  StatusOr<std::vector<uint64_t>> after = freeBytes();
  for (size_t i = 0; i < places.size() && after.ok(); ++i)
    deviceBytes.push_back((*before)[i] - std::min((*before)[i], (*after)[i]));
  return after.status();
}

Status CudaExecutor::runStep(size_t index) {
  if (!failure.ok())
    return failure;
  auto begin = std::chrono::steady_clock::now();
  EntryStep &entry = *entries[index];
  Status status = entry.step->start();
  if (status.ok())
    status = entry.step->finish(options.collectiveTimeout);
  if (status.ok() && options.trace)
    status =
        entry.step->trace(tracer, static_cast<uint32_t>(stepSeconds.size()));
  if (!status.ok()) {
    communication->abort();
    for (const auto &place : places)
      place->gpu->abandon();
    failure =
        Status(status.code(), "step " + std::to_string(stepSeconds.size()) +
                                  " failed on the GPU: " + status.message());
    return failure;
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  stepSeconds.push_back(took.count());
  ++stepsOfEntry[index];
  return Status();
}

SessionStats CudaExecutor::stats() const {
  SessionStats stats;
  for (uint32_t rank = 0; rank < plan->devices; ++rank) {
    PerKind wire{}, done{};
    stats.memory.emplace_back();
    stats.stash.emplace_back();
    for (size_t i = 0; i < entries.size(); ++i) {
      for (size_t kind = 0; kind < numCollectiveKinds; ++kind) {
        wire[kind] += stepsOfEntry[i] * entries[i]->sent[rank][kind];
        done[kind] += stepsOfEntry[i] * entries[i]->started[rank][kind];
      }
      stats.memory.back().push_back(entries[i]->schedule.memory[rank]);
      stats.stash.back().push_back(entries[i]->schedule.stash[rank]);
    }
    stats.wireBytes.push_back(wire);
    stats.collectives.push_back(done);
  }
  stats.countsWireBytes = communication->countsBytes();
  stats.arenaBytes = arenaBytes;
  stats.residentBytes = residentBytes;
  stats.stepSeconds = stepSeconds;
  stats.deviceBytes = deviceBytes;
  return stats;
}

std::string CudaExecutor::machineText() const {
  const Place &place = *places.front();
  std::string text = place.gpu->text();
  if (places.size() > 1)
    text += " and " + std::to_string(places.size() - 1) + " more";
  text += ", driver for CUDA " + cudaVersionText(place.gpu->api.version());
  if (const CublasLt *lt = place.products->library())
    text += ", cuBLASLt " + lt->versionText();
  return plan->devices > 1 ? text + ", " + communication->text() : text;
}

Status checkCudaDriver() { return CudaApi::get().status(); }

StatusOr<std::shared_ptr<Executor>>
openCudaExecutor(std::shared_ptr<const plan::PlanT> plan,
                 const SessionOptions &options) {
  auto executor = std::make_shared<CudaExecutor>(std::move(plan), options);
  if (Status status = executor->open(); !status.ok())
    return status;
  return std::shared_ptr<Executor>(std::move(executor));
}

} // namespace partopt::rt
