//===- StreamSchedule.cpp - A step as work on streams ---------------------===//
//
// One thread takes all ranks through their programs. What a rank's compute
// waits for is kept until its next operation, which then comes after it.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/StreamSchedule.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "runtime/exec/MemoryMeter.h"
#include "runtime/exec/Progress.h"
#include "runtime/exec/StashMeter.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace partopt::rt {

namespace {

using plan::CollectiveKind;

/// A collective that some members have started, or all.
struct Meeting {
  uint32_t group = 0; ///< in StreamSchedule::groups
  size_t missing = 0; ///< local members that have not started it
  uint32_t op = StreamOp::none;
};

/// The runs of a Send, in order, and how many of them were awaited.
struct SentRuns {
  std::vector<size_t> meetings;
  uint64_t awaited = 0;
};

/// A rank on its way.
struct Walker {
  Walker(const plan::PlanT &plan, const ScheduledRank &rank, uint32_t stream)
      : rank(rank), stream(stream), walk(*rank.program->program),
        started(rank.program->program->num_events) {
    meter.open(*rank.program->program);
    stash.open(plan, *rank.program->program);
    isOver = !walk.next(step);
  }

  ScheduledRank rank;
  uint32_t stream;
  plan::ProgramWalk walk;
  plan::WalkStep step; ///< the one to be made
  bool isOver = false;
  MemoryMeter meter;
  StashMeter stash;
  uint32_t last = StreamOp::none; ///< operation of its compute
  /// What the next operation of its compute comes after.
  std::vector<uint32_t> waited;
  /// By event: meetings that were started and not waited for, in order.
  std::vector<std::deque<size_t>> started;
  std::map<uint32_t, uint64_t> runs; ///< by collective instruction
  std::map<uint32_t, SentRuns> sent; ///< by Send
};

class Scheduler {
public:
  Scheduler(const plan::PlanT &plan, const std::vector<ScheduledRank> &ranks);
  StatusOr<StreamSchedule> run();

private:
  /// Of one execution of a collective: its id, who of the sender or the group,
  /// and which run it is.
  using Key = std::tuple<uint32_t, uint64_t, uint64_t>;
  /// A message's or a communicator's stream: the plan's, whether messages, and
  /// the group, or sender and receiver.
  using StreamKey = std::tuple<uint16_t, bool, std::vector<uint32_t>>;

  bool advance(Walker &walker);
  bool isBlocked(const Walker &walker) const;
  void make(Walker &walker);
  void runInstruction(Walker &walker);
  void boundLoop(Walker &walker, const ResolvedInstruction &instruction);
  void start(Walker &walker);
  void wait(Walker &walker, uint32_t event);
  void awaitSends(Walker &walker);
  void finish(Walker &walker);
  StreamOp &add(Walker &walker, StreamOp::Kind kind);
  void addCopies(Walker &walker, const std::vector<MemoryCopy> &copies);
  Meeting &meet(Walker &walker, const ResolvedCollective &collective,
                size_t &index);
  void open(Meeting &meeting, const Walker &walker, const CollectiveCall &call);
  void enqueue(Meeting &meeting, const Walker &walker);
  uint32_t streamOf(const GroupCall &call);
  bool isLocal(uint32_t rank) const { return walkerOf[rank] != StreamOp::none; }
  Status stuck() const;

  const plan::PlanT &plan;
  StreamSchedule schedule;
  std::deque<Walker> walkers;
  std::vector<uint32_t> walkerOf; ///< by rank, none elsewhere
  std::vector<Meeting> meetings;
  std::map<Key, size_t> meetingAt;
  std::map<StreamKey, uint32_t> streamAt;
};

Scheduler::Scheduler(const plan::PlanT &plan,
                     const std::vector<ScheduledRank> &ranks)
    : plan(plan), walkerOf(plan.devices, StreamOp::none) {
  for (const ScheduledRank &rank : ranks) {
    auto stream = static_cast<uint32_t>(schedule.streams.size());
    walkerOf[rank.number] = stream;
    schedule.streams.emplace_back();
    schedule.streams.back().rank = rank.number;
    walkers.emplace_back(plan, rank, stream);
  }
}

// ---- operations of a rank's compute ----------------------------------------

static void sortOnce(std::vector<uint32_t> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

static OpPlace placeOf(const Walker &walker) {
  return {walker.rank.number, walker.step.instruction, walker.step.turn,
          walker.step.slot};
}

StreamOp &Scheduler::add(Walker &walker, StreamOp::Kind kind) {
  walker.last = static_cast<uint32_t>(schedule.ops.size());
  StreamOp &op = schedule.ops.emplace_back();
  op.kind = kind;
  op.stream = walker.stream;
  op.after = std::move(walker.waited);
  walker.waited.clear();
  sortOnce(op.after);
  for (uint32_t before : op.after)
    schedule.ops[before].isAwaited = true;
  static_cast<OpPlace &>(op) = placeOf(walker);
  if (walker.isOver)
    op.instruction = StreamOp::none;
  return op;
}

void Scheduler::addCopies(Walker &walker,
                          const std::vector<MemoryCopy> &copies) {
  for (const MemoryCopy &copy : copies)
    if (copy.bytes > 0 && copy.target != copy.source)
      add(walker, StreamOp::Kind::Copy).copy = copy;
}

/// Enters a loop, begins an iteration of it, or ends one.
void Scheduler::boundLoop(Walker &walker,
                          const ResolvedInstruction &instruction) {
  bool isBegin = instruction.source->op.type == plan::Op::LoopBegin;
  if (!isBegin || walker.step.kind == plan::WalkStep::Kind::Enter)
    return addCopies(walker, instruction.carried);
  StreamOp &op = add(walker, StreamOp::Kind::Write);
  op.copy = instruction.copy;
  op.value = walker.step.iteration;
}

void Scheduler::runInstruction(Walker &walker) {
  ResolvedInstruction &instruction =
      walker.rank.program->instructions[walker.step.instruction];
  const plan::OpUnion &op = instruction.source->op;
  if (op.type == plan::Op::CollectiveStart)
    return start(walker);
  chooseSlots(instruction, *walker.rank.program->program, walker.rank.memory,
              walker.step.slot);
  if (op.type == plan::Op::LoopBegin || op.type == plan::Op::LoopEnd) {
    boundLoop(walker, instruction);
  } else if (const auto *event = op.AsWait()) {
    wait(walker, event->event);
  } else if (op.type == plan::Op::Launch) {
    add(walker, StreamOp::Kind::Launch).args = instruction.args;
  } else if (op.type == plan::Op::Gemm) {
    add(walker, StreamOp::Kind::Gemm).gemm = instruction.gemm;
  } else if (op.type == plan::Op::Copy) {
    addCopies(walker, {instruction.copy});
  } else if (op.type == plan::Op::AxisIndex) {
    StreamOp &write = add(walker, StreamOp::Kind::Write);
    write.copy = instruction.copy;
    write.value = static_cast<uint32_t>(instruction.axisIndex);
  }
}

// ---- collectives -----------------------------------------------------------

uint32_t Scheduler::streamOf(const GroupCall &call) {
  const plan::CollectiveStartT &op = *call.op;
  std::vector<uint32_t> who;
  for (const GroupCall::Member &member : call.members)
    who.push_back(member.rank);
  auto [found, isNew] =
      streamAt.try_emplace({op.stream, call.isMessage(), who},
                           static_cast<uint32_t>(schedule.streams.size()));
  if (isNew)
    schedule.streams.push_back({who.front(), op.stream, who});
  return found->second;
}

/// The members that this process runs, without their buffers.
void Scheduler::open(Meeting &meeting, const Walker &walker,
                     const CollectiveCall &call) {
  meeting.group = static_cast<uint32_t>(schedule.groups.size());
  ScheduledGroup &group = schedule.groups.emplace_back();
  group.call.op = call.op;
  group.call.groupSize = call.members.size();
  std::vector<uint32_t> indices;
  if (group.call.isMessage()) {
    bool sends = call.op->kind == CollectiveKind::Send;
    indices = {sends ? call.member : call.op->root,
               sends ? call.op->root : call.member};
  } else {
    for (uint32_t i = 0; i < call.members.size(); ++i)
      indices.push_back(i);
  }
  for (uint32_t index : indices)
    if (isLocal(call.members[index]))
      group.call.members.push_back({call.members[index], index, {}, {}});
  group.ready.resize(group.call.members.size());
  group.places.resize(group.call.members.size());
  meeting.missing = group.call.members.size();
}

/// The run of the collective that the rank is to take part in.
Meeting &Scheduler::meet(Walker &walker, const ResolvedCollective &collective,
                         size_t &index) {
  const CollectiveCall &call = collective.call;
  const plan::CollectiveStartT &op = *call.op;
  uint64_t who = op.kind == CollectiveKind::Send   ? walker.rank.number
                 : op.kind == CollectiveKind::Recv ? call.members[op.root]
                                                   : call.members.front();
  uint64_t run = walker.runs[walker.step.instruction]++;
  auto [found, isNew] =
      meetingAt.try_emplace({op.id, who, run}, meetings.size());
  index = found->second;
  if (isNew) {
    meetings.emplace_back();
    open(meetings.back(), walker, call);
  }
  return meetings[index];
}

/// The rank's part of a collective is ready behind what its compute has done
/// and waited for.
void Scheduler::start(Walker &walker) {
  const ResolvedCollective &collective =
      *walker.rank.program->instructions[walker.step.instruction].collective;
  size_t index = 0;
  Meeting &meeting = meet(walker, collective, index);
  ScheduledGroup &group = schedule.groups[meeting.group];
  CollectiveCall call = callInSlot(collective, *walker.rank.program->program,
                                   walker.rank.memory, walker.step.slot);
  for (size_t i = 0; i < group.call.members.size(); ++i) {
    GroupCall::Member &member = group.call.members[i];
    if (member.rank != walker.rank.number)
      continue;
    member.operands = call.operands;
    member.results = call.results;
    group.places[i] = placeOf(walker);
    group.ready[i] = walker.waited;
    if (walker.last != StreamOp::none)
      group.ready[i].push_back(walker.last);
    sortOnce(group.ready[i]);
  }
  walker.started[call.op->event].push_back(index);
  if (call.op->kind == CollectiveKind::Send)
    walker.sent[walker.step.instruction].meetings.push_back(index);
  if (--meeting.missing == 0)
    enqueue(meeting, walker);
}

void Scheduler::enqueue(Meeting &meeting, const Walker &walker) {
  const ScheduledGroup &group = schedule.groups[meeting.group];
  meeting.op = static_cast<uint32_t>(schedule.ops.size());
  StreamOp op;
  op.kind = StreamOp::Kind::Collective;
  op.stream = streamOf(group.call);
  op.group = meeting.group;
  static_cast<OpPlace &>(op) = placeOf(walker);
  for (const std::vector<uint32_t> &ready : group.ready)
    op.after.insert(op.after.end(), ready.begin(), ready.end());
  sortOnce(op.after);
  op.after.erase(std::remove_if(op.after.begin(), op.after.end(),
                                [&](uint32_t before) {
                                  return schedule.ops[before].stream ==
                                         op.stream;
                                }),
                 op.after.end());
  for (uint32_t before : op.after)
    schedule.ops[before].isAwaited = true;
  schedule.ops.push_back(std::move(op));
}

void Scheduler::wait(Walker &walker, uint32_t event) {
  walker.waited.push_back(meetings[walker.started[event].front()].op);
  walker.started[event].pop_front();
}

void Scheduler::awaitSends(Walker &walker) {
  SentRuns &sent = walker.sent.at(walker.step.instruction);
  for (; sent.awaited < walker.step.count; ++sent.awaited)
    walker.waited.push_back(meetings[sent.meetings[sent.awaited]].op);
}

// ---- the walk --------------------------------------------------------------

/// Whether the step waits for a collective that some member has not started.
bool Scheduler::isBlocked(const Walker &walker) const {
  const plan::WalkStep &step = walker.step;
  if (step.kind == plan::WalkStep::Kind::Await) {
    const SentRuns &sent = walker.sent.at(step.instruction);
    for (uint64_t run = sent.awaited; run < step.count; ++run)
      if (meetings[sent.meetings[run]].missing > 0)
        return true;
    return false;
  }
  const auto *wait =
      walker.rank.program->program->instructions[step.instruction]->op.AsWait();
  return wait && meetings[walker.started[wait->event].front()].missing > 0;
}

void Scheduler::make(Walker &walker) {
  using Kind = plan::WalkStep::Kind;
  const plan::WalkStep &step = walker.step;
  walker.stash.at(step);
  if (step.kind == Kind::Await)
    return awaitSends(walker);
  if (step.kind == Kind::Post)
    return start(walker);
  walker.meter.begin(step.instruction);
  runInstruction(walker);
  if (step.kind == Kind::Run)
    walker.meter.end(step.instruction);
}

/// Ends the step's compute, and lets results take their arguments.
void Scheduler::finish(Walker &walker) {
  walker.meter.finish();
  walker.stash.finish();
  addCopies(walker, walker.rank.program->feedBack);
  schedule.memory.push_back(walker.meter.counted());
  schedule.stash.push_back(walker.stash.counted());
}

bool Scheduler::advance(Walker &walker) {
  bool moved = false;
  while (!walker.isOver && !isBlocked(walker)) {
    make(walker);
    walker.isOver = !walker.walk.next(walker.step);
    moved = true;
  }
  return moved;
}

Status Scheduler::stuck() const {
  std::string text = "no rank can go on:";
  for (const Walker &walker : walkers)
    if (!walker.isOver)
      text += "\n  rank " + std::to_string(walker.rank.number) + ": at " +
              instructionText(plan, *walker.rank.program->program,
                              walker.step.instruction, walker.step.turn);
  return Status(Code::Internal, text);
}

StatusOr<StreamSchedule> Scheduler::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (Walker &walker : walkers)
      moved |= advance(walker);
  }
  for (const Walker &walker : walkers)
    if (!walker.isOver)
      return stuck();
  for (Walker &walker : walkers)
    finish(walker);
  return std::move(schedule);
}

} // namespace

StatusOr<StreamSchedule>
scheduleStreams(const plan::PlanT &plan,
                const std::vector<ScheduledRank> &ranks) {
  return Scheduler(plan, ranks).run();
}

} // namespace partopt::rt
