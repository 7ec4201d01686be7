// The pass partopt-form-kernels: a local program to calls of kernels, products
// in BLAS form and communication.
#include "FormKernels.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/Captures.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "partopt/Codegen/Passes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "partopt/Codegen/Passes.h.inc"
} // namespace partopt

namespace partopt::codegen {
namespace {

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && !function->hasAttr("partopt.kernel"))
        programs.push_back(function);
    for (func::FuncOp program : programs) {
      Block &block = program.getBody().front();
      removeEmpty(block);
      expandFourier(block);
      widenTriangular(block);
      simplifyWindows(block);
      simplifyProgram(block);
      splitComplexProducts(block);
      normaliseConvolutions(block);
      simplifyProgram(block);
      normaliseDots(block);
      simplifyProgram(block);
      accumulateInPlace(block);
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(program);
      eliminateCommonSubExpressions(rewriter, dominance, program);
      for (Operation &op : block)
        if (isa<stablehlo::StableHLODialect>(op.getDialect()) &&
            failed(stablehlo::ownConstants(&op)))
          return signalPassFailure();
      if (failed(outlineKernels(program)))
        return signalPassFailure();
      for (Operation &op : block) {
        numCalls += isa<func::CallOp>(op);
        numProducts += isa<stablehlo::DotGeneralOp>(op);
      }
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      numKernels += function->hasAttr("partopt.kernel");
  }
};

} // namespace
} // namespace partopt::codegen
