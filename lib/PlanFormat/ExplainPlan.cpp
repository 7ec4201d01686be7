//===- ExplainPlan.cpp - A plan in tables for people ----------------------===//
//
// Arguments and results with their shardings and bytes, collectives by source
// line with their reason, memory, and warnings. Columns are as wide as their
// content.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/ExplainPlan.h"

#include "TextTable.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace partopt::plan {

static const char *roleText(Role role) {
  static const char *const names[] = {"unknown", "param", "opt",   "state",
                                      "batch",   "rng",   "scalar"};
  return size_t(role) < std::size(names) ? names[size_t(role)] : names[0];
}

static const char *phaseText(Phase phase) {
  static const char *const names[] = {"", "forward", "backward", "update"};
  return size_t(phase) < std::size(names) ? names[size_t(phase)] : names[0];
}

static std::string bytesOf(const std::vector<uint64_t> &shape,
                           ElementType type) {
  return std::to_string(saturatingMul(elementCount(shape), elementSize(type)));
}

static const char *locationOf(const PlanT &plan, uint32_t loc) {
  return loc < plan.locations.size() ? plan.locations[loc].c_str() : "unknown";
}

/// Programs of the first entry, by class.
static std::vector<const ProgramT *> programsOf(const PlanT &plan) {
  std::vector<const ProgramT *> programs;
  for (const auto &rankClass : plan.classes)
    programs.push_back(rankClass->programs[0].get());
  return programs;
}

/// "7" of "arg7" and of "out7".
static std::string numberText(const TensorT &tensor) {
  size_t digits = tensor.index_name.find_first_of("0123456789");
  return digits == std::string::npos ? tensor.index_name
                                     : tensor.index_name.substr(digits);
}

/// The columns that the tables of arguments and results end with, and those
/// that say who has what where classes differ.
static std::vector<std::string> layoutHead(const PlanT &plan) {
  std::vector<std::string> head = {"sharding", "bytes", "per device"};
  if (plan.classes.size() > 1)
    head.insert(head.end(), {"rows", "ranks"});
  return head;
}

static std::vector<std::string> layoutCells(const PlanT &plan, size_t number,
                                            const TensorT &tensor) {
  std::vector<std::string> cells = {tensor.sharding_text,
                                    bytesOf(tensor.global_shape, tensor.type),
                                    bytesOf(tensor.local_shape, tensor.type)};
  if (plan.classes.size() > 1)
    cells.insert(cells.end(), {rowsText(tensor), plan.classes[number]->name});
  return cells;
}

static void append(std::vector<std::string> &row,
                   std::vector<std::string> cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

static std::string argumentTable(const PlanT &plan) {
  std::vector<std::string> head = {"arg", "name", "role", "shape"};
  append(head, layoutHead(plan));
  head.push_back("next value");
  Table table(head, {0, 5, 6});
  std::vector<const ProgramT *> programs = programsOf(plan);
  for (size_t number = 0; number < programs.size(); ++number)
    for (size_t i = 0; i < programs[number]->arguments.size(); ++i) {
      const TensorT &tensor = *programs[number]->arguments[i]->tensor;
      int next = nextResultOf(*programs[number], i);
      std::vector<std::string> row = {
          numberText(tensor), tensor.name, roleText(tensor.role),
          shapeText(tensor.global_shape, tensor.type)};
      append(row, layoutCells(plan, number, tensor));
      row.push_back(
          next < 0
              ? ""
              : "out" + numberText(*programs[number]->results[next]->tensor));
      table.add(row);
    }
  return table.text();
}

static std::string resultTable(const PlanT &plan) {
  std::vector<std::string> head = {"out", "name", "shape"};
  append(head, layoutHead(plan));
  Table table(head, {0, 4, 5});
  std::vector<const ProgramT *> programs = programsOf(plan);
  for (size_t number = 0; number < programs.size(); ++number)
    for (const auto &result : programs[number]->results) {
      const TensorT &tensor = *result->tensor;
      std::vector<std::string> row = {
          numberText(tensor), tensor.name,
          shapeText(tensor.global_shape, tensor.type)};
      append(row, layoutCells(plan, number, tensor));
      table.add(row);
    }
  return table.text();
}

namespace {
/// One CollectiveStart as the table counts it.
struct CollectiveRow {
  const CollectiveStartT *start;
  const InstructionT *instruction;
  uint64_t payload; ///< per device and execution
  double wire;      ///< per device and step
};
} // namespace

/// The collectives of the first entry's program that sends most.
static std::vector<CollectiveRow> busiestCollectives(const PlanT &plan,
                                                     const MeshMath &mesh) {
  std::vector<CollectiveRow> busiest;
  double most = -1;
  for (const auto &rankClass : plan.classes) {
    std::vector<CollectiveRow> rows;
    double bytes = 0;
    for (const auto &instruction : rankClass->programs[0]->instructions) {
      const CollectiveStartT *start = instruction->op.AsCollectiveStart();
      if (!start)
        continue;
      uint64_t n = mesh.groupSize(start->axes);
      double wire = formulaWireBytes(*start, n) * start->trip_count;
      rows.push_back({start, instruction.get(), payloadBytes(*start, n), wire});
      bytes += wire;
    }
    if (bytes > most) {
      most = bytes;
      busiest = std::move(rows);
    }
  }
  return busiest;
}

static std::string collectiveTable(const PlanT &plan) {
  MeshMath mesh(plan);
  Table table(
      {"kind", "axes", "tensors", "payload", "wire", "phase", "source", "why"},
      {2, 3, 4});
  double wire = 0;
  std::vector<CollectiveRow> list = busiestCollectives(plan, mesh);
  for (const CollectiveRow &one : list) {
    wire += one.wire;
    std::string kind = collectiveName(one.start->kind);
    if (one.start->combiner != Combiner::None &&
        one.start->combiner != Combiner::Sum)
      kind += std::string(" ") + combinerName(one.start->combiner);
    if (one.start->trip_count > 1)
      kind += " x" + std::to_string(one.start->trip_count);
    table.add({kind, mesh.axesText(one.start->axes),
               std::to_string(one.start->operands.size()),
               std::to_string(one.payload),
               std::to_string(std::llround(one.wire)),
               phaseText(one.instruction->phase),
               locationOf(plan, one.instruction->loc), one.start->why});
  }
  std::string text = list.empty() ? "  none\n" : table.text();
  return text + "  " + std::to_string(list.size()) +
         " per step; one device sends " + std::to_string(std::llround(wire)) +
         " bytes per step\n";
}

/// The most bytes of arena buffers whose contents matter at one instruction.
static uint64_t mostLiveBytes(const ProgramT &program) {
  std::map<uint64_t, int64_t> changes; // by instruction
  for (const auto &buffer : program.buffers) {
    if (buffer->space != Space::Arena)
      continue;
    uint64_t bytes = (buffer->bytes + bufferAlignment - 1) / bufferAlignment *
                     bufferAlignment;
    changes[buffer->first] += static_cast<int64_t>(bytes);
    changes[uint64_t(buffer->last) + 1] -= static_cast<int64_t>(bytes);
  }
  int64_t live = 0, most = 0;
  for (auto [instruction, change] : changes)
    most = std::max(most, live += change);
  return static_cast<uint64_t>(most);
}

static std::string memoryTable(const PlanT &plan) {
  // No placement needs less than what is in use at once.
  Table table({"ranks", "arguments", "temporaries", "in use at once", "peak"},
              {1, 2, 3, 4});
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs)
      table.add({rankClass->name, std::to_string(program->resident_bytes),
                 std::to_string(program->arena_bytes),
                 std::to_string(mostLiveBytes(*program)),
                 std::to_string(program->peak_bytes)});
  return table.text();
}

/// What the memory is used for: each class's own peak, and its share when all
/// together need most. The last row is what rounding and gaps add.
static std::string memoryClassTable(const PlanT &plan) {
  Table table({"ranks", "class", "own peak", "at the peak"}, {2, 3});
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs) {
      MemoryCount count = countMemory(*program);
      uint64_t rest = program->peak_bytes;
      for (size_t i = 1; i <= numMemoryClasses; ++i) {
        size_t number = i % numMemoryClasses; // other is last
        rest -= count.atPeak[number];
        if (count.peak[number] > 0)
          table.add({rankClass->name,
                     memoryClassName(static_cast<MemoryClass>(number)),
                     std::to_string(count.peak[number]),
                     std::to_string(count.atPeak[number])});
      }
      table.add({rankClass->name, "alignment", "", std::to_string(rest)});
    }
  return table.text();
}

static std::string roleTable(const ProgramT &program) {
  Table table({"arg", "name", "shape", "role", "found by", "next value",
               "found by", "layer", "wrap unit", "note"},
              {0});
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const TensorT &tensor = *program.arguments[i]->tensor;
    int next = nextResultOf(program, i);
    table.add({std::to_string(i), tensor.name,
               shapeText(tensor.global_shape, tensor.type),
               roleText(tensor.role), tensor.role_reason,
               next < 0 ? "" : "result " + std::to_string(next),
               next < 0 ? "" : tensor.next_result_reason, tensor.layer,
               tensor.wrap_unit, tensor.note});
  }
  return table.text();
}

static std::string layerTable(const PlanT &plan) {
  if (plan.layers.empty())
    return "  none\n";
  Table table({"layer", "parameters", "bytes", "forward ops", "flops", "note"},
              {1, 2, 3, 4});
  uint64_t parameters = 0, bytes = 0, ops = 0, flops = 0;
  for (const auto &layer : plan.layers) {
    std::string note = layer->repeated ? "repeated" : "";
    if (!layer->note.empty())
      note += (note.empty() ? "" : "; ") + layer->note;
    table.add({layer->name, std::to_string(layer->parameters),
               std::to_string(layer->bytes), std::to_string(layer->forward_ops),
               std::to_string(layer->flops), note});
    parameters += layer->parameters;
    bytes += layer->bytes;
    ops += layer->forward_ops;
    flops += layer->flops;
  }
  table.add({"all", std::to_string(parameters), std::to_string(bytes),
             std::to_string(ops), std::to_string(flops)});
  return table.text();
}

/// One line for all that say the same, at the place of the first.
static std::string
warningTable(const PlanT &plan,
             const std::vector<std::unique_ptr<WarningT>> &list) {
  std::map<std::pair<std::string, std::string>, size_t> times;
  for (const auto &warning : list)
    ++times[{warning->code, warning->message}];
  std::string text;
  for (const auto &warning : list) {
    size_t &count = times[{warning->code, warning->message}];
    if (count == 0)
      continue;
    text += "  ";
    if (warning->loc > 0 && warning->loc < plan.locations.size())
      text += plan.locations[warning->loc] + ": ";
    if (count > 1)
      text += std::to_string(count) + " times: ";
    text += warning->message + " [" + warning->code + "]\n";
    count = 0;
  }
  return text.empty() ? "  none\n" : text;
}

static std::string meshText(const PlanT &plan) {
  std::string text;
  for (const auto &axis : plan.mesh)
    if (axis->kind == AxisKind::Space)
      text += (text.empty() ? "" : ",") + axis->name + "=" +
              std::to_string(axis->size);
  return text.empty() ? "one device" : text;
}

std::string batchStatistics(const PlanT &plan) {
  for (const char *kind : {"local", "micro"})
    if (plan.options_json.find("\"batch-statistics\":\"" + std::string(kind)) !=
        std::string::npos)
      return kind;
  return plan.strategy == "ddp" ? "exact" : "";
}

std::string ownStatistics(const PlanT &plan) {
  std::string kind = batchStatistics(plan);
  return kind == "local"   ? ", with statistics of each device's rows,"
         : kind == "micro" ? ", with statistics of each microbatch,"
                           : "";
}

std::string explainText(const PlanT &plan,
                        const std::vector<ExplainSection> &sections) {
  using S = ExplainSection;
  std::string text = "model " + plan.model + ", strategy " + plan.strategy +
                     ", mesh " + meshText(plan) + " (" +
                     std::to_string(plan.devices) +
                     (plan.devices == 1 ? " device)" : " devices)");
  for (const auto &axis : plan.mesh)
    if (axis->kind == AxisKind::Time)
      text += ", " + std::to_string(axis->size) + " microbatches";
  if (std::string statistics = batchStatistics(plan); !statistics.empty())
    text += ", batch statistics " + statistics;
  text += "\n";
  auto has = [&](S one) {
    return std::find(sections.begin(), sections.end(), one) != sections.end();
  };
  auto wants = [&](S one) { return has(S::All) || has(one); };
  if (plan.classes.empty() || plan.classes[0]->programs.empty())
    return text;
  const ProgramT &program = *plan.classes[0]->programs[0];
  if (has(S::Layers))
    text += "\nlayers of the model (global bytes)\n" + layerTable(plan);
  if (has(S::Roles))
    text += "\nroles of the arguments\n" + roleTable(program);
  if (wants(S::Arguments))
    text += "\narguments (bytes)\n" + argumentTable(plan);
  if (wants(S::Results))
    text += "\nresults (bytes)\n" + resultTable(plan);
  if (wants(S::Collectives))
    text += "\ncollectives (bytes per device)\n" + collectiveTable(plan);
  if (plan.mapping && wants(S::Mapping))
    text += "\nmapping on cluster " + printable(plan.mapping->cluster) +
            " (axes outermost first; bytes per device and step)\n" +
            mappingTable(plan);
  else if (has(S::Mapping))
    text += "\nmapping\n  none: the plan is for no cluster (--cluster)\n";
  if (wants(S::Memory))
    text += "\nmemory (bytes per device)\n" + memoryTable(plan) +
            "\nmemory by use (bytes per device)\n" + memoryClassTable(plan);
  if (wants(S::Warnings))
    text += "\nwarnings\n" + warningTable(plan, plan.warnings);
  if (has(S::Notes) || (has(S::All) && !plan.notes.empty()))
    text += "\nnotes\n" + warningTable(plan, plan.notes);
  return text;
}

} // namespace partopt::plan
