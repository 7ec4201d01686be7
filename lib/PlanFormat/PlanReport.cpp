//===- PlanReport.cpp - The machine-readable report -----------------------===//
//
// Schema 1 of the driver's contract, from the plan and (after a run) from what
// was measured. A prediction that this version does not make is null.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/PlanReport.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/MeshMath.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace partopt::plan {

using Json = nlohmann::ordered_json;

static const std::string &locationText(const PlanT &plan, uint32_t loc) {
  static const std::string unknown = "unknown";
  return loc < plan.locations.size() ? plan.locations[loc] : unknown;
}

const char *roleText(Role role) {
  static const char *const names[] = {"unknown", "param", "opt",   "state",
                                      "batch",   "rng",   "scalar"};
  return size_t(role) < std::size(names) ? names[size_t(role)] : names[0];
}

const char *phaseText(Phase phase) {
  switch (phase) {
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Update:
    return "update";
  case Phase::Unspecified:
    break;
  }
  return "unspecified";
}

static const ProgramT *findProgram(const RankClassT &rankClass,
                                   uint32_t entry) {
  for (const auto &program : rankClass.programs)
    if (program->entry == entry)
      return program.get();
  return nullptr;
}

static std::vector<CollectiveSummary> collectivesOf(const ProgramT &program,
                                                    const MeshMath &mesh) {
  std::vector<CollectiveSummary> list;
  for (const auto &instruction : program.instructions) {
    const CollectiveStartT *start = instruction->op.AsCollectiveStart();
    if (!start)
      continue;
    uint64_t n = mesh.groupSize(start->axes);
    list.push_back({start, instruction.get(), n, payloadBytes(*start, n),
                    formulaWireBytes(*start, n) * start->trip_count});
  }
  return list;
}

std::vector<CollectiveSummary> summariseCollectives(const PlanT &plan,
                                                    uint32_t entry) {
  MeshMath mesh(plan);
  std::vector<CollectiveSummary> busiest;
  double most = -1;
  for (const auto &rankClass : plan.classes) {
    const ProgramT *program = findProgram(*rankClass, entry);
    if (!program || !mesh.check().empty())
      continue;
    std::vector<CollectiveSummary> list = collectivesOf(*program, mesh);
    double bytes = 0;
    for (const CollectiveSummary &one : list)
      bytes += one.wireBytes;
    if (bytes > most) {
      most = bytes;
      busiest = std::move(list);
    }
  }
  return busiest;
}

static Json argumentsJson(const ProgramT &program) {
  Json list = Json::array();
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const TensorT &tensor = *program.arguments[i]->tensor;
    uint64_t size = elementSize(tensor.type);
    list.push_back(
        {{"index", i},
         {"name", tensor.name},
         {"role", roleText(tensor.role)},
         {"sharding", tensor.sharding_text},
         {"bytes_global", elementCount(tensor.global_shape) * size},
         {"bytes_per_device", elementCount(tensor.local_shape) * size}});
  }
  return list;
}

/// "data" or "data:(2)4".
static std::string axisText(const MeshMath &mesh, const AxisRef &axis) {
  std::string braced = mesh.axesText({axis});
  return braced.substr(1, braced.size() - 2);
}

static Json collectivesJson(const PlanT &plan, const MeshMath &mesh,
                            const std::vector<CollectiveSummary> &list) {
  Json array = Json::array();
  for (const CollectiveSummary &one : list) {
    Json axes = Json::array();
    for (const AxisRef &axis : one.start->axes)
      axes.push_back(axisText(mesh, axis));
    array.push_back({{"kind", collectiveName(one.start->kind)},
                     {"axes", axes},
                     {"payload_bytes", one.payloadBytes},
                     {"per_step", one.start->trip_count},
                     {"operands", one.start->operands.size()},
                     {"phase", phaseText(one.instruction->phase)},
                     {"async", one.start->async},
                     {"stage", 0},
                     {"group_size", one.groupSize},
                     {"trip_count", one.start->trip_count},
                     {"loc", locationText(plan, one.instruction->loc)},
                     {"why", one.start->why}});
  }
  return array;
}

static Json totalsJson(const std::vector<CollectiveSummary> &list) {
  struct Total {
    uint64_t count = 0, payload = 0;
    double wire = 0;
  };
  std::map<std::string, Total> totals;
  for (const CollectiveSummary &one : list) {
    Total &total = totals[collectiveName(one.start->kind)];
    total.count += one.start->trip_count;
    total.payload += one.payloadBytes * one.start->trip_count;
    total.wire += one.wireBytes;
  }
  Json object = Json::object();
  for (const auto &[kind, total] : totals)
    object[kind] = {{"count", total.count},
                    {"payload_bytes", total.payload},
                    {"wire_bytes", uint64_t(std::llround(total.wire))}};
  return object;
}

static Json memoryJson(const PlanT &plan) {
  uint64_t peak = 0, resident = 0, arena = 0;
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs) {
      peak = std::max(peak, program->peak_bytes);
      resident = std::max(resident, program->resident_bytes);
      arena = std::max(arena, program->arena_bytes);
    }
  return {{"peak_bytes_per_device", Json::array({peak})},
          {"arguments", resident},
          {"temporaries", arena},
          {"stash", 0}};
}

static Json measuredJson(const Measured &measured) {
  return {{"step_s", measured.stepSeconds},
          {"exposed_communication_s", measured.exposedCommunicationSeconds},
          {"wire_bytes_sent", measured.wireBytesSent},
          {"collectives_executed", measured.collectivesExecuted},
          {"arena_bytes", measured.arenaBytes}};
}

std::string
reportJson(const PlanT &plan,
           const std::vector<std::pair<std::string, double>> &phases,
           const Measured *measured) {
  MeshMath mesh(plan);
  Json axes = Json::array();
  for (const auto &axis : plan.mesh)
    axes.push_back(
        {{"axis", axis->name},
         {"size", axis->size},
         {"kind", axis->kind == AxisKind::Space ? "space" : "time"}});
  const ProgramT *program =
      plan.classes.empty() ? nullptr : findProgram(*plan.classes[0], 0);
  std::vector<CollectiveSummary> list = summariseCollectives(plan);
  Json compile = {{"total_s", 0.0}, {"phases", Json::array()}};
  double total = 0;
  for (const auto &[name, seconds] : phases) {
    compile["phases"].push_back({{"name", name}, {"s", seconds}});
    total += seconds;
  }
  compile["total_s"] = total;
  Json warnings = Json::array();
  for (const auto &warning : plan.warnings)
    warnings.push_back({{"code", warning->code},
                        {"message", warning->message},
                        {"loc", locationText(plan, warning->loc)}});
  Json report = {
      {"schema", 1},
      {"partopt", plan.partopt_version},
      {"model", plan.model},
      {"strategy", plan.strategy},
      {"devices", plan.devices},
      {"mesh", axes},
      {"arguments", program ? argumentsJson(*program) : Json::array()},
      {"collectives", collectivesJson(plan, mesh, list)},
      {"totals", totalsJson(list)},
      {"memory", memoryJson(plan)},
      {"time",
       {{"predicted_step_s", nullptr},
        {"compute_s", nullptr},
        {"exposed_communication_s", nullptr},
        {"bubble_fraction", 0.0}}}};
  if (measured)
    report["measured"] = measuredJson(*measured);
  report["compile"] = compile;
  report["warnings"] = warnings;
  return report.dump(2) + "\n";
}

} // namespace partopt::plan
