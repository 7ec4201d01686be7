//===- NamedSchedules.h - Published schedules by their names --------------===//
//
// Each is a rule for the order of rank r among p, for m microbatches and v
// chunks per rank. docs/RationaleSchedules.md says where they come from.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_NAMEDSCHEDULES_H
#define PARTOPT_PIPELINESCHEDULE_NAMEDSCHEDULES_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

/// What a named schedule is asked for.
struct ScheduleShape {
  int ranks = 1;
  int microbatches = 1;
  /// Chunks per rank; absent: as many as the schedule has (1 where it takes any
  /// number).
  std::optional<int> chunks;
  /// Interleaved schedules: microbatches that pass a chunk before the next
  /// one's turn. Absent: PyTorch's rule, microbatches / max(1, microbatches /
  /// ranks), which has to come out even. Given: Megatron's rule, from ranks to
  /// microbatches, where the last group has at least as many as there are
  /// ranks.
  std::optional<int> groupSize;
  /// Interleaved 1F1B: forwards that are issued ahead of the usual ones, 1 in
  /// Kimi K2 and in Megatron where expert parallelism is overlapped.
  int extraWarmup = 0;
};

/// Every name that makeSchedule takes, in the order of docs.
const std::vector<std::string> &scheduleNames();

/// The name's chunks per rank for `shape`.
int chunksOf(const std::string &name, const ScheduleShape &shape);

/// Whether the schedule of that name can have so many chunks per rank.
bool takesChunks(const std::string &name, int chunks);

/// Whether the schedule has no backward pass.
bool isForwardOnly(const std::string &name);

/// Empty, or which number the schedule of that name cannot take and the nearest
/// one that it can. The name is one of scheduleNames().
std::string checkShape(const std::string &name, const ScheduleShape &shape);

/// Where the stages run, for a shape that is checked.
Placement placementOf(const std::string &name, const ScheduleShape &shape);

/// The orders, for a shape that is checked.
Schedule makeSchedule(const std::string &name, const ScheduleShape &shape);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_NAMEDSCHEDULES_H
