//===- Activity.cpp - What a rank does in an interval ---------------------===//
//
// See Activity.h.
//
//===----------------------------------------------------------------------===//

#include "Activity.h"

#include "partopt/Plan/Segments.h"

namespace partopt::report {

/// A start and its wait stand in one body, the start first, so the last start
/// with the event is the one that is waited for.
Activities::Activities(const plan::PlanT &plan, const plan::ProgramT &program)
    : program(program), starts(program.instructions.size()),
      repeats(program.instructions.size()) {
  std::vector<uint32_t> last(program.num_events);
  for (uint32_t i = 0; i < starts.size(); ++i) {
    const plan::OpUnion &op = program.instructions[i]->op;
    if (const auto *start = op.AsCollectiveStart())
      last[start->event] = i;
    if (const auto *wait = op.AsWait())
      starts[i] = last[wait->event];
    if (const auto *end = op.AsLoopEnd())
      repeats[i] =
          program.instructions[end->begin]->op.AsLoopBegin()->trips > 1;
  }
  for (const plan::Segment &segment : plan::segmentsOf(plan, program))
    repeats[segment.end] = false; // an end is one iteration's
}

const plan::InstructionT *Activities::collective(uint32_t instruction) const {
  if (instruction >= starts.size())
    return nullptr;
  const plan::InstructionT &one = *program.instructions[instruction];
  if (one.op.AsCollectiveStart())
    return &one;
  return one.op.AsWait() ? program.instructions[starts[instruction]].get()
                         : nullptr;
}

Activity Activities::of(const simulate::Interval &interval) const {
  if (const plan::InstructionT *start = collective(interval.instruction))
    return start->op.AsCollectiveStart()->kind == plan::CollectiveKind::Recv
               ? Activity::Idle
               : Activity::Wait;
  bool isBehind = interval.instruction >= starts.size();
  return !isBehind && repeats[interval.instruction] ? Activity::Iterations
                                                    : Activity::Compute;
}

} // namespace partopt::report
