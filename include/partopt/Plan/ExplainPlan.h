//===- ExplainPlan.h - A plan in tables for people ------------------------===//
//
// The tables of `explain`, read from the plan alone, so that a compiled file
// and a fresh compilation say the same.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_EXPLAINPLAN_H
#define PARTOPT_PLAN_EXPLAINPLAN_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <string>
#include <vector>

namespace partopt::plan {

/// Which table of `explain`; All is every one.
enum class ExplainSection {
  All,
  Arguments,
  Results,
  Collectives,
  Mapping, ///< of the mesh onto a cluster
  Memory,
  Stages, ///< of a pipeline: needs a prediction, so not in explainText
  Warnings,
  Notes,
  Roles, ///< arguments: how their roles were found, layers and wrap units
  Layers
};

/// How a data parallel plan computes statistics of the batch: "exact" or
/// "local"; empty for other plans.
std::string batchStatistics(const PlanT &plan);

/// "1.23 ms", "12.3 us".
std::string secondsText(double seconds);

/// ", with statistics of each microbatch," and the like, where a program has
/// others than those of the whole batch; else "".
std::string ownStatistics(const PlanT &plan);

/// The mesh's place on a cluster; plan.mapping is not null.
std::string mappingTable(const PlanT &plan);

/// Plain text of the plan's first entry. Where classes of ranks differ, rows
/// say which ranks they are of. All is every table but Roles and Layers.
std::string explainText(const PlanT &plan,
                        const std::vector<ExplainSection> &sections);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_EXPLAINPLAN_H
