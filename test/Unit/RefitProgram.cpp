//===- RefitProgram.cpp - Lifetimes and sizes of a changed program --------===//
//
// See RefitProgram.h.
//
//===----------------------------------------------------------------------===//

#include "RefitProgram.h"

#include "partopt/Plan/PlanFile.h"

#include <algorithm>

namespace partopt::test {

using namespace plan;

namespace {

/// Lifetimes from what is touched and when, a collective's until its wait.
void refitLifetimes(ProgramT &program) {
  std::vector<bool> touched(program.buffers.size());
  auto touch = [&](uint32_t index, size_t at) {
    if (index >= program.buffers.size())
      return;
    BufferT &buffer = *program.buffers[index];
    if (!touched[index])
      buffer.first = buffer.last = static_cast<uint32_t>(at);
    touched[index] = true;
    buffer.last = std::max(buffer.last, static_cast<uint32_t>(at));
  };
  std::vector<const InstructionT *> inFlight(program.num_events);
  size_t last =
      program.instructions.empty() ? 0 : program.instructions.size() - 1;
  for (const auto &argument : program.arguments) {
    touch(argument->buffer, 0);
    touch(argument->buffer, last); // kept across steps
  }
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionT *instruction = program.instructions[i].get();
    const auto *start = instruction->op.AsCollectiveStart();
    if (start && start->event < inFlight.size())
      inFlight[start->event] = instruction;
    if (const auto *wait = instruction->op.AsWait())
      if (wait->event < inFlight.size() && inFlight[wait->event])
        instruction = inFlight[wait->event];
    for (uint32_t buffer : instruction->reads)
      touch(buffer, i);
    for (uint32_t buffer : instruction->writes)
      touch(buffer, i);
  }
  for (const auto &result : program.results)
    touch(result->buffer, last);
}

/// Begins and ends find each other again, in program order.
void refitLoops(ProgramT &program) {
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    OpUnion &op = program.instructions[i]->op;
    if (op.AsLoopBegin()) {
      open.push_back(i);
    } else if (auto *last = op.AsLoopEnd(); last && !open.empty()) {
      program.instructions[open.back()]->op.AsLoopBegin()->end = i;
      last->begin = open.back();
      open.pop_back();
    }
  }
}

/// What a loop carries or finds lives as long as the loop.
void refitKept(ProgramT &program) {
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const auto *loop = program.instructions[i]->op.AsLoopBegin();
    if (!loop || loop->end >= program.instructions.size())
      continue;
    std::vector<bool> written(program.buffers.size());
    auto keep = [&](uint32_t buffer) {
      if (buffer >= written.size() || written[buffer])
        return;
      BufferT &range = *program.buffers[buffer];
      range.first = std::min(range.first, i);
      range.last = std::max(range.last, loop->end);
    };
    for (uint32_t buffer : loop->carried)
      keep(buffer);
    if (loop->index < written.size())
      written[loop->index] = true;
    for (uint32_t j = i + 1; j <= loop->end; ++j) {
      for (uint32_t buffer : program.instructions[j]->reads)
        keep(buffer);
      for (uint32_t buffer : program.instructions[j]->writes)
        if (buffer < written.size())
          written[buffer] = true;
    }
  }
}

/// What turns of interleaved loops leave for others lives through all of them:
/// messages, and what is not touched in one loop alone or outlives it.
void refitTurns(ProgramT &program) {
  if (!program.turns)
    return;
  auto keep = [&](uint32_t buffer) {
    BufferT &range = *program.buffers[buffer];
    range.first = std::min(range.first, program.turns->first);
    range.last = std::max(range.last, program.turns->last);
  };
  for (uint32_t i = program.turns->first; i <= program.turns->last; ++i) {
    const auto &instruction = program.instructions[i];
    const auto *start = instruction->op.AsCollectiveStart();
    bool isKept = instruction->op.AsLoopBegin() ||
                  (start && start->kind >= CollectiveKind::Send);
    for (const auto *list : {&instruction->reads, &instruction->writes})
      for (uint32_t buffer : *list)
        if (isKept)
          keep(buffer);
  }
  for (uint32_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
    const BufferT &range = *program.buffers[buffer];
    bool isInside =
        range.last < program.turns->first || range.first > program.turns->last;
    for (uint32_t i = program.turns->first; i <= program.turns->last; ++i)
      if (const auto *loop = program.instructions[i]->op.AsLoopBegin())
        isInside |= range.first >= i && range.last <= loop->end;
    if (!isInside)
      keep(buffer);
  }
}

void refitSizes(ProgramT &program) {
  uint64_t top = 0;
  for (const auto &buffer : program.buffers)
    if (buffer->space == Space::Arena)
      top = std::max(top, buffer->offset + buffer->bytes +
                              (buffer->slots - 1) * buffer->stride);
  program.arena_bytes =
      (top + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
  program.peak_bytes = program.resident_bytes + program.arena_bytes;
}

} // namespace

void refitProgram(ProgramT &program) {
  refitLoops(program);
  refitLifetimes(program);
  refitKept(program);
  refitTurns(program);
  refitSizes(program);
}

} // namespace partopt::test
