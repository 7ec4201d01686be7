//===- FinishPlan.cpp - From the plan dialect to a plan that runs ---------===//
//
// The plan is verified as it will be when it is loaded, before its kernels are
// compiled: what does not hold or does not fit is known early.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "DoesNotFit.h"
#include "PlanRemarks.h"

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

/// The slowest class's time.
static double predictStep(const plan::PlanT &plan,
                          const simulate::Machine &machine) {
  double slowest = 0;
  for (const auto &prediction : simulate::simulateEntry(plan, 0, machine))
    slowest = std::max(slowest, prediction.step);
  return slowest;
}

double partopt::predictStep(const CompileOptions &options,
                            const plan::PlanT &plan) {
  simulate::Machine machine;
  return options.machine.resolve(plan, machine).empty()
             ? ::predictStep(plan, machine)
             : 0;
}

/// Predicts the step with the mesh where it lies on the cluster.
static void predictMapping(const CompileOptions &options, plan::PlanT &plan) {
  simulate::Machine machine;
  if (plan.mapping && options.machine.resolve(plan, machine).empty())
    plan.mapping->predicted = predictStep(plan, machine);
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
  predictMapping(request.options, *outcome.plan);
  addPlanRemarks(request.options, *outcome.plan);
  outcome.problem = describeShortage(request.options, *outcome.plan);
  if (!outcome.problem.empty())
    outcome.status = CompileStatus::DoesNotFit;
}
