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
  LoopBeginT *open = nullptr;
  uint32_t begin = 0;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    OpUnion &op = program.instructions[i]->op;
    if (auto *first = op.AsLoopBegin()) {
      open = first;
      begin = i;
    } else if (auto *last = op.AsLoopEnd(); last && open) {
      open->end = i;
      last->begin = begin;
      open = nullptr;
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

void refitSizes(ProgramT &program) {
  uint64_t top = 0;
  for (const auto &buffer : program.buffers)
    if (buffer->space == Space::Arena)
      top = std::max(top, buffer->offset + buffer->bytes);
  program.arena_bytes =
      (top + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
  program.peak_bytes = program.resident_bytes + program.arena_bytes;
}

} // namespace

void refitProgram(ProgramT &program) {
  refitLoops(program);
  refitLifetimes(program);
  refitKept(program);
  refitSizes(program);
}

} // namespace partopt::test
