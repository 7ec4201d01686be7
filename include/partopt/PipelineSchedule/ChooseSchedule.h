//===- ChooseSchedule.h - From a word to an order -------------------------===//
//
// What a user says of the order (a name, "auto", a file's text) and of the
// stages, checked together.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_CHOOSESCHEDULE_H
#define PARTOPT_PIPELINESCHEDULE_CHOOSESCHEDULE_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

struct ScheduleRequest {
  std::string name; ///< of scheduleNames(), "auto", or of the file
  /// The text of a schedule file, which then is the order.
  std::optional<std::string> file;
  int ranks = 1;
  int microbatches = 1;
  /// In the chain; absent: one per rank, or two where the schedule is about
  /// having two.
  std::optional<int> stages;
};

struct ScheduleChoice {
  Placement placement;
  bool upAndDown = false; ///< Placement::vee, not Placement::loop
  bool fused = false;     ///< both gradients of a stage are one action
  /// Absent: to be made for the times of the stages.
  std::optional<Schedule> order;
};

/// Reads the file that the request names, if it names one (FILE.csv). Returns
/// empty, or why it cannot be read.
std::string readScheduleFile(ScheduleRequest &request);

/// Returns empty, or which number or word is wrong and the nearest that works.
std::string chooseSchedule(const ScheduleRequest &request,
                           ScheduleChoice &choice);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_CHOOSESCHEDULE_H
