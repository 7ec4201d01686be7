//===- PlanTables.cpp - The page's tables ---------------------------------===//
//
// Summary, stages, shardings, collectives by source line, and remarks.
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "Page.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/PlanText.h"
#include "partopt/Report/Stages.h"
#include "partopt/Simulate/ProductPeaks.h"

#include <algorithm>
#include <cmath>

namespace partopt::report {

/// How many parts a batch is cut into over time.
static std::string microbatchesText(const plan::PlanT &plan) {
  std::string text;
  for (const auto &axis : plan.mesh)
    if (axis->kind == plan::AxisKind::Time)
      text += (text.empty() ? "" : ", ") + std::to_string(axis->size);
  return text.empty() ? "1" : text;
}

std::string summary(const Page &page) {
  const plan::PlanT &plan = page.plan;
  uint64_t peak = 0;
  const simulate::Prediction *slowest = &page.predictions[0];
  for (size_t i = 0; i < plan.classes.size(); ++i) {
    peak = std::max(peak, page.program(i).peak_bytes);
    if (page.predictions[i].step >= slowest->step)
      slowest = &page.predictions[i];
  }
  HtmlTable table({"", ""}, {});
  table.add({"model", plan.model});
  table.add({"strategy", plan.strategy});
  table.add({"mesh", plan::meshText(plan)});
  table.add({"devices", std::to_string(plan.devices)});
  table.add({"microbatches", microbatchesText(plan)});
  table.add({"predicted step",
             plan::secondsText(page.step) + " on " + page.machine.name});
  table.add({"computes", plan::secondsText(slowest->compute) +
                             " of it on the slowest rank"});
  table.add({"waits", plan::secondsText(slowest->exposed) +
                          " of it on the slowest rank"});
  for (const simulate::ProductPeak &peak :
       simulate::productPeaks(plan, page.entry, page.machine.device))
    table.add({"arithmetic", peak.text()});
  bool isPipeline = page.program(0).turns != nullptr;
  if (isPipeline)
    table.add({"bubble",
               percentText(bubbleFraction(plan, page.entry, page.timelines)) +
                   " between a rank's first and last segment, on average"});
  table.add({"memory", bytesText(peak) + " on the device that needs most"});
  table.add({"partopt", plan.partopt_version});
  return table.text();
}

std::string stages(const Page &page) {
  HtmlTable table({"stage", "ranks", "layers", "begins at", "time",
                   "parameters", "stash", "kept", "stash slots", "idle",
                   "peak"},
                  {0, 4, 5, 6, 7, 8, 9, 10});
  std::vector<Stage> list = stagesOf(page.plan, page.entry, page.timelines);
  for (const Stage &stage : list) {
    const plan::ProgramT &program = page.program(stage.classIndex);
    double idle =
        idleFraction(page.plan, program, page.timelines[stage.classIndex]);
    table.add({std::to_string(stage.number), page.ranks(stage.classIndex),
               layersText(stage), stage.source, percentText(stage.share),
               bytesText(stage.parameterBytes), bytesText(stage.stash.bytes),
               std::to_string(stage.predicted.microbatches),
               std::to_string(stage.stash.slots), percentText(idle),
               bytesText(program.peak_bytes)});
  }
  return list.empty() ? "" : section("stages", "Stages", table.text());
}

/// Arguments or results, each part of one by itself, and who has them.
static std::string tensorTable(const Page &page,
                               const std::vector<plan::HeldTensor> &tensors) {
  HtmlTable table({"", "name", "role", "shape", "sharding", "bytes",
                   "per device", "rows", "ranks"},
                  {5, 6});
  for (const plan::HeldTensor &held : tensors) {
    const plan::TensorT &tensor = *held.tensor;
    uint64_t size = plan::elementSize(tensor.type);
    std::string rows = plan::rowsText(tensor);
    std::vector<uint32_t> ranks;
    for (size_t owner : held.classes) {
      std::vector<uint32_t> some = plan::ranksOf(page.plan, owner);
      ranks.insert(ranks.end(), some.begin(), some.end());
    }
    std::sort(ranks.begin(), ranks.end());
    table.add({tensor.index_name, tensor.name, plan::roleName(tensor.role),
               plan::shapeText(tensor.global_shape, tensor.type),
               tensor.sharding_text,
               std::to_string(plan::elementCount(tensor.global_shape) * size),
               std::to_string(plan::elementCount(tensor.local_shape) * size),
               rows.empty() ? "all" : rows, plan::ranksText(ranks)});
  }
  return table.text();
}

std::string shardings(const Page &page) {
  return "<h3>arguments</h3>\n" +
         tensorTable(page, plan::heldArguments(page.plan, page.entry)) +
         "<h3>results</h3>\n" +
         tensorTable(page, plan::heldResults(page.plan, page.entry));
}

std::string collectives(const Page &page) {
  HtmlTable table({"ranks", "kind", "axes", "tensors", "payload bytes",
                   "bytes sent", "phase", "source", "why"},
                  {3, 4, 5});
  for (size_t i = 0; i < page.plan.classes.size(); ++i)
    for (const auto &instruction : page.program(i).instructions) {
      const auto *op = instruction->op.AsCollectiveStart();
      if (!op)
        continue;
      uint64_t n = page.mesh.groupSize(op->axes);
      double wire = plan::formulaWireBytes(*op, n) * op->trip_count;
      table.add({page.ranks(i), plan::collectiveText(*op),
                 page.mesh.axesText(op->axes),
                 std::to_string(plan::tensorsOf(*op)),
                 std::to_string(plan::payloadBytes(*op, n)),
                 std::to_string(std::llround(wire)),
                 plan::phaseName(instruction->phase),
                 plan::locationText(page.plan, instruction->loc), op->why});
    }
  return table.text();
}

static std::string
remarkTable(const plan::PlanT &plan,
            const std::vector<std::unique_ptr<plan::WarningT>> &list) {
  HtmlTable table({"code", "message", "source"}, {});
  for (const auto &one : list)
    table.add({one->code, one->message,
               one->loc > 0 ? plan::locationText(plan, one->loc) : ""});
  return table.text();
}

std::string remarks(const Page &page) {
  return "<h3>warnings</h3>\n" + remarkTable(page.plan, page.plan.warnings) +
         "<h3>notes</h3>\n" + remarkTable(page.plan, page.plan.notes);
}

} // namespace partopt::report
