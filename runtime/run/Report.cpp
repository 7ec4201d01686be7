//===- Report.cpp - The machine-readable report ---------------------------===//
//
// See Report.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Report.h"

#include "runtime/base/OutputFile.h"
#include "runtime/run/ReportMemory.h"
#include "runtime/run/ReportStages.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/PlanText.h"
#include "partopt/Report/Stages.h"
#include "partopt/Simulate/ProductPeaks.h"
#include "partopt/Simulate/Simulate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace partopt::rt {

using Json = nlohmann::ordered_json;

/// Whole numbers are written without a fraction.
static Json number(double value) {
  if (std::floor(value) == value && value < 0x1p63)
    return static_cast<uint64_t>(value);
  return value;
}

static Json meshJson(const plan::PlanT &plan) {
  Json mesh = Json::array();
  for (const auto &axis : plan.mesh)
    mesh.push_back(
        {{"axis", axis->name},
         {"size", axis->size},
         {"kind", axis->kind == plan::AxisKind::Time ? "time" : "space"}});
  return mesh;
}

/// By index name of an argument: the place among the entry's results of its
/// next value.
static std::map<std::string, size_t> nextResults(const plan::PlanT &plan,
                                                 size_t entry) {
  std::map<std::string, size_t> placeOf, next;
  for (const plan::ResultT *result : plan::resultsOf(plan, entry))
    placeOf.emplace(result->tensor->index_name, placeOf.size());
  for (const auto &rankClass : plan.classes)
    if (const plan::ProgramT *program = plan::programOf(*rankClass, entry))
      for (const auto &result : program->results)
        if (result->alias >= 0)
          next[program->arguments[result->alias]->tensor->index_name] =
              placeOf.at(result->tensor->index_name);
  return next;
}

/// What ranks of a class hold of an array; no rows: all.
static Json heldJson(const plan::RankClassT &rankClass,
                     const plan::TensorT &tensor) {
  std::string rows = plan::rowsText(tensor);
  return {{"ranks", rankClass.name},
          {"rows", rows.empty() ? Json() : Json(rows)},
          {"bytes_per_device", plan::elementCount(tensor.local_shape) *
                                   plan::elementSize(tensor.type)}};
}

/// By index name of an argument: who has it, or which of its rows.
static std::map<std::string, Json> holders(const plan::PlanT &plan,
                                           size_t entry) {
  std::map<std::string, Json> heldBy;
  for (const plan::HeldTensor &held : plan::heldArguments(plan, entry))
    for (size_t i : held.classes)
      heldBy[held.tensor->index_name].push_back(
          heldJson(*plan.classes[i], *held.tensor));
  return heldBy;
}

/// Of all ranks, each once.
static Json argumentsJson(const plan::PlanT &plan, size_t entry) {
  Json arguments = Json::array();
  std::map<std::string, size_t> nextOf = nextResults(plan, entry);
  std::map<std::string, Json> heldBy = holders(plan, entry);
  for (const plan::ArgumentT *argument : plan::argumentsOf(plan, entry)) {
    const plan::TensorT &tensor = *argument->tensor;
    uint64_t size = plan::elementSize(tensor.type);
    auto next = nextOf.find(tensor.index_name);
    arguments.push_back(
        {{"index", arguments.size()},
         {"name", tensor.name},
         {"role", plan::roleName(tensor.role)},
         {"role_reason", tensor.role_reason},
         {"layer", tensor.layer},
         {"wrap_unit", tensor.wrap_unit},
         {"note", tensor.note},
         {"next_result", next == nextOf.end() ? Json() : Json(next->second)},
         {"next_result_reason", tensor.next_result_reason},
         {"type", plan::shapeText(tensor.global_shape, tensor.type)},
         {"sharding", tensor.sharding_text},
         {"bytes_global", plan::elementCount(tensor.global_shape) * size},
         {"bytes_per_device", plan::elementCount(tensor.local_shape) * size},
         {"held_by", std::move(heldBy[tensor.index_name])}});
  }
  return arguments;
}

static Json layersJson(const plan::PlanT &plan) {
  Json layers = Json::array();
  for (const auto &layer : plan.layers)
    layers.push_back({{"name", layer->name},
                      {"repeated", layer->repeated},
                      {"parameters", layer->parameters},
                      {"bytes", layer->bytes},
                      {"forward_ops", layer->forward_ops},
                      {"flops", layer->flops},
                      {"note", layer->note}});
  return layers;
}

static Json mappingJson(const plan::PlanT &plan) {
  if (!plan.mapping)
    return nullptr;
  const plan::MappingT &mapping = *plan.mapping;
  Json axes = Json::array(), order = Json::array(), other = Json::array();
  for (const auto &axis : mapping.axes) {
    order.push_back(plan.mesh[axis->axis]->name);
    axes.push_back({{"axis", plan.mesh[axis->axis]->name},
                    {"bytes_per_step", axis->bytes},
                    {"collectives_per_step", axis->collectives},
                    {"level", axis->level},
                    {"latency_s", axis->latency},
                    {"bytes_per_s", axis->bytes_per_second},
                    {"why", axis->why}});
  }
  for (uint16_t axis : mapping.other)
    other.push_back(plan.mesh[axis]->name);
  Json json = {{"cluster", mapping.cluster},
               {"order_by", mapping.order_by},
               {"order", order},
               {"axes", axes},
               {"predicted_step_s", mapping.predicted}};
  if (!mapping.other.empty())
    json["other"] = {{"order", other},
                     {"predicted_step_s", mapping.other_predicted}};
  return json;
}

static Json axesJson(const plan::MeshMath &mesh, const plan::AxisList &axes) {
  Json names = Json::array();
  for (const plan::AxisRef &axis : axes) {
    std::string text = mesh.axesText({axis}); // "{name}"
    names.push_back(text.substr(1, text.size() - 2));
  }
  return names;
}

static Json collectiveJson(const plan::PlanT &plan, const plan::MeshMath &mesh,
                           size_t stage,
                           const plan::InstructionT &instruction) {
  const plan::CollectiveStartT &op = *instruction.op.AsCollectiveStart();
  uint64_t n = mesh.groupSize(op.axes);
  return {{"kind", plan::collectiveName(op.kind)},
          {"axes", axesJson(mesh, op.axes)},
          {"payload_bytes", plan::payloadBytes(op, n)},
          {"wire_bytes", number(plan::formulaWireBytes(op, n))},
          {"per_step", op.trip_count},
          {"operands", plan::tensorsOf(op)},
          {"combiner", plan::combinerName(op.combiner)},
          {"type", plan::elementName(op.type)},
          {"phase", plan::phaseName(instruction.phase)},
          {"async", op.async},
          {"stream", op.stream},
          {"stage", stage},
          {"group_size", n},
          {"trip_count", op.trip_count},
          {"loc", plan::locationText(plan, instruction.loc)},
          {"unit", op.unit},
          {"why", op.why}};
}

namespace {

struct Totals {
  uint64_t count = 0, payload = 0;
  double wire = 0;
};

struct ClassTotals {
  std::array<Totals, numCollectiveKinds> kinds;
  double wire = 0;
};

} // namespace

static ClassTotals totalsOf(const plan::ProgramT &program,
                            const plan::MeshMath &mesh) {
  ClassTotals totals;
  for (const auto &instruction : program.instructions)
    if (const auto *op = instruction->op.AsCollectiveStart()) {
      uint64_t n = mesh.groupSize(op->axes);
      Totals &kind = totals.kinds[static_cast<size_t>(op->kind)];
      kind.count += op->trip_count;
      kind.payload += op->trip_count * plan::payloadBytes(*op, n);
      double wire = op->trip_count * plan::formulaWireBytes(*op, n);
      kind.wire += wire;
      totals.wire += wire;
    }
  return totals;
}

static Json totalsJson(const ClassTotals &busiest) {
  Json totals = Json::object();
  for (size_t kind = 0; kind < numCollectiveKinds; ++kind)
    if (busiest.kinds[kind].count > 0)
      totals[plan::collectiveName(static_cast<plan::CollectiveKind>(kind))] = {
          {"count", busiest.kinds[kind].count},
          {"payload_bytes", busiest.kinds[kind].payload},
          {"wire_bytes", number(busiest.kinds[kind].wire)}};
  return totals;
}

static Json
remarksJson(const plan::PlanT &plan,
            const std::vector<std::unique_ptr<plan::WarningT>> &of) {
  Json remarks = Json::array();
  for (const auto &remark : of)
    remarks.push_back({{"code", remark->code},
                       {"message", remark->message},
                       {"loc", plan::locationText(plan, remark->loc)}});
  return remarks;
}

/// What matrix products are timed with, where a device is modelled.
static Json peaksJson(const plan::PlanT &plan, size_t entry,
                      const simulate::Machine &machine) {
  Json peaks = Json::array();
  for (const simulate::ProductPeak &one :
       simulate::productPeaks(plan, entry, machine.device))
    peaks.push_back({{"type", plan::elementName(one.type)},
                     {"flops", one.flops},
                     {"flops_per_s", one.peak.flopsPerSecond},
                     {"why", one.text()}});
  return peaks;
}

/// Times of the slowest class of ranks, of each class and stage, and beside
/// each collective.
static void addPrediction(const plan::PlanT &plan, size_t entry,
                          const simulate::Machine &machine, Json &report) {
  std::vector<simulate::Timeline> timelines;
  std::vector<simulate::Prediction> predictions =
      simulate::simulateEntry(plan, entry, machine, &timelines);
  const simulate::Prediction *slowest = &predictions[0];
  size_t row = 0;
  for (const simulate::Prediction &one : predictions) {
    if (one.step >= slowest->step)
      slowest = &one;
    for (const simulate::CollectiveTime &time : one.collectives)
      report["collectives"][row++]["predicted"] = {{"start_s", time.start},
                                                   {"end_s", time.end},
                                                   {"exposed_s", time.exposed}};
  }
  report["time"] = {{"predicted_step_s", slowest->step},
                    {"compute_s", slowest->compute},
                    {"exposed_communication_s", slowest->exposed},
                    {"bubble_fraction",
                     partopt::report::bubbleFraction(plan, entry, timelines)},
                    {"machine", machine.name},
                    {"product_peaks", peaksJson(plan, entry, machine)}};
  report["rank_classes"] = rankClassesJson(plan, entry, predictions, timelines);
  report["stages"] = stagesJson(plan, entry, timelines);
}

Json planReport(const plan::PlanT &plan, size_t entry,
                const simulate::Machine &machine) {
  plan::MeshMath mesh(plan);
  Json collectives = Json::array();
  ClassTotals busiest;
  for (size_t stage = 0; stage < plan.classes.size(); ++stage) {
    const plan::ProgramT *program =
        plan::programOf(*plan.classes[stage], entry);
    if (!program)
      continue;
    for (const auto &instruction : program->instructions)
      if (instruction->op.AsCollectiveStart())
        collectives.push_back(collectiveJson(plan, mesh, stage, *instruction));
    ClassTotals totals = totalsOf(*program, mesh);
    if (totals.wire > busiest.wire || stage == 0)
      busiest = totals;
  }
  Json report = {{"schema", 1},
                 {"partopt", plan.partopt_version},
                 {"model", plan.model},
                 {"strategy", plan.strategy},
                 {"batch_statistics", plan::batchStatistics(plan)},
                 {"devices", plan.devices},
                 {"mesh", meshJson(plan)},
                 {"mapping", mappingJson(plan)},
                 {"arguments", argumentsJson(plan, entry)},
                 {"layers", layersJson(plan)},
                 {"collectives", collectives},
                 {"totals", totalsJson(busiest)},
                 {"memory", memoryJson(plan, entry)},
                 {"time", nullptr},
                 {"warnings", remarksJson(plan, plan.warnings)},
                 {"notes", remarksJson(plan, plan.notes)}};
  addPrediction(plan, entry, machine, report);
  return report;
}

/// The upper one of two in the middle; 0 of nothing.
static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Json measuredReport(const SessionStats &stats) {
  uint64_t steps = std::max<uint64_t>(stats.stepSeconds.size(), 1);
  Json wire = Json::array();
  PerKind most{};
  for (size_t rank = 0; rank < stats.wireBytes.size(); ++rank) {
    uint64_t sum = 0;
    for (size_t kind = 0; kind < numCollectiveKinds; ++kind) {
      sum += stats.wireBytes[rank][kind];
      most[kind] = std::max(most[kind], stats.collectives[rank][kind]);
    }
    wire.push_back(sum / steps);
  }
  Json executed = Json::object();
  for (size_t kind = 0; kind < numCollectiveKinds; ++kind)
    if (most[kind] > 0)
      executed[plan::collectiveName(static_cast<plan::CollectiveKind>(kind))] =
          most[kind] / steps;
  Json report = {{"steps", stats.stepSeconds.size()},
                 {"step_s", stats.stepSeconds},
                 {"wire_bytes_sent", wire},
                 {"wire_bytes_counted", stats.countsWireBytes},
                 {"collectives_executed", executed},
                 {"arena_bytes", stats.arenaBytes},
                 {"resident_bytes", stats.residentBytes}};
  report["memory"] = measuredMemory(stats);
  if (!stats.exposedSeconds.empty())
    report["exposed_communication_s"] = median(stats.exposedSeconds);
  if (!stats.deviceBytes.empty())
    report["device_bytes"] = stats.deviceBytes;
  report["stash"] = measuredStash(stats);
  if (!stats.excessSeconds.empty())
    report["compute_excess_s"] = median(stats.excessSeconds);
  return report;
}

Status writeReport(const std::string &path, const Json &report) {
  return writeTextFile(
      path, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

} // namespace partopt::rt
