//===- VerifySchedule.h - The proof of an order ---------------------------===//
//
// Independent of what made the order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINESCHEDULE_VERIFYSCHEDULE_H
#define PARTOPT_PIPELINESCHEDULE_VERIFYSCHEDULE_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"

namespace partopt::pipeline {

/// Shows that every segment runs once per microbatch, on the rank that the
/// placement says, that every order can be run to its end (what an action needs
/// comes before it, and no ranks wait for each other), and that no rank keeps
/// more chunks than the problem's cap. Returns empty, or the first fault with
/// its rank and place.
std::string verifySchedule(const Problem &problem, const Schedule &schedule);

} // namespace partopt::pipeline

#endif // PARTOPT_PIPELINESCHEDULE_VERIFYSCHEDULE_H
