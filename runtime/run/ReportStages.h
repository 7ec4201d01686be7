//===- ReportStages.h - Ranks and stages in the report --------------------===//
//
// The parts "rank_classes" and "stages": what programs of different ranks need,
// send and wait for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_REPORTSTAGES_H
#define PARTOPT_RUNTIME_RUN_REPORTSTAGES_H

#include "partopt-rt/Session.h"
#include "partopt/Simulate/Simulate.h"

#include <nlohmann/json.hpp>

namespace partopt::rt {

/// By class of ranks: its ranks, bytes and predicted times. Bytes sent are per
/// device and step, by the formula of the collectives.
nlohmann::ordered_json
rankClassesJson(const plan::PlanT &plan, size_t entry,
                const std::vector<simulate::Prediction> &predictions,
                const std::vector<simulate::Timeline> &timelines);

/// By stage of a pipeline; empty without one.
nlohmann::ordered_json
stagesJson(const plan::PlanT &plan, size_t entry,
           const std::vector<simulate::Timeline> &timelines);

/// "measured.stash": what the stages of each rank kept while steps ran, by rank
/// and stage; empty without a pipeline.
nlohmann::ordered_json measuredStash(const SessionStats &stats);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_REPORTSTAGES_H
