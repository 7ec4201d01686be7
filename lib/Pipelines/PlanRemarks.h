//===- PlanRemarks.h - What only the whole plan shows -----------*- C++ -*-===//
//
// Warnings and notes that are read off a plan when it is made.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINES_PLANREMARKS_H
#define PARTOPT_LIB_PIPELINES_PLANREMARKS_H

#include "partopt/Plan/PlanFormat_generated.h"
#include "partopt/Support/CompileOptions.h"

namespace partopt {

/// Adds a remark on the whole plan to its warnings or notes.
void addRemark(std::vector<std::unique_ptr<plan::WarningT>> &list,
               const std::string &code, const std::string &message);

/// Warns of batches that the devices do not divide, and notes which figure
/// stands for a peak that the device does not give.
void addPlanRemarks(const CompileOptions &options, plan::PlanT &plan);

} // namespace partopt

#endif // PARTOPT_LIB_PIPELINES_PLANREMARKS_H
