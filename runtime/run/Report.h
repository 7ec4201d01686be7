//===- Report.h - The machine-readable report -----------------------------===//
//
// Schema 1 of --report-json: what the plan says, and beside it what a run
// measured. The compiler adds its own parts to the same object.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_REPORT_H
#define PARTOPT_RUNTIME_RUN_REPORT_H

#include "partopt-rt/Session.h"

#include <nlohmann/json.hpp>

namespace partopt::rt {

/// Everything of the schema that is in the plan, for one of its entries, and
/// what is predicted for `machine`, which must have been resolved for the plan.
nlohmann::ordered_json planReport(const plan::PlanT &plan, size_t entry,
                                  const simulate::Machine &machine);

/// The part "measured". Bytes and collectives are per step; exposed
/// communication and excess over the compute model are medians over the steps.
nlohmann::ordered_json measuredReport(const SessionStats &stats);

/// Writes the report; the file appears whole or not at all.
Status writeReport(const std::string &path,
                   const nlohmann::ordered_json &report);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_REPORT_H
