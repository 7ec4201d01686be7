//===- World.cpp - All ranks of a session ---------------------------------===//
//
// Set-up, the step barrier, and the accounts. What a rank does inside a step
// is in Interpreter.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/World.h"

#include "runtime/drivers/host/HostDriver.h"

#include <algorithm>

namespace partopt::rt {

/// How long ranks may take to notice a failure before they are left behind.
static constexpr std::chrono::seconds abortGrace{5};

World::World(std::shared_ptr<const plan::PlanT> plan,
             const SessionOptions &options, uint16_t streams)
    : Executor(plan, streams, options.trace), options(options),
      streams(streams), progress(*plan, streams) {}

/// A fault that nothing would reach is refused: a test with it would pass.
static Status checkFault(const plan::PlanT &plan, const Fault &fault) {
  if (fault.rank >= plan.devices)
    return Status::badInput("no rank " + std::to_string(fault.rank) +
                            " to provoke a fault on: the plan has " +
                            std::to_string(plan.devices) +
                            " ranks, counted from 0");
  size_t longest = 0;
  for (const auto &program :
       plan.classes[plan.rank_class[fault.rank]]->programs)
    longest = std::max(longest, program->instructions.size());
  if (fault.instruction >= longest)
    return Status::badInput(
        "no instruction " + std::to_string(fault.instruction) +
        " to provoke a fault at: rank " + std::to_string(fault.rank) + " has " +
        std::to_string(longest) + ", counted from 0");
  return Status();
}

StatusOr<std::shared_ptr<Executor>>
World::create(std::shared_ptr<const plan::PlanT> plan,
              const SessionOptions &options) {
  for (const Fault &fault : options.faults)
    if (Status status = checkFault(*plan, fault); !status.ok())
      return status;
  std::shared_ptr<World> world(new World(plan, options, maxStreams(*plan)));
  Status status = world->open(options);
  if (!status.ok())
    return status;
  return std::shared_ptr<Executor>(std::move(world));
}

Status World::open(const SessionOptions &options) {
  HostTransportOptions transportOptions;
  transportOptions.jitterMicroseconds = options.jitterMicroseconds;
  std::string wrong = options.machine.resolveLinks(*plan, links);
  if (!wrong.empty())
    return Status::badInput(wrong);
  transportOptions.links = links;
  driver = createHostDriver(transportOptions);
  StatusOr<std::unique_ptr<Transport>> opened =
      driver->openTransport(plan->devices, streams, abort);
  if (!opened.ok())
    return opened.status();
  transport = std::move(*opened);
  std::vector<std::shared_ptr<KernelLibrary>> kernels;
  for (const auto &rankClass : plan->classes) {
    kernels.emplace_back();
    if (!rankClass->kernels) {
      kernels.back() = kernels.front(); // those of the first class
      continue;
    }
    StatusOr<std::shared_ptr<KernelLibrary>> loaded =
        driver->loadKernels(*rankClass->kernels);
    if (!loaded.ok())
      return loaded.status();
    kernels.back() = *loaded;
  }
  for (uint32_t number = 0; number < plan->devices; ++number) {
    ranks.push_back(std::make_unique<Rank>());
    Rank &rank = *ranks.back();
    rank.number = number;
    rank.kernels = kernels[plan->rank_class[number]];
    Status status = openRank(rank);
    if (!status.ok())
      return status;
    progress.at(number, Progress::none);
    abort.addWaker([&rank] { rank.events.wake(); });
  }
  abort.addWaker([this] {
    {
      std::lock_guard<std::mutex> lock(mutex);
    }
    rankEnds.notify_all();
  });
  return Status();
}

Status World::allocateMemory(Rank &rank) {
  const plan::RankClassT &rankClass =
      *plan->classes[plan->rank_class[rank.number]];
  uint64_t resident = 0, arena = 0;
  for (const auto &program : rankClass.programs) {
    resident = std::max(resident, program->resident_bytes);
    arena = std::max(arena, program->arena_bytes);
  }
  StatusOr<uint8_t *> memory = rank.device->allocate(resident);
  if (!memory.ok())
    return memory.status();
  rank.memory.resident = *memory;
  rank.residentBytes = rank.device->allocatedBytes();
  memory = rank.device->allocate(arena);
  if (!memory.ok())
    return memory.status();
  rank.memory.arena = *memory;
  rank.arenaBytes = rank.device->allocatedBytes() - rank.residentBytes;
  return Status();
}

Status World::openRank(Rank &rank) {
  StatusOr<std::unique_ptr<Device>> device = driver->openDevice(rank.number);
  if (!device.ok())
    return device.status();
  rank.device = std::move(*device);
  Status status = allocateMemory(rank);
  if (!status.ok())
    return status;
  uint32_t events = 0;
  rank.programs.resize(plan->entries.size());
  rank.meters.resize(plan->entries.size());
  rank.stashes.resize(plan->entries.size());
  for (const auto &program :
       plan->classes[plan->rank_class[rank.number]]->programs) {
    rank.programs[program->entry] =
        resolveProgram(*program, mesh, rank.number, rank.memory);
    rank.meters[program->entry].open(*program);
    rank.stashes[program->entry].open(*plan, *program);
    modelTimes(rank.programs[program->entry], options.machine.device);
    events = std::max(events, program->num_events);
  }
  rank.events.resize(events);
  rank.postponed.resize(events);
  for (uint16_t stream = 0; stream < streams; ++stream)
    rank.streams.push_back(std::make_unique<CommStream>(
        rank.events, [this, &rank, stream](const CollectiveRun &run) {
          return communicate(rank, stream, run);
        }));
  return Status();
}

std::vector<std::function<void()>> World::threadBodies() {
  std::vector<std::function<void()>> bodies;
  for (const auto &rank : ranks) {
    bodies.push_back([this, &rank = *rank] { rankLoop(rank); });
    for (const auto &stream : rank->streams)
      bodies.push_back([&stream = *stream] { stream.loop(); });
  }
  return bodies;
}

void World::rankLoop(Rank &rank) {
  uint64_t seen = 0;
  while (true) {
    size_t entry;
    {
      std::unique_lock<std::mutex> lock(mutex);
      stepBegins.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping)
        return;
      seen = generation;
      entry = currentEntry;
    }
    Status status = runProgram(rank, entry);
    progress.at(rank.number, Progress::none);
    if (!status.ok())
      abort.raise(status);
    {
      std::lock_guard<std::mutex> lock(mutex);
      --working;
    }
    rankEnds.notify_all();
  }
}

Status World::runStep(size_t entry) {
  auto begin = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  if (abort.raised())
    return abort.status();
  progress.beginStep(static_cast<uint32_t>(stepSeconds.size()),
                     static_cast<uint32_t>(entry));
  for (const auto &rank : ranks)
    rank->events.reset();
  currentEntry = entry;
  working = ranks.size();
  ++generation;
  stepBegins.notify_all();
  rankEnds.wait(lock, [&] { return working == 0 || abort.raised(); });
  if (working > 0) // aborted: the others notice soon, or never
    isStuck = !rankEnds.wait_for(lock, abortGrace, [&] { return !working; });
  if (abort.raised())
    return abort.status();
  ++stepsOfEntry[entry];
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  stepSeconds.push_back(took.count());
  double exposed = 0, excess = 0;
  for (const auto &rank : ranks) {
    exposed = std::max(exposed, rank->exposedSeconds);
    excess = std::max(excess, rank->clock.excessSeconds());
  }
  exposedSeconds.push_back(exposed);
  if (!options.machine.device.empty())
    excessSeconds.push_back(excess);
  return Status();
}

void World::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  stepBegins.notify_all();
  for (const auto &rank : ranks)
    for (const auto &stream : rank->streams)
      stream->stop();
}

SessionStats World::stats() const {
  SessionStats stats;
  for (const auto &rank : ranks) {
    PerKind wire{}, done{};
    for (size_t kind = 0; kind < numCollectiveKinds; ++kind) {
      wire[kind] = transport->bytesSent(
          rank->number, static_cast<plan::CollectiveKind>(kind));
      done[kind] = rank->completed[kind].load();
    }
    stats.wireBytes.push_back(wire);
    stats.collectives.push_back(done);
    stats.arenaBytes.push_back(rank->arenaBytes);
    stats.residentBytes.push_back(rank->residentBytes);
    stats.memory.emplace_back();
    for (const MemoryMeter &meter : rank->meters)
      stats.memory.back().push_back(meter.counted());
    stats.stash.emplace_back();
    for (const StashMeter &meter : rank->stashes)
      stats.stash.back().push_back(meter.counted());
  }
  std::lock_guard<std::mutex> lock(mutex);
  stats.stepSeconds = stepSeconds;
  stats.exposedSeconds = exposedSeconds;
  stats.excessSeconds = excessSeconds;
  return stats;
}

} // namespace partopt::rt
