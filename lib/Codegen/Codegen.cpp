// compileKernels: kernel functions to loops to LLVM to one shared object.
#include "partopt/Codegen/Codegen.h"
#include "Backend.h"
#include "GpuBackend.h"
#include "KeptFiles.h"
#include "LowerKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace partopt {
void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  complex::ComplexDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

FailureOr<KernelObject> compileKernels(ModuleOp module,
                                       const CodegenOptions &options) {
  MLIRContext *context = module.getContext();
  DialectRegistry registry;
  registerCodegenDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();

  Location loc = module.getLoc();
  if (!options.gpuArchs.empty())
    return codegen::compileGpuKernels(module, options);
  codegen::KeptFiles kept(loc, options.keepDir);
  FailureOr<codegen::HostTarget> target =
      codegen::createHostTarget(loc, options.cpu);
  if (failed(target))
    return failure();

  KernelObject result;
  OwningOpRef<ModuleOp> loops = ModuleOp::create(loc);
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr("partopt.kernel"))
      continue;
    if (failed(codegen::lowerKernel(kernel, *loops)))
      return failure();
    result.symbols.push_back(kernel.getName().str());
  }
  if (failed(kept.write("kernels.mlir", module)) ||
      failed(kept.write("kernels.loops.mlir", *loops)) ||
      failed(codegen::lowerLoopsToLLVM(*loops)))
    return failure();

  std::string text;
  FailureOr<std::string> object =
      codegen::emitObject(*loops, *target, kept.wanted() ? &text : nullptr);
  if (failed(object) || failed(kept.write("kernels.ll", text)) ||
      failed(kept.write("kernels.o", *object)))
    return failure();
  FailureOr<std::string> image = codegen::linkSharedObject(loc, *object);
  if (failed(image) || failed(kept.write("kernels.so", *image)))
    return failure();

  result.image = std::move(*image);
  result.triple = target->triple;
  result.cpu = target->cpu;
  result.features = target->features;
  return result;
}

} // namespace partopt
