//===- SimulatePipelineTest.cpp - Predicted steps of pipelines ------------===//
//
// Turns, messages and waiting of several programs together take as long as the
// simulator of schedules says of the same order and times.
//
//===----------------------------------------------------------------------===//

#include "PipelinePlan.h"

#include "partopt/PipelineSchedule/SimulateSchedule.h"
#include "partopt/Plan/Peers.h"
#include "partopt/Report/Stages.h"
#include "partopt/Simulate/Simulate.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::simulate;
using test::Pipeline;

namespace {

/// One operation per second; messages take `latency` on axis "pipe".
Machine machineWith(double latency, double bytesPerSecond = 1e30) {
  Machine machine;
  machine.device = {1, 1e30, 0};
  machine.links.assign(3, LinkSpeed{latency, bytesPerSecond});
  return machine;
}

double predictedStep(const Pipeline &pipeline, const Machine &machine) {
  double slowest = 0;
  for (const Prediction &one :
       simulateEntry(*test::pipelinePlan(pipeline), 0, machine))
    slowest = std::max(slowest, one.step);
  return slowest;
}

/// A pipeline, and how its schedule goes in the simulator of schedules.
struct Timed {
  Pipeline pipeline;
  pipeline::Timing timing;

  Timed(const char *schedule, uint32_t ranks, double latency) {
    pipeline.schedule = schedule;
    pipeline.ranks = ranks;
    pipeline.microbatches = 6;
    pipeline.stageFlops = 3;
    pipeline.backFlops = 4;
    pipeline.weightFlops = 2;
    pipeline::Problem problem;
    problem.placement = pipeline::Placement::loop(static_cast<int>(ranks), 1);
    problem.microbatches = 6;
    problem.latency = latency;
    problem.times.assign(ranks, {3, 4, 2});
    problem.times[0].inputGrad = 0; // nobody waits for it
    timing = pipeline::simulateSchedule(problem, pipeline.order());
  }
};

TEST(SimulatePipeline, AgreesWithTheSchedule) {
  for (const char *schedule : {"gpipe", "1f1b", "zb-h1"})
    for (uint32_t ranks : {2u, 3u, 4u})
      for (double latency : {0.0, 0.5, 7.0}) {
        Timed timed(schedule, ranks, latency);
        EXPECT_NEAR(predictedStep(timed.pipeline, machineWith(latency)),
                    timed.timing.makespan, 1e-9)
            << schedule << " on " << ranks << ", latency " << latency;
      }
}

/// What a rank does not compute between its first and its last step, as a part
/// of that time, on average.
double scheduledBubble(const pipeline::Timing &timing) {
  double sum = 0;
  for (const auto &steps : timing.steps) {
    double busy = 0;
    for (const pipeline::StepTime &step : steps)
      busy += step.end - step.start;
    sum += 1 - busy / (steps.back().end - steps.front().start);
  }
  return sum / static_cast<double>(timing.steps.size());
}

TEST(SimulatePipeline, TheBubbleIsTheSchedules) {
  for (const char *schedule : {"gpipe", "1f1b", "zb-h1"})
    for (double latency : {0.0, 0.5, 7.0}) {
      Timed timed(schedule, 4, latency);
      std::unique_ptr<plan::PlanT> plan = test::pipelinePlan(timed.pipeline);
      std::vector<Timeline> timelines;
      simulateEntry(*plan, 0, machineWith(latency), &timelines);
      EXPECT_NEAR(report::bubbleFraction(*plan, 0, timelines),
                  scheduledBubble(timed.timing), 1e-9)
          << schedule << ", latency " << latency;
    }
}

TEST(SimulatePipeline, ATimelineIsTheWholeStep) {
  Timed timed("1f1b", 3, 0.5);
  std::unique_ptr<plan::PlanT> plan = test::pipelinePlan(timed.pipeline);
  std::vector<Timeline> timelines;
  std::vector<Prediction> predictions =
      simulateEntry(*plan, 0, machineWith(0.5), &timelines);
  ASSERT_EQ(timelines.size(), 3u);
  for (size_t i = 0; i < timelines.size(); ++i) {
    double at = 0;
    for (const Interval &step : timelines[i].steps) {
      EXPECT_EQ(step.start, at);
      at = step.end;
    }
    EXPECT_EQ(at, predictions[i].step);
    // A message is in the timelines of both its ends: 6 each way and neighbour.
    size_t messages = 0;
    for (const Interval &transfer : timelines[i].transfers)
      messages += plan::isMessage(*plan->classes[i]
                                       ->programs[0]
                                       ->instructions[transfer.instruction]
                                       ->op.AsCollectiveStart());
    EXPECT_EQ(messages, i == 1 ? 24u : 12u);
  }
}

TEST(SimulatePipeline, AMessageTakesItsSendersLink) {
  // Two forwards of a second each; a row is 16 bytes at 2 bytes a second, so
  // the second one leaves at 1 + 8 + 8 and arrives half a second later.
  Pipeline pipeline;
  pipeline.schedule = "gpipe";
  pipeline.microbatches = 2;
  pipeline.stageFlops = 1;
  std::vector<Prediction> classes =
      simulateEntry(*test::pipelinePlan(pipeline), 0, machineWith(0.5, 2));
  // The second stage's gradients follow at once: 18.5, of 8 seconds each.
  EXPECT_DOUBLE_EQ(classes[1].step, 18.5);
  EXPECT_DOUBLE_EQ(classes[1].exposed, 16.5);
  EXPECT_DOUBLE_EQ(classes[0].step, 18.5 + 16.5);
  ASSERT_EQ(classes[0].collectives.size(), 3u); // send, recv, all_reduce
  EXPECT_DOUBLE_EQ(classes[0].collectives[0].start, 1);
  EXPECT_DOUBLE_EQ(classes[0].collectives[0].end, 9.5);
}

} // namespace
