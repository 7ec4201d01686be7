//===- ScheduleFile.h - Orders in PyTorch's schedule files ----------------===//
//
// One line per rank, one cell per action, as PipelineScheduleMulti writes and
// loads them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_SCHEDULEFILE_H
#define PARTOPT_PIPELINESCHEDULE_SCHEDULEFILE_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

/// What the text of a file says.
struct ScheduleFile {
  Schedule schedule;
  Placement placement; ///< each stage where its actions stand
  int microbatches = 0;
  bool forwardOnly = false; ///< no action is a gradient's
};

/// Reads such text. Cells are `3F0` (stage; F, I, W or B; microbatch), pairs
/// `(0F3;3B1)OVERLAP_F_B` (the word may be missing), or empty, where a rank
/// waits. Sends, receives, UNSHARD, RESHARD and REDUCE_GRAD are left out: they
/// follow from the order. Returns empty, or what is wrong as "LINE:COLUMN: …",
/// both from 1. The orders are not verified.
std::string parseScheduleCsv(const std::string &text, ScheduleFile &file);

/// The text that PyTorch loads, and parseScheduleCsv too.
std::string scheduleCsv(const Schedule &schedule);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_SCHEDULEFILE_H
