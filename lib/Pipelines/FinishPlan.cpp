//===- FinishPlan.cpp - From the plan dialect to a plan that runs ---------===//
//
// The plan is verified as it will be when it is loaded, before its kernels are
// compiled: what does not hold or does not fit is known early.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Plan/SerializePlan.h"
#include "partopt/Plan/VerifyPlan.h"
#include "partopt/Simulate/Simulate.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace partopt;

static void failInternally(CompileOutcome &outcome, const Twine &problem) {
  outcome.status = CompileStatus::Internal;
  outcome.problem = problem.str();
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
  if (gathers && !options.reshardAfterForward)
    text += "parameters gathered again (--reshard-after-forward yes), ";
  if (text.empty())
    return text;
  text.pop_back(); // "A, B or what follows": no comma before the "or"
  text.back() = ' ';
  return text + "or ";
}

static std::string moreDevices(const CompileOptions &options) {
  for (const MeshAxisSize &axis : options.mesh)
    if (axis.size > 1)
      return "";
  return ". Over several devices --strategy fsdp (--mesh data=N) shards "
         "parameters, gradients and optimizer state, tp (--mesh model=N) "
         "layers, and pp (--mesh pipe=N) gives each device some of them";
}

/// Names what is short and what would help when the plan needs more memory
/// than a device has.
static void checkMemory(const CompileOptions &options,
                        const plan::ProgramT &program,
                        CompileOutcome &outcome) {
  if (options.deviceMemory == 0 || program.peak_bytes <= options.deviceMemory)
    return;
  bool isClusters =
      options.deviceMemory == uint64_t(options.machine.cluster.memory);
  bool mostlyState = program.resident_bytes > program.arena_bytes;
  outcome.status = CompileStatus::DoesNotFit;
  outcome.problem =
      "the plan does not fit: it needs " + bytesText(program.peak_bytes) +
      " per device and " + bytesText(options.deviceMemory) + " are there" +
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
      moreDevices(options);
}

/// The slowest class's time.
static double predictStep(const plan::PlanT &plan,
                          const simulate::Machine &machine) {
  double slowest = 0;
  for (const auto &prediction : simulate::simulateEntry(plan, 0, machine))
    slowest = std::max(slowest, prediction.step);
  return slowest;
}

/// Predicts the step with the mesh where it lies, and in the order to compare
/// with.
static void predictMappings(const CompileOptions &options, plan::PlanT &plan) {
  simulate::Machine machine;
  if (!plan.mapping || !options.machine.resolve(plan, machine).empty())
    return;
  plan.mapping->predicted = predictStep(plan, machine);
  if (plan.mapping->other.empty() || !options.machine.cluster.hasLinks())
    return;
  std::vector<uint64_t> sizes;
  for (const auto &axis : plan.mesh)
    sizes.push_back(axis->kind == plan::AxisKind::Space ? axis->size : 1);
  options.machine.resolveLinks(
      plan,
      options.machine.cluster.levelsInOrder(
          sizes, {plan.mapping->other.begin(), plan.mapping->other.end()}),
      machine.links);
  plan.mapping->other_predicted = predictStep(plan, machine);
}

void partopt::makePlan(ModuleOp module, const CompileRequest &request,
                       CompileOutcome &outcome) {
  PlanHeader header;
  header.partoptVersion = request.version;
  header.model = request.modelName;
  header.strategy = request.options.strategy.name;
  header.optionsJson = optionsJson(request.options);
  FailureOr<std::unique_ptr<plan::PlanT>> made = serializePlan(module, header);
  if (failed(made))
    return failInternally(outcome, "the plan could not be serialised");
  std::vector<std::string> problems = plan::verifyPlan(**made);
  if (!problems.empty())
    return failInternally(outcome, "the plan is not valid: " + problems[0]);
  outcome.plan = std::move(*made);
  predictMappings(request.options, *outcome.plan);
  for (const auto &rankClass : outcome.plan->classes)
    for (const auto &program : rankClass->programs)
      if (outcome.status == CompileStatus::Done)
        checkMemory(request.options, *program, outcome);
}
