//===- VerifyTurnLoopsTest.cpp - Loops within turns -----------------------===//
//
// A turn may run a loop of its own while it receives and sends, and no message
// may begin or end in that loop.
//
//===----------------------------------------------------------------------===//

#include "PipelinePlan.h"
#include "PlanFault.h"
#include "RefitProgram.h"
#include "TestPlan.h"

#include "partopt/Plan/VerifyPlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::test;

namespace {

// The second stage receives, waits, computes, and sends the gradient.
enum SecondStage { Recv = 2, Wait, Stage, Send = 10 };

void insert(ProgramT &program, size_t index,
            std::unique_ptr<InstructionT> made) {
  program.instructions.insert(program.instructions.begin() +
                                  static_cast<std::ptrdiff_t>(index),
                              std::move(made));
  ++program.turns->last;
}

/// Loops are numbered in their order.
void renumber(ProgramT &program, uint32_t inner) {
  std::map<uint32_t, uint32_t> now;
  uint32_t count = 0;
  for (auto &instruction : program.instructions)
    if (auto *begin = instruction->op.AsLoopBegin()) {
      now[begin->id] = count;
      begin->id = count++;
    }
  ASSERT_TRUE(now.count(inner));
  for (Turn &turn : program.turns->turns)
    turn.mutate_loop(now.at(turn.loop()));
}

/// Puts instructions [first, last) into a loop that goes around "pipe".
void surround(ProgramT &program, size_t first, size_t last) {
  auto index = static_cast<uint32_t>(program.buffers.size());
  program.buffers.push_back(std::make_unique<BufferT>());
  program.buffers.back()->bytes = 4;
  program.buffers.back()->space = Space::Arena;
  program.buffers.back()->offset = program.arena_bytes;
  program.arena_bytes += 64;
  LoopBeginT begin;
  begin.id = 7;
  begin.trips = 1; // of two devices
  begin.index = index;
  auto made = std::make_unique<InstructionT>();
  made->op.Set(std::move(begin));
  made->writes = {index};
  auto end = std::make_unique<InstructionT>();
  end->op.Set(LoopEndT());
  insert(program, last, std::move(end));
  insert(program, first, std::move(made));
  renumber(program, 7);
  refitProgram(program);
}

std::unique_ptr<PlanT> planWithLoop(size_t first, size_t last) {
  auto plan = pipelinePlan(Pipeline());
  surround(*plan->classes[1]->programs[0], first, last);
  recordDataflow(*plan);
  return plan;
}

bool mentions(const std::vector<std::string> &problems, const char *text) {
  return std::any_of(problems.begin(), problems.end(),
                     [&](const std::string &problem) {
                       return problem.find(text) != std::string::npos;
                     });
}

TEST(VerifyTurnLoops, AReceiveMayBeUnderWayAroundALoop) {
  // What is computed in the loop needs no message: it is empty.
  EXPECT_EQ(verifyPlan(*planWithLoop(Wait, Wait)), std::vector<std::string>());
}

TEST(VerifyTurnLoops, AWaitOfWhatWasStartedInFront) {
  EXPECT_TRUE(mentions(verifyPlan(*planWithLoop(Wait, Stage)),
                       "waits in every iteration of a loop for the collective "
                       "of instruction 2, which is started in front of it"));
}

TEST(VerifyTurnLoops, AMessageThatEveryIterationSends) {
  EXPECT_TRUE(mentions(verifyPlan(*planWithLoop(Send, Send + 1)),
                       "a message of interleaved loops cannot be inside of an "
                       "inner loop"));
}

TEST(VerifyTurnLoops, AReceiveThatIsNotFirst) {
  EXPECT_TRUE(mentions(verifyPlan(*planWithLoop(Recv, Wait)),
                       "a recv of interleaved loops comes behind its loop's "
                       "begin"));
}

} // namespace
