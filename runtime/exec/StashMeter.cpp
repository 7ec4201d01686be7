//===- StashMeter.cpp - Microbatches that stages keep ---------------------===//
//
// See StashMeter.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/StashMeter.h"

#include <algorithm>
#include <set>

namespace partopt::rt {

void StashMeter::open(const plan::PlanT &plan, const plan::ProgramT &program) {
  std::vector<plan::Segment> segments = plan::segmentsOf(plan, program);
  if (segments.empty())
    return;
  made.resize(program.turns->turns.size());
  released.resize(program.turns->turns.size());
  std::set<int> numbers;
  for (const plan::Segment &segment : segments)
    if (segment.stage >= 0)
      numbers.insert(segment.stage);
  for (int number : numbers)
    addStage(program, segments, number);
}

void StashMeter::addStage(const plan::ProgramT &program,
                          const std::vector<plan::Segment> &segments,
                          int number) {
  plan::Stash stash = plan::stashOf(program, segments, number);
  stages.emplace_back();
  stages.back().number = number;
  for (const plan::StashValue &of : stash.values) {
    const plan::BufferT &buffer = *program.buffers[of.buffer];
    Value value;
    value.stage = stages.size() - 1;
    value.bytes = buffer.bytes;
    value.isHeld.resize(std::max(1u, buffer.slots));
    stages.back().values.push_back(values.size());
    addTurns(program, segments, values.size(), of);
    values.push_back(std::move(value));
  }
}

/// A value is made in the turns of its stage's forward segment, and given up
/// behind the last of its readers' turns of the same iteration.
void StashMeter::addTurns(const plan::ProgramT &program,
                          const std::vector<plan::Segment> &segments,
                          size_t value, const plan::StashValue &of) {
  int stage = segments[of.readers.front()].stage;
  std::set<uint32_t> makers, readers;
  for (const plan::Segment &segment : segments)
    if (segment.stage == stage && segment.action == 'F')
      makers.insert(segment.loop);
  for (size_t place : of.readers)
    readers.insert(segments[place].loop);
  std::map<uint32_t, uint32_t> lastRead; // by iteration
  for (uint32_t i = 0; i < made.size(); ++i) {
    const plan::Turn &one = program.turns->turns[i];
    if (makers.count(one.loop()))
      made[i].push_back({value, one.iteration()});
    if (readers.count(one.loop()))
      lastRead[one.iteration()] = i;
  }
  for (auto [iteration, last] : lastRead)
    released[last].push_back({value, iteration});
}

/// A stage keeps as many microbatches as its value that is kept most often.
void StashMeter::recount(Stage &stage) {
  uint32_t now = 0;
  for (size_t value : stage.values)
    now = std::max(now, values[value].held);
  held = held - stage.held + now;
  stage.held = now;
  stage.most = std::max(stage.most, now);
  most = std::max(most, held);
}

void StashMeter::beginTurn(uint32_t of) {
  turn = of;
  if (turn == plan::WalkStep::none)
    return;
  for (const Change &change : made[turn]) {
    Value &value = values[change.value];
    std::vector<bool>::reference slot =
        value.isHeld[change.iteration % value.isHeld.size()];
    value.held += !slot;
    slot = true;
    value.most = std::max(value.most, value.held);
    recount(stages[value.stage]);
  }
}

void StashMeter::endTurn() {
  if (turn == plan::WalkStep::none)
    return;
  for (const Change &change : released[turn]) {
    Value &value = values[change.value];
    std::vector<bool>::reference slot =
        value.isHeld[change.iteration % value.isHeld.size()];
    value.held -= slot;
    slot = false;
    recount(stages[value.stage]);
  }
}

void StashMeter::at(const plan::WalkStep &step) {
  // Receives of later turns are started between this one's instructions.
  bool isOfTurn = step.kind == plan::WalkStep::Kind::Run ||
                  step.kind == plan::WalkStep::Kind::Enter;
  if (stages.empty() || !isOfTurn || step.turn == turn)
    return;
  endTurn();
  beginTurn(step.turn);
}

void StashMeter::finish() {
  endTurn();
  turn = plan::WalkStep::none;
}

plan::RankStash StashMeter::counted() const {
  plan::RankStash count;
  count.chunks = most;
  for (const Stage &stage : stages) {
    plan::StageStash &of = count.stages[stage.number];
    of.microbatches = stage.most;
    for (size_t value : stage.values)
      of.bytes += values[value].bytes * values[value].most;
  }
  return count;
}

} // namespace partopt::rt
