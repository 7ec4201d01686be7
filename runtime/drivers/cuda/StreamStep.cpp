//===- StreamStep.cpp - A schedule on a GPU's streams ---------------------===//
//
// All streams fork off the first at the begin of a step and join it at its end,
// which is what a capture asks for, and what orders one step behind the other.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/StreamStep.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"
#include "runtime/exec/Progress.h"

#include <set>
#include <thread>

namespace partopt::rt {

StreamStep::~StreamStep() {
  if (graph && origin().gpu->makeCurrent().ok())
    api().cuGraphExecDestroy(graph);
}

// ---- streams and events ----------------------------------------------------

Status StreamStep::openLanes(uint32_t stream) {
  const StreamUse &use = schedule.streams[stream];
  std::vector<uint32_t> owners = {use.rank};
  bool isCompute = use.planStream == StreamUse::compute;
  if (!isCompute && communication.hasLanePerMember())
    owners = use.members;
  for (uint32_t rank : owners) {
    Gpu *gpu = ranks[rank].gpu;
    if (Status status = gpu->makeCurrent(); !status.ok())
      return status;
    StatusOr<CUstream> made = gpu->addStream(!isCompute);
    if (!made.ok())
      return made.status();
    lanes[stream].push_back({gpu, *made});
  }
  return Status();
}

StatusOr<CUevent> StreamStep::addEvent(Gpu &gpu, bool hasTime) {
  if (Status status = gpu.makeCurrent(); !status.ok())
    return status;
  return gpu.addEvent(hasTime);
}

Status StreamStep::openEvents() {
  Status status;
  auto add = [&](Gpu &gpu, bool hasTime, CUevent &event) {
    if (!status.ok())
      return;
    StatusOr<CUevent> made = addEvent(gpu, hasTime);
    status = made.status();
    if (made.ok())
      event = *made;
  };
  for (size_t stream = 0; stream < lanes.size(); ++stream) {
    ends.emplace_back(lanes[stream].size());
    for (size_t i = 0; i < lanes[stream].size(); ++i)
      add(*lanes[stream][i].gpu, false, ends[stream][i]);
  }
  for (const StreamOp &op : schedule.ops) {
    OpEvents &of = events.emplace_back();
    const std::vector<Lane> &on = lanes[op.stream];
    of.begin.resize(isTraced ? on.size() : 0);
    of.end.resize(isTraced || op.isAwaited ? on.size() : 0);
    for (size_t i = 0; i < of.begin.size(); ++i)
      add(*on[i].gpu, true, of.begin[i]);
    for (size_t i = 0; i < of.end.size(); ++i)
      add(*on[i].gpu, isTraced, of.end[i]);
  }
  add(*origin().gpu, false, begin);
  for (const std::vector<Lane> &list : lanes)
    for (const Lane &lane : list)
      if (isTraced && !clocks.count(lane.gpu))
        add(*lane.gpu, true, clocks[lane.gpu]);
  add(*origin().gpu, false, over);
  return status;
}

Status StreamStep::open() {
  lanes.resize(schedule.streams.size());
  for (uint32_t stream = 0; stream < lanes.size(); ++stream)
    if (Status status = openLanes(stream); !status.ok())
      return status;
  return openEvents();
}

// ---- one step --------------------------------------------------------------

const plan::ProgramT &StreamStep::programOf(uint32_t rank) const {
  return *plan::programOf(*plan.classes[plan.rank_class[rank]], entry);
}

std::string StreamStep::placeText(const StreamOp &op) const {
  return "rank " + std::to_string(op.rank) + ", " +
         (op.instruction == StreamOp::none
              ? "a result into its argument"
              : instructionText(plan, programOf(op.rank), op.instruction,
                                op.turn));
}

Status StreamStep::use(const Gpu &gpu) {
  if (current == &gpu)
    return Status();
  current = &gpu;
  return gpu.makeCurrent();
}

Status StreamStep::record(CUevent event, const Lane &lane) {
  Status status = use(*lane.gpu);
  return status.ok() ? api().status(api().cuEventRecord(event, lane.stream),
                                    "cuEventRecord")
                     : status;
}

/// Of an operation on several lanes, the one on the same GPU is what this GPU's
/// rank takes part in.
Status StreamStep::waitFor(const Lane &lane, uint32_t before) {
  const std::vector<Lane> &on = lanes[schedule.ops[before].stream];
  size_t from = 0;
  for (size_t i = 0; i < on.size(); ++i)
    if (on[i].gpu == lane.gpu)
      from = i;
  Status status = use(*lane.gpu);
  return status.ok()
             ? api().status(api().cuStreamWaitEvent(lane.stream,
                                                    events[before].end[from],
                                                    CU_EVENT_WAIT_DEFAULT),
                            "cuStreamWaitEvent")
             : status;
}

Status StreamStep::run(const StreamOp &op) {
  const RankResources &rank = ranks[op.rank];
  CUstream stream = lanes[op.stream].front().stream;
  switch (op.kind) {
  case StreamOp::Kind::Launch: {
    uint32_t kernel =
        programOf(op.rank).instructions[op.instruction]->op.AsLaunch()->kernel;
    return rank.kernels->launch(kernel, op.args, rank.scratch, stream);
  }
  case StreamOp::Kind::Gemm:
    return rank.products->multiply(op.gemm, rank.workspace, stream);
  case StreamOp::Kind::Copy:
    return api().status(api().cuMemcpyDtoDAsync(devicePointer(op.copy.target),
                                                devicePointer(op.copy.source),
                                                op.copy.bytes, stream),
                        "cuMemcpyDtoDAsync");
  case StreamOp::Kind::Write:
    return api().status(api().cuMemsetD32Async(devicePointer(op.copy.target),
                                               op.value, 1, stream),
                        "cuMemsetD32Async");
  case StreamOp::Kind::Collective:
    return communication.start(schedule, op.group, lanes[op.stream]);
  }
  return Status();
}

Status StreamStep::enqueue(uint32_t index) {
  const StreamOp &op = schedule.ops[index];
  const std::vector<Lane> &on = lanes[op.stream];
  Status status;
  for (size_t i = 0; i < on.size(); ++i) {
    const std::vector<uint32_t> &after =
        on.size() > 1 ? schedule.groups[op.group].ready[i] : op.after;
    for (uint32_t before : after)
      if (status.ok() && schedule.ops[before].stream != op.stream)
        status = waitFor(on[i], before);
  }
  for (size_t i = 0; i < events[index].begin.size() && status.ok(); ++i)
    status = record(events[index].begin[i], on[i]);
  if (status.ok())
    status = use(*on.front().gpu);
  if (status.ok())
    status = run(op);
  if (on.size() > 1)
    current = nullptr; // the library may have left another one
  for (size_t i = 0; i < events[index].end.size() && status.ok(); ++i)
    status = record(events[index].end[i], on[i]);
  if (!status.ok())
    return Status(status.code(), placeText(op) + ": " + status.message());
  return status;
}

Status StreamStep::fork() {
  Status status = record(begin, origin());
  std::set<const Gpu *> timed;
  for (const std::vector<Lane> &list : lanes)
    for (const Lane &lane : list) {
      if (status.ok() && lane.stream != origin().stream) {
        status = use(*lane.gpu);
        if (status.ok())
          status = api().status(api().cuStreamWaitEvent(lane.stream, begin,
                                                        CU_EVENT_WAIT_DEFAULT),
                                "cuStreamWaitEvent");
      }
      if (status.ok() && isTraced && timed.insert(lane.gpu).second)
        status = record(clocks[lane.gpu], lane);
    }
  return status;
}

Status StreamStep::join() {
  Status status;
  for (size_t stream = 0; stream < lanes.size(); ++stream)
    for (size_t i = 0; i < lanes[stream].size(); ++i) {
      if (!status.ok() || lanes[stream][i].stream == origin().stream)
        continue;
      status = record(ends[stream][i], lanes[stream][i]);
      if (status.ok())
        status = use(*origin().gpu);
      if (status.ok())
        status = api().status(api().cuStreamWaitEvent(origin().stream,
                                                      ends[stream][i],
                                                      CU_EVENT_WAIT_DEFAULT),
                              "cuStreamWaitEvent");
    }
  return status;
}

Status StreamStep::enqueue() {
  current = nullptr;
  Status status = fork();
  for (uint32_t i = 0; i < schedule.ops.size() && status.ok(); ++i)
    status = enqueue(i);
  return status.ok() ? join() : status;
}

Status StreamStep::makeGraph(CUgraph made) {
  Status status = api().status(
      api().cuGraphInstantiateWithFlags(&graph, made, 0), "cuGraphInstantiate");
  api().cuGraphDestroy(made);
  return status;
}

Status StreamStep::capture() {
  Status status = origin().gpu->makeCurrent();
  if (status.ok())
    status = api().status(api().cuStreamBeginCapture(
                              origin().stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                          "cuStreamBeginCapture");
  if (!status.ok())
    return status;
  status = enqueue();
  CUgraph made = nullptr;
  Status ended = origin().gpu->makeCurrent();
  if (ended.ok())
    ended = api().status(api().cuStreamEndCapture(origin().stream, &made),
                         "cuStreamEndCapture");
  if (status.ok() && ended.ok())
    return makeGraph(made);
  if (made)
    api().cuGraphDestroy(made);
  // What broke the capture says more than its end.
  return status.ok() ? ended : status;
}

Status StreamStep::start() {
  started = std::chrono::steady_clock::now();
  Status status;
  if (graph) {
    status = origin().gpu->makeCurrent();
    if (status.ok())
      status = api().status(api().cuGraphLaunch(graph, origin().stream),
                            "cuGraphLaunch");
  } else {
    status = enqueue();
  }
  return status.ok() ? record(over, origin()) : status;
}

// ---- its end ---------------------------------------------------------------

/// Where each stream stands, as far as events tell; a graph has none.
std::string StreamStep::pendingText() const {
  if (graph)
    return ". To see where every rank stands, run with --cuda-graph off";
  std::string text = ". What has not ended, by stream:";
  std::set<uint32_t> seen;
  for (uint32_t i = 0; i < schedule.ops.size(); ++i) {
    const StreamOp &op = schedule.ops[i];
    if (events[i].end.empty() || seen.count(op.stream) ||
        api().cuEventQuery(events[i].end.front()) == CUDA_SUCCESS)
      continue;
    seen.insert(op.stream);
    text += "\n  " + placeText(op);
  }
  return text;
}

Status StreamStep::finish(std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now(), deadline = begin + limit;
  // Short steps are not held up by a sleep.
  constexpr std::chrono::microseconds spin{500}, nap{20};
  while (true) {
    CUresult result = api().cuEventQuery(over);
    if (result == CUDA_SUCCESS)
      return Status();
    if (result != CUDA_ERROR_NOT_READY) {
      Status status = api().status(result, "the step's operations");
      return Status(status.code(),
                    status.message() +
                        ". A device reports such a failure behind the operation"
                        " that caused it; compute-sanitizer names the kernel");
    }
    Clock::time_point now = Clock::now();
    if (now < begin + spin)
      continue;
    if (Status status = communication.poll(); !status.ok())
      return status;
    if (now > deadline)
      return Status::rankFailed("the step has not ended (time limit " +
                                std::to_string(limit.count()) +
                                " ms, --collective-timeout)" + pendingText());
    std::this_thread::sleep_for(nap);
  }
}

// ---- the trace -------------------------------------------------------------

Status StreamStep::timeOf(CUevent event, const Lane &lane,
                          Tracer::Clock::time_point &when) const {
  float milliseconds = 0;
  Status status = api().status(
      api().cuEventElapsedTime(&milliseconds, clocks.at(lane.gpu), event),
      "cuEventElapsedTime");
  when = started + std::chrono::duration_cast<Tracer::Clock::duration>(
                       std::chrono::duration<double, std::milli>(
                           static_cast<double>(milliseconds)));
  return status;
}

/// A collective is shown at each of its members.
Status StreamStep::traceOp(Tracer &tracer, uint32_t step,
                           uint32_t index) const {
  const StreamOp &op = schedule.ops[index];
  if (op.instruction == StreamOp::none)
    return Status();
  const std::vector<Lane> &on = lanes[op.stream];
  const StreamUse &use = schedule.streams[op.stream];
  bool isCompute = use.planStream == StreamUse::compute;
  std::vector<OpPlace> places = {{op.rank, op.instruction, op.turn, op.slot}};
  if (!isCompute)
    places = schedule.groups[op.group].places;
  for (size_t i = 0; i < places.size(); ++i) {
    const OpPlace &at = places[i];
    size_t lane = std::min(i, on.size() - 1);
    Tracer::Clock::time_point from, to;
    Status status = timeOf(events[index].begin[lane], on[lane], from);
    if (status.ok())
      status = timeOf(events[index].end[lane], on[lane], to);
    if (!status.ok())
      return status;
    TracedPlace place{at.instruction, step, at.turn, at.slot, 0};
    if (!isCompute)
      place.bytes =
          plan::payloadBytes(*schedule.groups[op.group].call.op,
                             schedule.groups[op.group].call.groupSize);
    tracer.record(
        at.rank, static_cast<uint16_t>(isCompute ? 0 : use.planStream + 1),
        from, to, *programOf(at.rank).instructions[at.instruction], place);
  }
  return Status();
}

Status StreamStep::trace(Tracer &tracer, uint32_t step) const {
  Status status;
  for (uint32_t i = 0; i < schedule.ops.size() && status.ok(); ++i)
    status = traceOp(tracer, step, i);
  return status;
}

} // namespace partopt::rt
