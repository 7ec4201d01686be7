//===- ExplainPlan.cpp - A plan in tables for people ----------------------===//
//
// Arguments and results with their shardings and bytes, collectives by source
// line with their reason, memory, and warnings. Columns are as wide as their
// content.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/ExplainPlan.h"

#include "partopt/Plan/TextTable.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/PlanText.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace partopt::plan {

static std::string bytesOf(const std::vector<uint64_t> &shape,
                           ElementType type) {
  return std::to_string(saturatingMul(elementCount(shape), elementSize(type)));
}

/// "arg12" and "out12" as 12.
static std::string numberOf(const TensorT &tensor) {
  size_t digits = tensor.index_name.find_first_of("0123456789");
  return tensor.index_name.substr(digits == std::string::npos ? 0 : digits);
}

/// By index name of an argument: the result that is its next value.
static std::map<std::string, const TensorT *> nextValues(const PlanT &plan) {
  std::map<std::string, const TensorT *> next;
  for (const auto &rankClass : plan.classes)
    for (const auto &result : rankClass->programs[0]->results)
      if (result->alias >= 0)
        next[rankClass->programs[0]
                 ->arguments[result->alias]
                 ->tensor->index_name] = result->tensor.get();
  return next;
}

namespace {
/// A table of arguments or results with last columns that say which rows of an
/// array are meant, where there are parts, and which ranks have them, where
/// these differ.
class TensorTable {
public:
  TensorTable(const PlanT &plan, const std::vector<HeldTensor> &held,
              std::vector<std::string> head, std::vector<size_t> numeric)
      : plan(plan),
        hasParts(std::any_of(held.begin(), held.end(),
                             [](const HeldTensor &one) {
                               return !rowsText(*one.tensor).empty();
                             })),
        table(withHolders(std::move(head)), std::move(numeric)) {}

  void add(const HeldTensor &held, std::vector<std::string> cells) {
    if (hasParts)
      cells.push_back(rowsText(*held.tensor));
    std::string names;
    for (size_t i : held.classes)
      names += (names.empty() ? "" : ", ") + plan.classes[i]->name;
    cells.push_back(std::move(names));
    table.add(std::move(cells));
  }
  std::string text() const { return table.text(); }

private:
  std::vector<std::string> withHolders(std::vector<std::string> head) const {
    if (hasParts)
      head.push_back("rows");
    if (plan.classes.size() > 1)
      head.push_back("ranks");
    return head;
  }

  const PlanT &plan;
  bool hasParts;
  Table table;
};
} // namespace

static std::string argumentTable(const PlanT &plan) {
  std::map<std::string, const TensorT *> nextOf = nextValues(plan);
  std::vector<HeldTensor> arguments = heldArguments(plan, 0);
  TensorTable table(plan, arguments,
                    {"arg", "name", "role", "shape", "sharding", "bytes",
                     "per device", "next value"},
                    {0, 5, 6});
  for (const HeldTensor &held : arguments) {
    const TensorT &tensor = *held.tensor;
    auto next = nextOf.find(tensor.index_name);
    table.add(held,
              {numberOf(tensor), tensor.name, roleName(tensor.role),
               shapeText(tensor.global_shape, tensor.type),
               tensor.sharding_text, bytesOf(tensor.global_shape, tensor.type),
               bytesOf(tensor.local_shape, tensor.type),
               next == nextOf.end() ? "" : next->second->index_name});
  }
  return table.text();
}

static std::string resultTable(const PlanT &plan) {
  std::vector<HeldTensor> results = heldResults(plan, 0);
  TensorTable table(plan, results,
                    {"out", "name", "shape", "sharding", "bytes", "per device"},
                    {0, 4, 5});
  for (const HeldTensor &held : results) {
    const TensorT &tensor = *held.tensor;
    table.add(held,
              {numberOf(tensor), tensor.name,
               shapeText(tensor.global_shape, tensor.type),
               tensor.sharding_text, bytesOf(tensor.global_shape, tensor.type),
               bytesOf(tensor.local_shape, tensor.type)});
  }
  return table.text();
}

static void addCollective(const PlanT &plan, const MeshMath &mesh,
                          const std::string &ranks,
                          const InstructionT &instruction, Table &table) {
  const CollectiveStartT &start = *instruction.op.AsCollectiveStart();
  uint64_t n = mesh.groupSize(start.axes);
  double wire = formulaWireBytes(start, n) * start.trip_count;
  bool hasPhase = instruction.phase != Phase::Unspecified;
  table.add({collectiveText(start), mesh.axesText(start.axes),
             std::to_string(tensorsOf(start)),
             std::to_string(payloadBytes(start, n)),
             std::to_string(std::llround(wire)),
             hasPhase ? phaseName(instruction.phase) : "",
             locationText(plan, instruction.loc), start.why, ranks});
}

/// Those of each class, one behind the other.
static std::string collectiveTable(const PlanT &plan) {
  MeshMath mesh(plan);
  std::vector<std::string> head = {"kind", "axes",  "tensors", "payload",
                                   "wire", "phase", "source",  "why"};
  if (plan.classes.size() > 1)
    head.push_back("ranks");
  Table table(std::move(head), {2, 3, 4});
  std::string sums;
  size_t rows = 0;
  for (const auto &rankClass : plan.classes) {
    double wire = 0;
    size_t count = 0;
    for (const auto &instruction : rankClass->programs[0]->instructions)
      if (const auto *start = instruction->op.AsCollectiveStart()) {
        addCollective(plan, mesh, rankClass->name, *instruction, table);
        wire += formulaWireBytes(*start, mesh.groupSize(start->axes)) *
                start->trip_count;
        ++count;
      }
    rows += count;
    sums += "  " + (plan.classes.size() > 1 ? rankClass->name + ": " : "") +
            std::to_string(count) + " per step; one device sends " +
            std::to_string(std::llround(wire)) + " bytes per step\n";
  }
  return (rows == 0 ? "  none\n" : table.text()) + sums;
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

static std::string lossLine(const PlanT &plan) {
  std::string loss = std::to_string(plan.entries[0]->loss_result);
  for (const ResultT *result : resultsOf(plan, 0))
    if (numberOf(*result->tensor) == loss)
      return "  loss: result " + loss + " ('" + result->tensor->name + "')\n";
  return "  loss: none\n";
}

static std::string roleTable(const PlanT &plan) {
  std::map<std::string, const TensorT *> nextOf = nextValues(plan);
  std::vector<HeldTensor> arguments = heldArguments(plan, 0);
  TensorTable table(plan, arguments,
                    {"arg", "name", "shape", "role", "found by", "next value",
                     "found by", "layer", "wrap unit", "note"},
                    {0});
  for (const HeldTensor &held : arguments) {
    const TensorT &tensor = *held.tensor;
    auto next = nextOf.find(tensor.index_name);
    bool hasNext = next != nextOf.end();
    table.add(held, {numberOf(tensor), tensor.name,
                     shapeText(tensor.global_shape, tensor.type),
                     roleName(tensor.role), tensor.role_reason,
                     hasNext ? "result " + numberOf(*next->second) : "",
                     hasNext ? tensor.next_result_reason : "", tensor.layer,
                     tensor.wrap_unit, tensor.note});
  }
  return table.text() + lossLine(plan);
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
  if (has(S::Layers))
    text += "\nlayers of the model (global bytes)\n" + layerTable(plan);
  if (has(S::Roles))
    text += "\nroles of the arguments\n" + roleTable(plan);
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
