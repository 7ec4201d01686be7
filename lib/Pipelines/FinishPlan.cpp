//===- FinishPlan.cpp - From the plan dialect to a plan that runs ---------===//
//
// The plan is verified as it will be when it is loaded, before its kernels are
// compiled: what does not hold or does not fit is known early.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Codegen/Codegen.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/SerializePlan.h"
#include "partopt/Plan/VerifyPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

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
  header.strategy = request.options.strategy;
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

void partopt::addKernels(ModuleOp module, const CompileRequest &request,
                         CompileOutcome &outcome) {
  CodegenOptions options;
  options.cpu = request.options.targetCpu;
  options.keepDir = request.options.keepKernels;
  unsigned errors = 0;
  ScopedDiagnosticHandler counter(
      module.getContext(), [&](Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure(); // not consumed
      });
  FailureOr<KernelObject> object = compileKernels(module, options);
  if (failed(object)) {
    if (errors == 0)
      return failInternally(outcome, "kernels failed without a reason");
    outcome.status = CompileStatus::BadInput;
    return;
  }
  plan::KernelObjectT &kernels = *outcome.plan->classes[0]->kernels;
  if (kernels.symbols.size() != object->symbols.size())
    return failInternally(outcome, "kernels and plan do not match");
  kernels.symbols = object->symbols;
  kernels.image.assign(object->image.begin(), object->image.end());
  kernels.hash =
      plan::hashBytes(object->image.data(), object->image.size());
  kernels.triple = object->triple;
  kernels.cpu = object->cpu;
  kernels.features = object->features;
  kernels.abi_version = object->abiVersion;
}
