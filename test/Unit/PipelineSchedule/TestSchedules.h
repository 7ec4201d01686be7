//===- TestSchedules.h - Problems and schedules for tests -----------------===//

#ifndef PARTOPT_TEST_UNIT_PIPELINESCHEDULE_TESTSCHEDULES_H
#define PARTOPT_TEST_UNIT_PIPELINESCHEDULE_TESTSCHEDULES_H

#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/SimulateSchedule.h"
#include "partopt/PipelineSchedule/VerifySchedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace partopt::pipeline {

inline void PrintTo(const StageTimes &times, std::ostream *out) {
  *out << "(" << times.forward << "," << times.inputGrad << ","
       << times.weightGrad << ")";
}

/// The problem of a named schedule with alike stages.
inline Problem problemOf(const std::string &name, const ScheduleShape &shape,
                         StageTimes times = {}, double latency = 0) {
  Problem problem;
  problem.placement = placementOf(name, shape);
  problem.microbatches = shape.microbatches;
  problem.times.assign(problem.stages(), times);
  problem.latency = latency;
  problem.forwardOnly = isForwardOnly(name);
  return problem;
}

/// The named schedule, proven, timed.
inline Timing timingOf(const std::string &name, const ScheduleShape &shape,
                       StageTimes times = {}, double latency = 0) {
  EXPECT_EQ(checkShape(name, shape), "");
  Problem problem = problemOf(name, shape, times, latency);
  Schedule schedule = makeSchedule(name, shape);
  EXPECT_EQ(verifySchedule(problem, schedule), "")
      << name << " p=" << shape.ranks << " m=" << shape.microbatches;
  return simulateSchedule(problem, schedule);
}

inline int largestPeak(const Timing &timing) {
  return *std::max_element(timing.peak.begin(), timing.peak.end());
}

/// Times that closed forms are held to.
inline const std::vector<StageTimes> &timeTriples() {
  static const std::vector<StageTimes> triples = {
      {1, 1, 1}, {2, 3, 2}, {1, 2, 1}, {2, 2, 1}, {3, 2, 1}, {2, 5, 4}};
  return triples;
}

} // namespace partopt::pipeline

#endif // PARTOPT_TEST_UNIT_PIPELINESCHEDULE_TESTSCHEDULES_H
