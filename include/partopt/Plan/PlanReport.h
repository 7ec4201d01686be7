//===- PlanReport.h - What a plan says about itself -----------------------===//
//
// The machine-readable report (schema 1) and the tables of `explain`, both
// read from the plan alone, so that a compiled file and a fresh compilation
// report the same.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PLANREPORT_H
#define PARTOPT_PLAN_PLANREPORT_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace partopt::plan {

/// One CollectiveStart of an entry, as the report counts it.
struct CollectiveSummary {
  const CollectiveStartT *start;
  const InstructionT *instruction;
  uint64_t groupSize;
  uint64_t payloadBytes; ///< per device and execution
  double wireBytes;      ///< per device and step, by the ring formula
};

/// The collectives of the entry's busiest rank class (most wire bytes), in
/// program order. Empty when the plan has no such entry.
std::vector<CollectiveSummary> summariseCollectives(const PlanT &plan,
                                                    uint32_t entry = 0);

/// What a run measured; every vector of counts has one element per rank.
struct Measured {
  std::vector<double> stepSeconds;
  double exposedCommunicationSeconds = 0;
  std::vector<uint64_t> wireBytesSent; ///< per step, counted in the transport
  std::map<std::string, uint64_t> collectivesExecuted; ///< per step, rank 0
  std::vector<uint64_t> arenaBytes; ///< counted in the allocator
};

/// The report's text. `phases` are names and seconds of the compilation, empty
/// when a plan file was read; `measured` is null when nothing ran.
std::string
reportJson(const PlanT &plan,
           const std::vector<std::pair<std::string, double>> &phases,
           const Measured *measured);

/// Which table of `explain`; All is every one.
enum class ExplainSection {
  All,
  Arguments,
  Results,
  Collectives,
  Memory,
  Warnings
};

/// Plain text, 80 columns where the names allow it.
std::string explainText(const PlanT &plan, ExplainSection section);

/// "param", …, "unknown".
const char *roleText(Role role);
/// "forward", …, "unspecified".
const char *phaseText(Phase phase);

/// "data=2,model=4"; "one device" for an empty mesh.
std::string meshText(const PlanT &plan);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_PLANREPORT_H
