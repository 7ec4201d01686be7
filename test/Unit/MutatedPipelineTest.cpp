//===- MutatedPipelineTest.cpp - Faulty pipelines do not run --------------===//
//
// Pipelines changed at random in one place: what the verifier lets pass must
// come to its end, with the same bits and the counts of its plan.
//
//===----------------------------------------------------------------------===//

#include "PipelineSession.h"
#include "RefitProgram.h"

#include "partopt/Plan/VerifyPlan.h"

#include <random>

using namespace partopt;
using namespace partopt::plan;
using test::Pipeline;

namespace {

class Mutator {
public:
  Mutator(PlanT &plan, unsigned seed)
      : random(seed),
        program(*plan.classes[pick(plan.classes.size())]->programs[0]) {}

  void mutate() {
    switch (pick(8)) {
    case 0:
      std::swap(turns()[pick(turns().size())], turns()[pick(turns().size())]);
      break;
    case 1:
      moveTurn();
      break;
    case 2:
      dropOrDouble();
      break;
    case 3:
      program.buffers[pick(program.buffers.size())]->slots = 1 + pick(3);
      break;
    case 4:
      program.turns->ahead = pick(4);
      break;
    case 5:
      changeMessage();
      break;
    case 6:
      moveInstruction();
      break;
    case 7:
      changeBuffer();
      break;
    }
    test::refitProgram(program);
  }

private:
  uint32_t pick(size_t below) {
    return static_cast<uint32_t>(random() % below);
  }
  std::vector<Turn> &turns() { return program.turns->turns; }
  void moveTurn() {
    auto from = turns().begin() + pick(turns().size());
    Turn turn = *from;
    turns().erase(from);
    turns().insert(turns().begin() + pick(turns().size() + 1), turn);
  }
  void dropOrDouble() {
    auto at = turns().begin() + pick(turns().size());
    if (pick(2))
      turns().erase(at);
    else
      turns().insert(at, Turn(*at));
  }
  CollectiveStartT &message() {
    std::vector<CollectiveStartT *> all;
    for (const auto &instruction : program.instructions)
      if (auto *start = instruction->op.AsCollectiveStart())
        all.push_back(start);
    return *all[pick(all.size())];
  }
  void changeMessage() {
    CollectiveStartT &op = message();
    switch (pick(5)) {
    case 0:
      op.id = pick(4);
      break;
    case 1:
      op.root = pick(4);
      break;
    case 2:
      op.stream = static_cast<uint16_t>(pick(program.num_streams));
      break;
    case 3:
      op.event = pick(program.num_events);
      break;
    case 4:
      op.kind = pick(2) ? CollectiveKind::Send : CollectiveKind::Recv;
      break;
    }
  }
  void moveInstruction() {
    auto &list = program.instructions;
    size_t at = pick(list.size() - 1);
    std::swap(list[at], list[at + 1]);
  }
  /// Another buffer of the same size for an operand or a result.
  void changeBuffer() {
    InstructionT &instruction =
        *program.instructions[pick(program.instructions.size())];
    auto &list = pick(2) ? instruction.reads : instruction.writes;
    if (list.empty())
      return;
    uint32_t from = list[pick(list.size())], to = pick(program.buffers.size());
    if (program.buffers[to]->bytes != program.buffers[from]->bytes)
      return;
    auto replace = [&](std::vector<uint32_t> &buffers) {
      std::replace(buffers.begin(), buffers.end(), from, to);
    };
    replace(instruction.reads);
    replace(instruction.writes);
    if (auto *launch = instruction.op.AsLaunch())
      replace(launch->args);
    if (auto *start = instruction.op.AsCollectiveStart()) {
      replace(start->operands);
      replace(start->results);
    }
  }

  std::mt19937 random;
  ProgramT &program;
};

std::vector<std::vector<float>>
stepOf(std::unique_ptr<PlanT> plan, const Pipeline &pipeline, unsigned seed) {
  rt::SessionOptions options;
  options.collectiveTimeout = std::chrono::milliseconds(10000);
  auto session = test::openPipeline(std::move(plan), pipeline, options);
  std::vector<std::vector<float>> results;
  if (!session)
    return results;
  rt::Status status = session->step(0);
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.message();
  status = session->checkCounts();
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.message();
  for (size_t i = 0; i < session->results(0).size(); ++i)
    results.push_back(test::resultOf(*session, i));
  return results;
}

TEST(MutatedPipelines, AreRefusedOrRunTheSame) {
  unsigned refused = 0;
  for (const char *schedule : {"gpipe", "1f1b", "zb-h1"}) {
    Pipeline pipeline;
    pipeline.schedule = schedule;
    pipeline.ranks = 3;
    auto want = stepOf(test::pipelinePlan(pipeline), pipeline, 0);
    for (unsigned seed = 1; seed <= 400; ++seed) {
      auto plan = test::pipelinePlan(pipeline);
      Mutator(*plan, seed).mutate();
      if (!verifyPlan(*plan).empty()) {
        ++refused;
        continue;
      }
      EXPECT_EQ(stepOf(std::move(plan), pipeline, seed), want)
          << schedule << ", seed " << seed;
    }
  }
  EXPECT_GT(refused, 600u); // of 1200; the rest changed nothing that matters
}

} // namespace
