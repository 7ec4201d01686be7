//===- TurnBuffers.cpp - What interleaved loops hand to each other --------===//
//
// See TurnBuffers.h. The order of the instructions is verified before: run one
// after the other, the loops read nothing that was not written.
//
//===----------------------------------------------------------------------===//

#include "TurnBuffers.h"

namespace partopt::plan {

TurnBuffers::TurnBuffers(const ProgramView &view,
                         const std::vector<TurnLoop> &loops)
    : view(view), loops(loops), written(loops.size()), read(loops.size()) {
  for (size_t i = 0; i < loops.size(); ++i)
    useLoop(i);
  addHandovers();
}

void TurnBuffers::useLoop(size_t loop) {
  const LoopBeginT &begin = *loops[loop].begin;
  for (uint32_t buffer : begin.carried)
    uses[buffer].carriers.insert(loop);
  uses[begin.index].carriers.insert(loop);
  for (uint32_t buffer : begin.inits)
    uses[buffer].starters.insert(loop);
  for (uint32_t i = loops[loop].index + 1; i <= begin.end; ++i) {
    const InstructionT &instruction = *view.program.instructions[i];
    for (uint32_t buffer : instruction.reads)
      if (Use &use = uses[buffer]; !use.writers.count(loop))
        use.readers.insert(loop);
    const auto *start = instruction.op.AsCollectiveStart();
    for (uint32_t buffer : instruction.writes)
      uses[buffer].writers.insert(loop);
    if (!start || !isMessage(*start))
      continue;
    for (uint32_t buffer : instruction.reads)
      uses[buffer].isSent = true;
    for (uint32_t buffer : instruction.writes)
      uses[buffer].isReceived = true;
  }
}

/// Whether a turn's end is not the end of what the buffer holds.
bool TurnBuffers::isKept(const Use &use) const {
  bool crosses = false;
  for (size_t reader : use.readers)
    crosses |= !use.writers.count(reader);
  return crosses || !use.carriers.empty() || !use.starters.empty() ||
         use.isSent || use.isReceived;
}

void TurnBuffers::verifyUse(uint32_t buffer, const Use &use,
                            Problems &problems) const {
  auto name = [&](size_t loop) {
    return "loop " + std::to_string(loops[loop].begin->id);
  };
  auto fail = [&](const std::string &why) {
    problems.add(view.where() + ": buffer " + std::to_string(buffer) + " " +
                 why);
  };
  std::set<size_t> all = use.writers;
  all.insert(use.readers.begin(), use.readers.end());
  all.insert(use.carriers.begin(), use.carriers.end());
  all.insert(use.starters.begin(), use.starters.end());
  size_t first = *all.begin(), last = *all.rbegin();
  if (!use.carriers.empty()) {
    size_t carrier = *use.carriers.begin();
    if (first != last)
      fail("is carried by " + name(carrier) + " and used by " +
           name(first == carrier ? last : first) +
           ", which takes turns with it");
    if (view.program.buffers[buffer]->slots != 1)
      fail("is carried by " + name(carrier) + " and has " +
           std::to_string(view.program.buffers[buffer]->slots) + " slots");
    return;
  }
  if (use.writers.size() > 1 && isKept(use))
    return fail("is written by " + name(*use.writers.begin()) + " and " +
                name(*use.writers.rbegin()) +
                ", which take turns, and kept between them");
  if (!use.starters.empty() && !use.writers.empty())
    return fail("is what " + name(*use.starters.begin()) +
                " starts from, and written by " + name(*use.writers.begin()) +
                ", which takes turns with it");
  if (use.writers.empty() && view.program.buffers[buffer]->slots != 1)
    fail("has " + std::to_string(view.program.buffers[buffer]->slots) +
         " slots, and no loop writes them");
}

/// What lies in memory during all turns says so; the rest ends in its loop.
void TurnBuffers::verifyLifetimes(Problems &problems) const {
  uint32_t first = loops.front().index, last = loops.back().begin->end;
  for (const auto &[buffer, use] : uses) {
    const BufferT &range = *view.program.buffers[buffer];
    bool covers = range.first <= first && range.last >= last, isInside = false;
    for (const Held &held : range.holds)
      if (covers && held.first() > first && held.first() <= last)
        problems.add(view.where() + ": buffer " + std::to_string(buffer) +
                     " changes its class at instruction " +
                     std::to_string(held.first()) +
                     ", which has no place in the order of turns");
    for (const TurnLoop &loop : loops)
      isInside |= range.first >= loop.index && range.last <= loop.begin->end;
    if (!covers && (isKept(use) || !isInside))
      problems.add(view.where() + ": buffer " + std::to_string(buffer) +
                   ", live [" + std::to_string(range.first) + ", " +
                   std::to_string(range.last) +
                   "], is kept between turns of the loops of instructions [" +
                   std::to_string(first) + ", " + std::to_string(last) +
                   "] and must be live over all of them");
  }
}

void TurnBuffers::verify(Problems &problems) const {
  size_t before = problems.size();
  for (const auto &[buffer, use] : uses)
    verifyUse(buffer, use, problems);
  if (problems.size() == before)
    verifyLifetimes(problems);
}

void TurnBuffers::addHandovers() {
  using Group = std::tuple<size_t, std::set<size_t>, uint32_t, bool>;
  std::map<Group, uint32_t> groups;
  for (const auto &[buffer, use] : uses) {
    if (use.writers.size() != 1 || !use.carriers.empty() || !isKept(use))
      continue;
    // The writer's own turn reads what it has received until its end.
    std::set<size_t> readers = use.readers;
    if (use.isReceived)
      readers.insert(*use.writers.begin());
    groups.emplace(Group(*use.writers.begin(), readers,
                         std::max(1u, view.program.buffers[buffer]->slots),
                         use.isReceived),
                   buffer);
  }
  for (const auto &[group, buffer] : groups)
    handovers.push_back({std::get<0>(group), std::get<1>(group),
                         std::get<2>(group), std::get<3>(group), buffer});
  for (const Handover &handover : handovers) {
    written[handover.writer].push_back(&handover);
    for (size_t reader : handover.readers)
      if (reader != handover.writer)
        read[reader].push_back(&handover);
  }
}

} // namespace partopt::plan
