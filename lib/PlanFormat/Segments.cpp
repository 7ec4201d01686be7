//===- Segments.cpp - The segments of a pipeline's program ----------------===//
//
// See Segments.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/Segments.h"

#include "partopt/Plan/ProgramWalk.h"

#include <algorithm>
#include <map>
#include <set>

namespace partopt::plan {

/// Reads "12F" into the segment; anything else leaves it without a stage.
static void readLabel(const std::string &label, Segment &segment) {
  constexpr size_t mostDigits = 6;
  size_t digits = label.find_first_not_of("0123456789");
  bool isAction = digits != std::string::npos && digits > 0 &&
                  digits <= mostDigits && digits + 1 == label.size() &&
                  std::string("FBIW").find(label.back()) != std::string::npos;
  if (!isAction)
    return;
  segment.stage = std::stoi(label);
  segment.action = label.back();
}

/// The source line of the first kernel or product. What has no line is work on
/// arguments alone, as a slice of the batch.
static uint32_t firstLine(const PlanT &plan, const ProgramT &program,
                          const Segment &segment) {
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    const InstructionT &one = *program.instructions[i];
    bool computes = one.op.type == Op::Launch || one.op.type == Op::Gemm;
    if (computes && one.loc > 0 && one.loc < plan.locations.size() &&
        plan.locations[one.loc].find(':') != std::string::npos)
      return one.loc;
  }
  return 0;
}

std::vector<Segment> segmentsOf(const PlanT &plan, const ProgramT &program) {
  std::vector<Segment> segments;
  if (!program.turns)
    return segments;
  for (uint32_t i = program.turns->first; i <= program.turns->last; ++i) {
    const LoopBeginT &begin = *program.instructions[i]->op.AsLoopBegin();
    Segment segment;
    segment.loop = begin.id;
    segment.begin = i;
    segment.end = begin.end;
    readLabel(program.instructions[i]->label, segment);
    segment.location = firstLine(plan, program, segment);
    segments.push_back(segment);
    i = begin.end;
  }
  return segments;
}

std::string actionText(const ProgramT &program,
                       const std::vector<Segment> &segments, uint32_t turn) {
  const Turn &of = program.turns->turns[turn];
  for (const Segment &segment : segments)
    if (segment.loop == of.loop() && segment.stage >= 0)
      return program.instructions[segment.begin]->label +
             std::to_string(of.iteration());
  return "turn " + std::to_string(turn);
}

/// By buffer that the stage's forward segment writes: whether a message of it
/// reads or writes it.
static std::map<uint32_t, bool>
madeByForward(const ProgramT &program, const std::vector<Segment> &segments,
              int stage) {
  std::map<uint32_t, bool> made;
  std::set<uint32_t> messages;
  for (const Segment &segment : segments) {
    if (segment.stage != stage || segment.action != 'F')
      continue;
    for (uint32_t i = segment.begin; i <= segment.end; ++i) {
      const InstructionT &instruction = *program.instructions[i];
      for (uint32_t buffer : instruction.writes)
        made.emplace(buffer, false);
      const auto *start = instruction.op.AsCollectiveStart();
      if (!start || (start->kind != CollectiveKind::Send &&
                     start->kind != CollectiveKind::Recv))
        continue;
      messages.insert(instruction.reads.begin(), instruction.reads.end());
      messages.insert(instruction.writes.begin(), instruction.writes.end());
    }
  }
  for (auto &[buffer, isMessage] : made)
    isMessage = messages.count(buffer) > 0;
  return made;
}

Stash stashOf(const ProgramT &program, const std::vector<Segment> &segments,
              int stage) {
  std::map<uint32_t, bool> made = madeByForward(program, segments, stage);
  std::map<uint32_t, std::set<size_t>> readers;
  for (size_t place = 0; place < segments.size(); ++place) {
    const Segment &segment = segments[place];
    if (segment.stage != stage || segment.action == 'F')
      continue;
    for (uint32_t i = segment.begin; i <= segment.end; ++i)
      for (uint32_t buffer : program.instructions[i]->reads)
        if (made.count(buffer))
          readers[buffer].insert(place);
  }
  Stash stash;
  for (const auto &[index, places] : readers) {
    const BufferT &buffer = *program.buffers[index];
    bool isMessage = made.at(index);
    stash.slots = std::max(stash.slots, buffer.slots);
    if (!isMessage)
      stash.keptSlots = std::max(stash.keptSlots, buffer.slots);
    stash.bytes += buffer.bytes * buffer.slots;
    stash.values.push_back({index, isMessage, {places.begin(), places.end()}});
  }
  return stash;
}

} // namespace partopt::plan
