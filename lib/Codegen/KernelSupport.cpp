// Which ops and which forms of them have kernels.
#include "KernelPlan.h"
#include "Rules.h"

#include "mlir/IR/Diagnostics.h"
#include "partopt/Codegen/Codegen.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

LogicalResult checkTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() ||
        !isSupportedElementType(tensor.getElementType()))
      return op->emitError("'")
             << op->getName() << "' has no kernel for type " << type;
  }
  return success();
}

/// An op of a kernel; `isScalar`: of the computation of a reduction and the
/// like.
LogicalResult checkOp(Operation *op, bool isScalar) {
  const OpRule *rule = RuleTable::get().lookup(op);
  if (!rule)
    return op->emitError("'")
           << op->getName() << "' has no kernel in this version";
  if (failed(checkTypes(op)))
    return failure();
  if (!rule->element && !rule->fold && !rule->emit)
    return op->emitError("'")
           << op->getName() << "' has no kernel for element type "
           << tensorOf(op->getOperand(0)).getElementType();
  if (isScalar && !rule->element)
    return op->emitError("'")
           << op->getName() << "' cannot be part of another op's computation";
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front().without_terminator())
      if (failed(checkOp(&inner, true)))
        return failure();
  return success();
}

} // namespace

LogicalResult checkKernelOp(Operation *op) { return checkOp(op, false); }

} // namespace partopt::codegen

bool partopt::hasKernel(llvm::StringRef opName) {
  // A barrier is gone by the time that there are kernels.
  return opName == "stablehlo.dot_general" || opName == "stablehlo.constant" ||
         opName == "stablehlo.optimization_barrier" ||
         codegen::RuleTable::get().lookup(opName);
}
