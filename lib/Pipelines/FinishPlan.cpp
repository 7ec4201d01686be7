//===- FinishPlan.cpp - From the plan dialect to a plan that runs ---------===//
//
// The plan is verified as it will be when it is loaded, before its kernels are
// compiled: what does not hold or does not fit is known early.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Plan/SerializePlan.h"
#include "partopt/Plan/VerifyPlan.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace partopt;

static void failInternally(CompileOutcome &outcome, const Twine &problem) {
  outcome.status = CompileStatus::Internal;
  outcome.problem = problem.str();
}

/// Names what is short and what would help when the plan needs more memory
/// than a device has.
static void checkMemory(const CompileOptions &options,
                        const plan::ProgramT &program,
                        CompileOutcome &outcome) {
  if (options.deviceMemory == 0 || program.peak_bytes <= options.deviceMemory)
    return;
  bool mostlyState = program.resident_bytes > program.arena_bytes;
  outcome.status = CompileStatus::DoesNotFit;
  outcome.problem =
      "the plan does not fit: it needs " + bytesText(program.peak_bytes) +
      " per device and " + bytesText(options.deviceMemory) + " are there, " +
      bytesText(program.peak_bytes - options.deviceMemory) +
      " are short. Arguments take " + bytesText(program.resident_bytes) +
      ", temporaries " + bytesText(program.arena_bytes) + "; " +
      (mostlyState
           ? "parameters and optimizer state that are sharded over an axis "
             "(FSDP) would help most"
           : "fewer rows per device (a larger data axis) would help most");
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
  for (const auto &rankClass : outcome.plan->classes)
    for (const auto &program : rankClass->programs)
      if (outcome.status == CompileStatus::Done)
        checkMemory(request.options, *program, outcome);
}
