//===- VerifyTurnsTest.cpp - Broken pipelines are refused -----------------===//
//
// A pipeline of two stages under 1F1B, broken in every way in which it would
// hang, race or compute something else.
//
//===----------------------------------------------------------------------===//

#include "PipelinePlan.h"
#include "PlanFault.h"
#include "RefitProgram.h"
#include "TestPlan.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::test;

namespace {

// F of the first stage is a slice, a stage and a send; its B is a receive and
// the gradient. The second one's F begins with a receive, its B ends with a
// send.
enum FirstStage { Clear, Begin0, Slice, Stage, Send, End0, Begin1, Recv };
enum FirstStageB { Weight = 9 };
enum SecondStage { Recv2 = 2, Back2 = 8, Send2 = 10 };
constexpr uint32_t x = pipelined::input, y = x + 1;

CollectiveStartT &startOf(ProgramT &program, size_t index) {
  return *program.instructions[index]->op.AsCollectiveStart();
}
LoopBeginT &loopOf(ProgramT &program, size_t index) {
  return *program.instructions[index]->op.AsLoopBegin();
}
ProgramT &second(PlanT &plan) { return *plan.classes[1]->programs[0]; }
std::vector<Turn> &turnsOf(ProgramT &program) { return program.turns->turns; }

/// Another slot, where there is room.
void grow(ProgramT &program, uint32_t buffer) {
  program.buffers[buffer]->offset = program.arena_bytes;
  program.buffers[buffer]->slots += 1;
  refitProgram(program);
}

uint32_t addBuffer(ProgramT &program, uint64_t bytes) {
  program.buffers.push_back(std::make_unique<BufferT>());
  program.buffers.back()->bytes = bytes;
  program.buffers.back()->space = Space::Arena;
  program.buffers.back()->offset = program.arena_bytes;
  program.arena_bytes += 64;
  return static_cast<uint32_t>(program.buffers.size() - 1);
}

/// Puts an instruction into the turns' loops, before `index`.
template <typename Op>
void insert(ProgramT &program, size_t index, Op op,
            std::vector<uint32_t> reads = {},
            std::vector<uint32_t> writes = {}) {
  auto made = std::make_unique<InstructionT>();
  made->op.Set(std::move(op));
  made->reads = std::move(reads);
  made->writes = std::move(writes);
  program.instructions.insert(program.instructions.begin() +
                                  static_cast<std::ptrdiff_t>(index),
                              std::move(made));
  ++program.turns->last;
  refitProgram(program);
}

void insertWait(ProgramT &program, size_t index, uint32_t event) {
  WaitT op;
  op.event = event;
  insert(program, index, op);
}

const PlanFault tableFaults[] = {
    {"a backward before its forward",
     [](PlanT &, ProgramT &p) { // F0 F1 B0 F2 …
       std::rotate(turnsOf(p).begin(), turnsOf(p).begin() + 2,
                   turnsOf(p).begin() + 3);
     },
     "turn 0 (loop 1, iteration 0) reads buffer 2 before loop 0 has made it in "
     "its iteration 0"},
    {"a turn left out", [](PlanT &, ProgramT &p) { turnsOf(p).pop_back(); },
     "loop 1 has 3 turns for 4 iterations"},
    {"a turn twice",
     [](PlanT &, ProgramT &p) {
       turnsOf(p).insert(turnsOf(p).begin(), turnsOf(p).front());
     },
     "turn 1 (loop 0, iteration 0) comes where the loop's iteration 1 is next"},
    {"iterations out of order",
     [](PlanT &, ProgramT &p) { std::swap(turnsOf(p)[0], turnsOf(p)[1]); },
     "turn 0 (loop 0, iteration 1) comes where the loop's iteration 0 is next"},
    {"a turn of another loop",
     [](PlanT &, ProgramT &p) { turnsOf(p)[0].mutate_loop(7); },
     "turn 0 (loop 7, iteration 0) is of none of them"},
    {"not whole loops", [](PlanT &, ProgramT &p) { ++p.turns->first; },
     "they are not whole loops, outermost and one behind the other"},
    {"out of the program", [](PlanT &, ProgramT &p) { p.turns->last = 99; },
     "loops of instructions [1, 99]: the program has 14 instructions"},
};

const PlanFault bufferFaults[] = {
    {"a slot less",
     [](PlanT &, ProgramT &p) {
       --p.buffers[x]->slots;
       refitProgram(p);
     },
     "turn 1 (loop 0, iteration 1) writes buffer 2, slot 0 of 1, before loop 1 "
     "has read its iteration 0 there"},
    {"a slot less to receive into",
     [](PlanT &plan, ProgramT &) {
       --second(plan).buffers[x]->slots;
       refitProgram(second(plan));
     },
     "turn 1 (loop 1, iteration 0) starts to receive for turn 2 (loop 0, "
     "iteration 1) buffer 2, slot 0 of 1, before loop 1 has read its iteration "
     "0 there"},
    {"receives further ahead than slots",
     [](PlanT &plan, ProgramT &) { second(plan).turns->ahead = 3; },
     "turn 1 (loop 1, iteration 0) starts to receive for turn 4"},
    {"no slot", [](PlanT &, ProgramT &p) { p.buffers[y]->slots = 0; },
     "has 0 slots of 16 bytes"},
    {"slots that overlap",
     [](PlanT &, ProgramT &p) { p.buffers[y]->stride = 8; },
     "has 2 slots of 16 bytes, 8 from one to the next"},
    {"slots in another buffer",
     [](PlanT &, ProgramT &p) { p.buffers[y]->stride += 64; },
     "overlaps buffer"},
    {"slots outside of turns",
     [](PlanT &, ProgramT &p) { grow(p, p.instructions[Clear]->writes[0]); },
     "2 slots, which only turns of interleaved loops choose among"},
    {"a carried buffer with slots",
     [](PlanT &, ProgramT &p) { grow(p, loopOf(p, Begin1).index); },
     "is carried by loop 1 and has 2 slots"},
    {"a carried buffer that another loop reads",
     [](PlanT &plan, ProgramT &) {
       ProgramT &p = second(plan);
       uint32_t loss = loopOf(p, Begin0).carried[0];
       p.instructions[Back2]->reads.push_back(loss);
       auto &args = p.instructions[Back2]->op.AsLaunch()->args;
       args.insert(args.begin(), loss);
     },
     "is carried by loop 0 and used by loop 1, which takes turns with it"},
    {"what a loop starts from",
     [](PlanT &, ProgramT &p) {
       uint32_t zeros = loopOf(p, Begin1).inits[0];
       p.instructions[Stage]->writes.push_back(zeros);
       p.instructions[Stage]->op.AsLaunch()->args.push_back(zeros);
     },
     "is what loop 1 starts from, and written by loop 0"},
    {"two loops write what is kept",
     [](PlanT &, ProgramT &p) {
       p.instructions[Weight]->writes.push_back(y);
       p.instructions[Weight]->op.AsLaunch()->args.push_back(y);
     },
     "buffer 3 is written by loop 0 and loop 1, which take turns, and kept"},
    {"a handed over buffer's lifetime",
     [](PlanT &, ProgramT &p) { p.buffers[x]->first = Slice; },
     "buffer 2, live [2, 10], is kept between turns of the loops of "
     "instructions [1, 10] and must be live over all of them"},
    {"a class that changes among turns",
     [](PlanT &, ProgramT &p) {
       p.buffers[x]->holds = {Held(MemoryClass::Activations, Begin0),
                              Held(MemoryClass::Other, Begin1)};
     },
     "buffer 2 changes its class at instruction 6"},
};

const PlanFault messageFaults[] = {
    {"a wait for a send",
     [](PlanT &, ProgramT &p) { insertWait(p, End0, startOf(p, Send).event); },
     "waits for the send of instruction 4, which is over before what it reads"},
    {"a receive that is not first",
     [](PlanT &, ProgramT &p) {
       uint32_t index = addBuffer(p, 4);
       AxisIndexT op;
       op.target = index;
       insert(p, Recv, op, {}, {index});
     },
     "a recv of interleaved loops comes behind its loop's begin"},
    {"to itself", [](PlanT &, ProgramT &p) { startOf(p, Send).root = 0; },
     "its peer 0 in groups over {pipe} is rank 0 itself"},
    {"no such peer", [](PlanT &, ProgramT &p) { startOf(p, Send).root = 5; },
     "its peer 5 is not in the group of 2"},
    {"results of a send",
     [](PlanT &, ProgramT &p) { startOf(p, Send).results = {y}; },
     "has 1 operands, 1 results and 1 counts"},
    {"combined",
     [](PlanT &, ProgramT &p) { startOf(p, Send).combiner = Combiner::Sum; },
     "send with the combiner sum"},
    {"a channel's ends exchanged",
     [](PlanT &plan, ProgramT &) {
       std::swap(startOf(second(plan), Recv2).id,
                 startOf(second(plan), Send2).id);
     },
     "class 'stage1' does not receive channel 0"},
    {"a channel twice",
     [](PlanT &, ProgramT &p) {
       CollectiveStartT op = startOf(p, Send);
       op.event = p.num_events++;
       insert(p, End0, op, {y});
     },
     "channel 0 is used by instruction 4 already"},
    {"an event twice",
     [](PlanT &, ProgramT &p) {
       startOf(p, Send).event = startOf(p, Recv).event;
     },
     "is that of instruction 4, and one of them is started in turns"},
    {"other bytes",
     [](PlanT &plan, ProgramT &) { startOf(second(plan), Recv2).counts = {2}; },
     "is a send of f32, counts 4, stream 1, 4 times, class 'stage1', entry "
     "'main', instruction 2"},
    {"one stream for both ways",
     [](PlanT &, ProgramT &p) {
       startOf(p, Recv).stream = startOf(p, Send).stream;
     },
     "recv shares stream 1 with the send of instruction 4"},
    {"another value",
     [](PlanT &plan, ProgramT &) {
       startOf(second(plan), Send2).operands = {y};
       second(plan).instructions[Send2]->reads = {y};
     },
     "class 'stage0', entry 'main': out1 'w0' is not computed by the"},
};

class VerifyTurns : public testing::TestWithParam<PlanFault> {};

TEST_P(VerifyTurns, IsRefused) {
  expectRefused(*pipelinePlan(Pipeline()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Tables, VerifyTurns, testing::ValuesIn(tableFaults),
                         faultName);
INSTANTIATE_TEST_SUITE_P(Buffers, VerifyTurns, testing::ValuesIn(bufferFaults),
                         faultName);
INSTANTIATE_TEST_SUITE_P(Messages, VerifyTurns,
                         testing::ValuesIn(messageFaults), faultName);

TEST(VerifyProgress, OrdersThatWaitForEachOther) {
  Pipeline pipeline;
  auto fast = pipelinePlan(pipeline);
  pipeline.schedule = "gpipe"; // all forwards of the second stage come first
  auto plan = pipelinePlan(pipeline);
  plan->classes[0]->programs[0]->turns->turns =
      fast->classes[0]->programs[0]->turns->turns;
  std::vector<std::string> problems = verifyPlan(*plan);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0],
            "the waits are cyclic, nothing can move: rank 0, class 'stage0', "
            "entry 'main', instruction 8 (wait, at \"step.py\":7:3) in turn 2 "
            "(loop 1, iteration 0) waits for recv 1 from class 'stage1'; rank "
            "1, class 'stage1', entry 'main', instruction 3 (wait, at "
            "\"step.py\":7:3) in turn 2 (loop 0, iteration 2) waits for recv 0 "
            "from class 'stage0'");
}

TEST(VerifyProgress, MessagesComeInTheOrderInWhichTheyAreTaken) {
  auto plan = pipelinePlan(Pipeline());
  ProgramT &p = *plan->classes[0]->programs[0], &q = second(*plan);
  CollectiveStartT send = startOf(p, Send), receive = startOf(q, Recv2);
  send.id = receive.id = 5;
  send.event = p.num_events++;
  receive.event = q.num_events++;
  uint32_t copy = addBuffer(q, 16);
  q.buffers[copy]->slots = 2;
  q.buffers[copy]->stride = 64;
  receive.results = {copy};
  insert(p, End0, send, {y});
  insert(q, Recv2 + 1, receive, {}, {copy});
  insertWait(q, Recv2 + 3, receive.event);
  EXPECT_EQ(verifyPlan(*plan), std::vector<std::string>());
  std::swap(p.instructions[Send], p.instructions[Send + 1]);
  std::vector<std::string> problems = verifyPlan(*plan);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("receives channel 0 where class 'stage0', entry "
                             "'main', instruction 4 sends channel "
                             "5 first"),
            std::string::npos)
      << problems[0];
}

} // namespace
