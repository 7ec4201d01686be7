// Functions of grids to LLVM's IR.
#include "DeviceMath.h"
#include "ExpandMath.h"
#include "GpuBackend.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace partopt::codegen {

/// Of the plan's buffers, which arguments are.
constexpr int64_t kAlignment = 64;

LogicalResult lowerGridsToLLVM(ModuleOp module) {
  expandMath(module);
  if (failed(expandDeviceMath(module)))
    return failure();
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    auto block = function->getAttrOfType<IntegerAttr>(kLaunchAttr);
    if (!block)
      continue;
    function->removeAttr(kLaunchAttr);
    function->setAttr("nvvm.kernel", builder.getUnitAttr());
    function->setAttr("nvvm.reqntid",
                      builder.getDenseI32ArrayAttr({int32_t(block.getInt())}));
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      function.setArgAttr(i, "llvm.align",
                          builder.getI64IntegerAttr(kAlignment));
      function.setArgAttr(i, "llvm.noalias", builder.getUnitAttr());
    }
  }
  return convertToLLVM(module);
}

FailureOr<std::unique_ptr<llvm::Module>>
translateGrids(ModuleOp module, llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return emitError(module.getLoc(), "translation of kernels to LLVM failed");
  for (llvm::Function &function : *code)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::NoUnwind);
  return std::move(code);
}

} // namespace partopt::codegen
