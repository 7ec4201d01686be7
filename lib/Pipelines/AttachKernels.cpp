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

static std::unique_ptr<plan::GpuImageT> serialised(const GpuImage &image) {
  auto result = std::make_unique<plan::GpuImageT>();
  switch (image.kind) {
  case GpuImage::Kind::Ptx:
    result->kind = plan::GpuImageKind::Ptx;
    break;
  case GpuImage::Kind::Cubin:
    result->kind = plan::GpuImageKind::Cubin;
    break;
  case GpuImage::Kind::Host:
    result->kind = plan::GpuImageKind::Host;
    break;
  }
  result->arch = image.arch;
  result->image.assign(image.bytes.begin(), image.bytes.end());
  result->hash = plan::hashBytes(image.bytes.data(), image.bytes.size());
  return result;
}

static std::unique_ptr<plan::GpuKernelT> serialised(const GpuKernel &kernel) {
  auto result = std::make_unique<plan::GpuKernelT>();
  result->scratch_bytes = kernel.scratchBytes;
  for (const GpuLaunch &launch : kernel.launches) {
    auto grid = std::make_unique<plan::GpuLaunchT>();
    grid->symbol = launch.symbol;
    grid->grid = {launch.grid, 1, 1};
    grid->block = {launch.block, 1, 1};
    result->launches.push_back(std::move(grid));
  }
  return result;
}

void partopt::addKernels(ModuleOp module, const CompileRequest &request,
                         CompileOutcome &outcome) {
  CodegenOptions options;
  options.cpu = request.options.targetCpu;
  options.keepDir = request.options.keepKernels;
  options.gpuArchs = request.options.gpuArchs;
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
  for (const GpuImage &image : object->gpuImages)
    kernels.gpu_images.push_back(serialised(image));
  for (const GpuKernel &kernel : object->gpuKernels)
    kernels.gpu_kernels.push_back(serialised(kernel));
  kernels.triple = object->triple;
  kernels.cpu = object->cpu;
  kernels.features = object->features;
  kernels.abi_version = object->abiVersion;
}
