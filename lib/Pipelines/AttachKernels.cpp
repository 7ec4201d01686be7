//===- AttachKernels.cpp - Object code of the kernels into the plan -------===//
//
// The last phase: it changes no IR.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Codegen/Codegen.h"
#include "partopt/Plan/PlanFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace partopt;

static void failInternally(CompileOutcome &outcome, const Twine &problem) {
  outcome.status = CompileStatus::Internal;
  outcome.problem = problem.str();
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
  kernels.hash = plan::hashBytes(object->image.data(), object->image.size());
  kernels.triple = object->triple;
  kernels.cpu = object->cpu;
  kernels.features = object->features;
  kernels.abi_version = object->abiVersion;
}
