// Loops over memrefs to LLVM dialect in one conversion of the whole module,
// and the wrappers that give every kernel its ABI.
#include "Backend.h"
#include "ExpandMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

constexpr int64_t kAlignment = 64;

/// Renames @kN to @kN_body and gives its pointers their promises: aligned, and
/// no output overlaps anything else (`partopt.out` marks outputs).
SmallVector<std::string> splitBodies(ModuleOp module) {
  SmallVector<std::string> kernels;
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("partopt.kernel"))
      continue;
    kernels.push_back(function.getName().str());
    function.setName((function.getName() + "_body").str());
    function->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(module.getContext(), LLVM::Linkage::Internal));
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      function.setArgAttr(i, "llvm.align",
                          builder.getI64IntegerAttr(kAlignment));
      function.setArgAttr(i, "llvm.noalias", builder.getUnitAttr());
    }
  }
  return kernels;
}

/// `void @kN(ptr args)`: loads the pointers in order and calls the body.
void addWrapper(ModuleOp module, StringRef name, LLVM::LLVMFuncOp body) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  Location loc = body.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(module.getContext()), {pointer});
  auto wrapper = builder.create<LLVM::LLVMFuncOp>(loc, name, type);
  Block *entry = wrapper.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  SmallVector<Value> arguments;
  for (unsigned i = 0, e = body.getNumArguments(); i < e; ++i) {
    Value slot = builder.create<LLVM::GEPOp>(
        loc, pointer, pointer, entry->getArgument(0),
        ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(builder.create<LLVM::LoadOp>(loc, pointer, slot));
  }
  builder.create<LLVM::CallOp>(loc, body, arguments);
  builder.create<LLVM::ReturnOp>(loc, ValueRange());
}

/// Functions without an LLVM intrinsic become calls of libm.
LogicalResult convertToLibm(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target.addLegalDialect<BuiltinDialect, func::FuncDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return !isa<math::TanhOp, math::ErfOp, math::CbrtOp, math::Atan2Op,
                math::AtanOp, math::TanOp, math::AsinOp, math::AcosOp,
                math::SinhOp, math::CoshOp, math::AsinhOp, math::AcoshOp,
                math::AtanhOp, math::ExpM1Op, math::Log1pOp>(op);
  });
  return applyPartialConversion(module, target, std::move(patterns));
}

} // namespace

LogicalResult convertToLLVM(ModuleOp module) {
  LowerToLLVMOptions options(module.getContext());
  options.useBarePtrCallConv = true;
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  LLVMTypeConverter converter(module.getContext(), options);
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateComplexToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*module.getContext());
  target.addLegalOp<ModuleOp>();
  target.addLegalDialect<NVVM::NVVMDialect>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();
  PassManager passes(module.getContext());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(module);
}

LogicalResult lowerLoopsToLLVM(ModuleOp module) {
  expandMath(module);
  SmallVector<std::string> kernels = splitBodies(module);
  if (failed(convertToLibm(module)) || failed(convertToLLVM(module)))
    return failure();
  SymbolTable symbols(module);
  for (const std::string &name : kernels)
    addWrapper(module, name, symbols.lookup<LLVM::LLVMFuncOp>(name + "_body"));
  return success();
}

} // namespace partopt::codegen
