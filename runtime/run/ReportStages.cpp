//===- ReportStages.cpp - Ranks and stages in the report ------------------===//
//
// See ReportStages.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/ReportStages.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanText.h"
#include "partopt/Report/Stages.h"

#include <cmath>

namespace partopt::rt {

using Json = nlohmann::ordered_json;

static double bytesSent(const plan::ProgramT &program,
                        const plan::MeshMath &mesh) {
  double bytes = 0;
  for (const auto &instruction : program.instructions)
    if (const auto *op = instruction->op.AsCollectiveStart())
      bytes += op->trip_count *
               plan::formulaWireBytes(*op, mesh.groupSize(op->axes));
  return bytes;
}

Json rankClassesJson(const plan::PlanT &plan, size_t entry,
                     const std::vector<simulate::Prediction> &predictions,
                     const std::vector<simulate::Timeline> &timelines) {
  plan::MeshMath mesh(plan);
  Json classes = Json::array();
  for (size_t i = 0; i < plan.classes.size(); ++i) {
    const plan::ProgramT &program = *plan::programOf(*plan.classes[i], entry);
    classes.push_back(
        {{"name", plan.classes[i]->name},
         {"ranks", plan::ranksOf(plan, i)},
         {"resident_bytes", program.resident_bytes},
         {"peak_bytes", program.peak_bytes},
         {"predicted_stash_chunks", report::predictStash(plan, program).chunks},
         {"wire_bytes", std::llround(bytesSent(program, mesh))},
         {"predicted_step_s", predictions[i].step},
         {"compute_s", predictions[i].compute},
         {"exposed_communication_s", predictions[i].exposed},
         {"idle_fraction", report::idleFraction(plan, program, timelines[i])}});
  }
  return classes;
}

Json stagesJson(const plan::PlanT &plan, size_t entry,
                const std::vector<simulate::Timeline> &timelines) {
  Json stages = Json::array();
  for (const report::Stage &stage : report::stagesOf(plan, entry, timelines))
    stages.push_back(
        {{"stage", stage.number},
         {"rank_class", stage.classIndex},
         {"ranks", plan::ranksOf(plan, stage.classIndex)},
         {"layers", stage.layers},
         {"loc", stage.source},
         {"time_fraction", stage.share},
         {"parameter_bytes", stage.parameterBytes},
         {"stash_bytes", stage.stash.bytes},
         {"stash_slots", stage.stash.slots},
         {"stash_kept_slots", stage.stash.keptSlots},
         {"predicted_stash_microbatches", stage.predicted.microbatches},
         {"predicted_stash_bytes", stage.predicted.bytes}});
  return stages;
}

Json measuredStash(const SessionStats &stats) {
  Json ranks = Json::array();
  for (const std::vector<plan::RankStash> &entries : stats.stash)
    for (const plan::RankStash &stash : entries) {
      if (stash.stages.empty())
        continue;
      Json stages = Json::array();
      for (const auto &[number, stage] : stash.stages)
        stages.push_back({{"stage", number},
                          {"microbatches", stage.microbatches},
                          {"bytes", stage.bytes}});
      ranks.push_back({{"rank", &entries - stats.stash.data()},
                       {"chunks", stash.chunks},
                       {"stages", std::move(stages)}});
    }
  return ranks;
}

} // namespace partopt::rt
