// One kernel after the other: plan, check the stack, emit.
#include "LowerKernels.h"
#include "EmitGpu.h"
#include "EmitHost.h"
#include "LowerGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "partopt/Codegen/Passes.h"
#include "partopt/Support/KernelAttributes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "partopt/Codegen/Passes.h.inc"
} // namespace partopt

namespace partopt::codegen {

/// The buffer of a kernel's argument or result; null for other types.
static MemRefType argumentType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !isSupportedElementType(tensor.getElementType()))
    return {};
  return bufferType(tensor.getShape(), tensor.getElementType());
}

/// The buffers of arguments and results; checks which results are written over
/// which arguments.
static FailureOr<SmallVector<Type>> argumentTypes(func::FuncOp kernel) {
  SmallVector<Type> types(kernel.getArgumentTypes()), arguments;
  llvm::append_range(types, kernel.getResultTypes());
  for (Type type : types) {
    MemRefType buffer = argumentType(type);
    if (!buffer)
      return kernel.emitError("kernel @")
             << kernel.getName() << " has an argument or result of type "
             << type << ", for which there are no kernels";
    arguments.push_back(buffer);
  }
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    auto result = kernel.getArgAttrOfType<IntegerAttr>(i, kOverwriteAttr);
    auto allowed =
        kernel.getArgAttrOfType<DenseI64ArrayAttr>(i, kMayOverwriteAttr);
    if (result && (!allowed ||
                   !llvm::is_contained(allowed.asArrayRef(), result.getInt())))
      return kernel.emitError("kernel @")
             << kernel.getName() << " may not write result " << result.getInt()
             << " over argument " << i;
  }
  return arguments;
}

static func::FuncOp createTarget(func::FuncOp kernel, ModuleOp module,
                                 TypeRange arguments) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto target =
      builder.create<func::FuncOp>(kernel.getLoc(), kernel.getName(),
                                   builder.getFunctionType(arguments, {}));
  target->setAttr(kKernelAttr, builder.getUnitAttr());
  target.addEntryBlock();
  return target;
}

LogicalResult lowerKernel(func::FuncOp kernel, ModuleOp loops) {
  FailureOr<SmallVector<Type>> arguments = argumentTypes(kernel);
  if (failed(arguments))
    return failure();
  Block &body = kernel.getBody().front();
  const KernelTarget host = KernelTarget::host();
  FailureOr<KernelPlan> plan = planKernel(body, host);
  if (failed(plan))
    return failure();
  if (plan->stackBytes > host.temporaryBytes)
    return emitError(plan->largest.getLoc(), "kernel @")
           << kernel.getName() << " needs " << plan->stackBytes
           << " bytes of temporaries, more than the " << host.temporaryBytes
           << " that a kernel may use; the largest is "
           << plan->largest.getType();
  func::FuncOp target = createTarget(kernel, loops, *arguments);
  return HostEmitter(body, *plan, target).run();
}

FailureOr<GpuProgram> lowerGpuKernel(func::FuncOp kernel, ModuleOp module) {
  FailureOr<SmallVector<Type>> arguments = argumentTypes(kernel);
  if (failed(arguments))
    return failure();
  Block &body = kernel.getBody().front();
  FailureOr<KernelPlan> plan = planKernel(body, KernelTarget::gpu());
  if (failed(plan))
    return failure();
  GpuProgram program;
  program.name = kernel.getName().str();
  program.numArguments = arguments->size();
  // The scratch memory comes last; how much it is shows at the end.
  Type byte = IntegerType::get(kernel.getContext(), 8);
  arguments->push_back(MemRefType::get({1}, byte));
  func::FuncOp target = createTarget(kernel, module, *arguments);
  GpuEmitter emitter(body, *plan, target);
  if (failed(emitter.run()))
    return failure();
  program.scratchBytes = emitter.scratchBytes();
  if (program.scratchBytes > 0) {
    arguments->back() = MemRefType::get({program.scratchBytes}, byte);
    target.getArguments().back().setType(arguments->back());
    target.setFunctionType(
        FunctionType::get(kernel.getContext(), *arguments, {}));
  }
  if (failed(splitLaunches(target, program.scratchBytes > 0, program.grids)))
    return failure();
  return program;
}

namespace {

struct LowerKernelsPass : impl::LowerKernelsPassBase<LowerKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> loops = ModuleOp::create(module.getLoc());
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!kernel->hasAttr(kKernelAttr))
        continue;
      if (failed(lowerKernel(kernel, *loops)))
        return signalPassFailure();
      kernel.erase();
    }
    module.getBody()->getOperations().splice(module.getBody()->end(),
                                             loops->getBody()->getOperations());
  }
};

} // namespace
} // namespace partopt::codegen
