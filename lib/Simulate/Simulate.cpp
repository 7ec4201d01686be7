//===- Simulate.cpp - How long a step of a plan takes ---------------------===//
//
// The rank's own clock runs along the program; collectives are flows of
// messages that are moved forward, in the order of time, up to where the rank
// is, or to the end of the one that it waits for.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Simulate.h"

#include "partopt/Simulate/Messages.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace partopt::simulate {

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

/// A collective on its stream.
struct Flow {
  size_t record = 0; ///< in Prediction::collectives
  std::vector<MessageRun> runs;
  size_t run = 0;    ///< the one that is being sent
  uint64_t sent = 0; ///< of its messages
  double ready = 0;  ///< when the next message can be sent
  int link = -1;     ///< axis, or -1
  uint16_t stream = 0;
  bool isDone = false, isSettled = false;
};

class RankSimulation {
public:
  RankSimulation(const plan::PlanT &plan, const plan::ProgramT &program,
                 const Machine &machine)
      : mesh(plan), program(program), machine(machine),
        streams(program.num_streams), eventFlow(program.num_events),
        linkFree(machine.links.size()) {}

  Prediction run();

private:
  void instruction(size_t index);
  void compute(const Work &work);
  size_t launchFlow(uint32_t record);
  void start(size_t index, const plan::CollectiveStartT &op);
  void wait(size_t flow);
  void beginLoop();
  void endLoop(const plan::LoopBeginT &begin);

  /// Sends every message that can be sent before `until`, in order of time; or
  /// until `wanted` is done.
  void advance(double until);
  void advanceTo(const Flow &wanted);
  std::deque<size_t> *nextStream();
  void step(std::deque<size_t> &stream, double until);
  void send(Flow &flow, double until, bool isAlone);
  void finish(Flow &flow);
  bool isAlone(const Flow &flow) const;

  plan::MeshMath mesh;
  const plan::ProgramT &program;
  const Machine &machine;
  Prediction result;
  double now = 0;
  std::deque<Flow> flows;                  // stable addresses
  std::vector<std::deque<size_t>> streams; // flows, the first one runs
  std::vector<size_t> eventFlow;           // by event: flow, or record (Late)
  std::vector<double> linkFree;            // by axis
  /// What there was when a loop began.
  struct OpenLoop {
    double time, compute, exposed;
    size_t record; ///< collectives
  };
  std::vector<OpenLoop> loops; ///< the innermost last
};

void RankSimulation::compute(const Work &work) {
  double seconds = machine.seconds(work);
  now += seconds;
  result.compute += seconds;
}

bool RankSimulation::isAlone(const Flow &flow) const {
  for (const std::deque<size_t> &stream : streams)
    if (!stream.empty()) {
      const Flow &other = flows[stream.front()];
      if (&other != &flow && other.link == flow.link)
        return false;
    }
  return true;
}

/// Sends one message, or as many of the run as begin before `until`: on a link
/// that nobody shares they follow each other at the same distance.
void RankSimulation::send(Flow &flow, double until, bool isAlone) {
  const MessageRun &run = flow.runs[flow.run];
  double own = machine.transportSeconds(run), occupied = 0, latency = 0;
  double begin = flow.ready;
  if (flow.link >= 0) {
    const LinkSpeed &link = machine.links[flow.link];
    occupied = link.occupancy(run.bytes);
    latency = run.isPipelined ? 0 : link.latency;
    begin = std::max(begin, linkFree[flow.link]);
  }
  if (flow.run == 0 && flow.sent == 0)
    result.collectives[flow.record].start = begin;
  double each = occupied + latency + own;
  uint64_t count = 1, left = run.count - flow.sent;
  if (isAlone && each == 0)
    count = left;
  else if (isAlone && until > begin)
    count = static_cast<uint64_t>(std::clamp(std::ceil((until - begin) / each),
                                             1.0, static_cast<double>(left)));
  flow.ready = begin + static_cast<double>(count) * each;
  if (flow.link >= 0)
    linkFree[flow.link] = flow.ready - latency - own;
  flow.sent += count;
  if (flow.sent == run.count) {
    flow.sent = 0;
    ++flow.run;
  }
}

void RankSimulation::finish(Flow &flow) {
  flow.isDone = true;
  result.collectives[flow.record].end = flow.ready;
}

/// The stream whose next message comes first.
std::deque<size_t> *RankSimulation::nextStream() {
  std::deque<size_t> *first = nullptr;
  for (std::deque<size_t> &stream : streams)
    if (!stream.empty() &&
        (!first || flows[stream.front()].ready < flows[first->front()].ready))
      first = &stream;
  return first;
}

/// Moves the stream's first flow by a message, or by those before `until`.
void RankSimulation::step(std::deque<size_t> &stream, double until) {
  Flow &flow = flows[stream.front()];
  if (flow.run < flow.runs.size())
    send(flow, until, isAlone(flow));
  if (flow.run < flow.runs.size())
    return;
  finish(flow);
  stream.pop_front();
  if (stream.empty())
    return;
  Flow &next = flows[stream.front()];
  next.ready = std::max(next.ready, flow.ready);
  result.collectives[next.record].start = next.ready;
}

void RankSimulation::advance(double until) {
  while (std::deque<size_t> *first = nextStream()) {
    if (flows[first->front()].ready >= until)
      return;
    step(*first, until);
  }
}

/// Other streams are moved no further than this one, so that what starts
/// afterwards finds their links as they will be.
void RankSimulation::advanceTo(const Flow &wanted) {
  std::deque<size_t> &own = streams[wanted.stream];
  while (!wanted.isDone) {
    std::deque<size_t> *first = nextStream();
    step(*first, first == &own ? forever : flows[own.front()].ready);
  }
}

/// Puts the collective of `record` on its stream, now.
size_t RankSimulation::launchFlow(uint32_t record) {
  advance(now);
  const auto &op =
      *program.instructions[result.collectives[record].instruction]
           ->op.AsCollectiveStart();
  Flow flow;
  flow.record = record;
  flow.runs = messagesOf(op, mesh.groupSize(op.axes));
  flow.ready = now;
  flow.stream = op.stream;
  flow.link = slowestAxis(machine.links, op.axes);
  result.collectives[record].start = now;
  flows.push_back(std::move(flow));
  streams[op.stream].push_back(flows.size() - 1);
  return flows.size() - 1;
}

void RankSimulation::start(size_t index, const plan::CollectiveStartT &op) {
  auto record = static_cast<uint32_t>(result.collectives.size());
  result.collectives.push_back({static_cast<uint32_t>(index)});
  eventFlow[op.event] = record;
  if (machine.overlap == Overlap::Late)
    return;
  eventFlow[op.event] = launchFlow(record);
  if (machine.overlap == Overlap::Off)
    wait(eventFlow[op.event]);
}

/// Waits for the flow. Where its thread had no core of its own, what it did
/// beside kernels has held these up.
void RankSimulation::wait(size_t number) {
  Flow &flow = flows[number];
  advanceTo(flow);
  if (flow.isSettled)
    return;
  flow.isSettled = true;
  CollectiveTime &time = result.collectives[flow.record];
  double beside = std::max(0.0, std::min(now, time.end) - time.start);
  double delay = beside * machine.stolen();
  now += delay;
  double exposed = std::max(0.0, time.end + delay - now);
  time.exposed += exposed;
  result.exposed += exposed;
  now += exposed;
}

void RankSimulation::beginLoop() {
  loops.push_back(
      {now, result.compute, result.exposed, result.collectives.size()});
}

/// The iterations that were not simulated are like the one that was.
void RankSimulation::endLoop(const plan::LoopBeginT &begin) {
  double more = static_cast<double>(begin.trips) - 1;
  OpenLoop loop = loops.back();
  loops.pop_back();
  now += more * (now - loop.time);
  result.compute += more * (result.compute - loop.compute);
  result.exposed += more * (result.exposed - loop.exposed);
  for (size_t i = loop.record; i < result.collectives.size(); ++i)
    result.collectives[i].exposed *= begin.trips;
}

void RankSimulation::instruction(size_t index) {
  const plan::InstructionT &instruction = *program.instructions[index];
  compute(workOf(program, instruction));
  compute(loopWork(program, instruction));
  if (const auto *op = instruction.op.AsCollectiveStart()) {
    start(index, *op);
  } else if (const auto *event = instruction.op.AsWait()) {
    if (machine.overlap == Overlap::Late)
      eventFlow[event->event] =
          launchFlow(static_cast<uint32_t>(eventFlow[event->event]));
    wait(eventFlow[event->event]);
  } else if (instruction.op.type == plan::Op::LoopBegin) {
    beginLoop();
  } else if (const auto *end = instruction.op.AsLoopEnd()) {
    endLoop(*program.instructions[end->begin]->op.AsLoopBegin());
  }
}

Prediction RankSimulation::run() {
  for (size_t i = 0; i < program.instructions.size(); ++i)
    instruction(i);
  compute(feedBackWork(program));
  result.step = now;
  return std::move(result);
}

} // namespace

Prediction simulateProgram(const plan::PlanT &plan,
                           const plan::ProgramT &program,
                           const Machine &machine) {
  return RankSimulation(plan, program, machine).run();
}

double collectiveSeconds(const plan::CollectiveStartT &collective, uint64_t n,
                         const Machine &machine) {
  double seconds = 0;
  int axis = slowestAxis(machine.links, collective.axes);
  for (const MessageRun &run : messagesOf(collective, n)) {
    double each = machine.transportSeconds(run);
    if (axis >= 0)
      each += machine.links[axis].occupancy(run.bytes) +
              (run.isPipelined ? 0 : machine.links[axis].latency);
    seconds += static_cast<double>(run.count) * each;
  }
  return seconds;
}

} // namespace partopt::simulate
