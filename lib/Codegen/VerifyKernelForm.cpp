//===- VerifyKernelForm.cpp - The exit contract of the kernels phase ------===//
//
// What schedule and plan rely on: the entry is a list of kernel calls, products
// in BLAS form, views and collectives.
//
//===----------------------------------------------------------------------===//

#include "partopt/Codegen/Passes.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_VERIFYKERNELFORMPASS
#include "partopt/Codegen/Passes.h.inc"

namespace {

/// A product is [batch?, m, k] x [batch?, k, n] in f32 or f64 with at most one
/// batch dimension, first in both, and one contracting dimension.
LogicalResult checkProduct(stablehlo::DotGeneralOp op) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto dims = op.getDotDimensionNumbers();
  size_t batch = dims.getLhsBatchingDimensions().size();
  bool isForm =
      (result.getElementType().isF32() || result.getElementType().isF64()) &&
      batch <= 1 && result.getRank() == int64_t(batch) + 2 &&
      dims.getLhsContractingDimensions().size() == 1 &&
      dims.getRhsContractingDimensions().size() == 1;
  if (batch == 1)
    isForm &= dims.getLhsBatchingDimensions()[0] == 0 &&
              dims.getRhsBatchingDimensions()[0] == 0;
  return isForm ? success() : op.emitOpError("is no product in BLAS form");
}

LogicalResult checkOp(Operation &op, SymbolTableCollection &symbols) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        &op, call.getCalleeAttr());
    return callee && callee->hasAttr("partopt.kernel")
               ? success()
               : op.emitOpError("calls a function that is no kernel");
  }
  if (auto product = dyn_cast<stablehlo::DotGeneralOp>(op))
    return checkProduct(product);
  if (isa<stablehlo::ReshapeOp, func::ReturnOp>(op) ||
      isa<comm::CommDialect>(op.getDialect()))
    return success();
  return op.emitOpError("is not part of the kernel form");
}

struct VerifyKernelFormPass
    : impl::VerifyKernelFormPassBase<VerifyKernelFormPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr("partopt.kernel") || function.isExternal())
        continue;
      for (Operation &op : function.getBody().front())
        if (failed(checkOp(op, symbols)))
          return signalPassFailure();
    }
  }
};

} // namespace
} // namespace partopt
