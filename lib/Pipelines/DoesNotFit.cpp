//===- DoesNotFit.cpp - A plan that needs too much memory -----------------===//
//
// See DoesNotFit.h. What other options would need is estimated from the
// classes of memory of this plan; nothing is compiled for it.
//
//===----------------------------------------------------------------------===//

#include "DoesNotFit.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/TextTable.h"

#include <algorithm>

using namespace partopt;
using plan::MemoryClass;

const plan::ProgramT &partopt::largestProgram(const plan::PlanT &plan) {
  const plan::ProgramT *largest = plan.classes[0]->programs[0].get();
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs)
      if (program->peak_bytes > largest->peak_bytes)
        largest = program.get();
  return *largest;
}

/// The choices that hold fewer temporaries and that are still open.
static std::string lessTemporaries(const CompileOptions &options) {
  std::string text;
  if (options.microbatches == 1)
    text += "smaller microbatches (--microbatches M), ";
  if (options.recompute == "none")
    text += "recomputation (--recompute layer), ";
  if (options.strategy.sequence && options.sequenceRegather == "no")
    text += "activations gathered again (--sp-regather yes), ";
  bool gathers = options.strategy.data && options.strategy.data->zeroStage == 3;
  if (gathers && !options.reshardAfterForward && !options.reshardIfShort)
    text += "parameters gathered again (--reshard-after-forward yes), ";
  if (text.empty())
    return text;
  text.pop_back(); // "A, B or what follows": no comma before the "or"
  text.back() = ' ';
  return text + "or ";
}

static bool isOneDevice(const CompileOptions &options) {
  return std::all_of(options.mesh.begin(), options.mesh.end(),
                     [](const MeshAxisSize &axis) { return axis.size == 1; });
}

namespace {
/// What other options would need, by the classes of this plan.
class Estimates {
public:
  Estimates(const CompileOptions &options, const plan::PlanT &plan,
            const plan::ProgramT &program)
      : options(options), count(plan::countMemory(program)),
        peak(program.peak_bytes) {
    for (const auto &layer : plan.layers)
      largestLayer = std::max(largestLayer, layer->bytes);
    for (const auto &argument : program.arguments)
      if (argument->tensor->role == plan::Role::Param)
        parameters += plan::elementCount(argument->tensor->global_shape) *
                      plan::elementSize(argument->tensor->type);
  }

  /// "--strategy fsdp (about 5.00 GiB), --microbatches 4 (…)", or empty.
  std::string text() {
    if (isOneDevice(options))
      shardOverMore();
    else if (options.strategy.data && !options.strategy.tensor &&
             !options.strategy.pipeline)
      shardOverData();
    divideBatch();
    return list;
  }

private:
  uint64_t at(MemoryClass one) const { return count.atPeak[size_t(one)]; }

  /// All state that data parallelism shards, when this plan needs most.
  uint64_t state() const {
    return at(MemoryClass::Parameters) + at(MemoryClass::OptimizerState) +
           at(MemoryClass::Gradients);
  }

  bool addIfFits(const std::string &what, uint64_t bytes) {
    if (bytes > options.deviceMemory)
      return false;
    list +=
        (list.empty() ? "" : ", ") + what + " (about " + bytesText(bytes) + ")";
    return true;
  }

  /// Everything but a layer that is gathered and the next one is divided.
  void shardOverMore() {
    for (uint64_t n = 2; n <= 1024; n *= 2)
      if (addIfFits("--strategy fsdp --reshard-after-forward yes --mesh data=" +
                        std::to_string(n),
                    peak / n + 2 * largestLayer))
        return;
  }

  void shardOverData() {
    uint64_t n = 1;
    for (const MeshAxisSize &axis : options.mesh)
      if (axis.name == options.axes.at("data"))
        n = uint64_t(axis.size);
    int64_t stage = options.strategy.data->zeroStage;
    uint64_t optimizer = at(MemoryClass::OptimizerState);
    if (stage < 1)
      addIfFits("--strategy zero1", peak - optimizer + optimizer / n);
    // What is in shards already is not divided again.
    uint64_t whole = stage < 1 ? state() : state() - optimizer;
    if (stage < 3)
      addIfFits("--strategy fsdp --reshard-after-forward yes",
                peak - whole + whole / n + 2 * largestLayer);
    else if (!options.reshardAfterForward && !options.reshardIfShort)
      addIfFits("--reshard-after-forward yes",
                peak - at(MemoryClass::Gathered) + 2 * largestLayer);
  }

  /// Gradients are kept whole meanwhile.
  void divideBatch() {
    uint64_t activations = at(MemoryClass::Activations);
    if (options.microbatches > 1 || options.strategy.pipeline)
      return;
    for (uint64_t m = 2; m <= 64; m *= 2)
      if (addIfFits("--microbatches " + std::to_string(m),
                    peak - activations + activations / m + parameters))
        return;
  }

  const CompileOptions &options;
  plan::MemoryCount count;
  uint64_t peak, largestLayer = 0, parameters = 0;
  std::string list;
};
} // namespace

/// What the memory is used for when the plan needs most.
static std::string classTable(const plan::ProgramT &program) {
  plan::Table table({"class", "at the peak"}, {1});
  plan::MemoryCount count = plan::countMemory(program);
  for (size_t i = 1; i <= plan::numMemoryClasses; ++i) {
    size_t number = i % plan::numMemoryClasses; // other is last
    if (count.atPeak[number] > 0)
      table.add({plan::memoryClassName(MemoryClass(number)),
                 bytesText(count.atPeak[number])});
  }
  return table.text();
}

std::string partopt::describeShortage(const CompileOptions &options,
                                      const plan::PlanT &plan) {
  const plan::ProgramT &program = largestProgram(plan);
  if (options.deviceMemory == 0 || program.peak_bytes <= options.deviceMemory)
    return "";
  std::string ranks; // that need so much, where there are others
  for (const auto &rankClass : plan.classes)
    for (const auto &one : rankClass->programs)
      if (one.get() == &program && plan.classes.size() > 1)
        ranks = " of " + rankClass->name;
  bool isClusters =
      options.deviceMemory == uint64_t(options.machine.cluster.memory);
  bool mostlyState = program.resident_bytes > program.arena_bytes;
  std::string more =
      isOneDevice(options)
          ? ". Over several devices --strategy fsdp (--mesh data=N) shards "
            "parameters, gradients and optimizer state, tp (--mesh model=N) "
            "layers, and pp (--mesh pipe=N) gives each device some of them"
          : "";
  std::string problem =
      "the plan does not fit: it needs " + bytesText(program.peak_bytes) +
      " per device" + ranks + " and " + bytesText(options.deviceMemory) +
      " are there" +
      (isClusters ? " on cluster '" + options.machine.cluster.name + "', "
                  : ", ") +
      bytesText(program.peak_bytes - options.deviceMemory) +
      " are short. Arguments take " + bytesText(program.resident_bytes) +
      ", temporaries " + bytesText(program.arena_bytes) + "; " +
      (mostlyState
           ? "parameters and optimizer state that are sharded over an axis "
             "(FSDP) would help most"
           : lessTemporaries(options) +
                 "fewer rows per device (a larger data axis) would help "
                 "most") +
      more + "\n" + classTable(program);
  std::string fits = Estimates(options, plan, program).text();
  return problem + (fits.empty() ? "  by these figures, no single option of "
                                   "data parallelism makes it fit"
                                 : "  by these figures, would fit: " + fits);
}
