// The pass partopt-form-kernels: a local program to calls of kernels, products
// in BLAS form and communication.
#include "FormKernels.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/Captures.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "partopt/Codegen/Passes.h"
#include "partopt/Support/StageAttributes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "partopt/Codegen/Passes.h.inc"
} // namespace partopt

namespace partopt::codegen {
namespace {

/// Equal ops become one, but those of different segments of a pipeline: in
/// which order segments run is not known, and what is behind them has no
/// iteration.
void shareEqualOps(func::FuncOp program) {
  constexpr llvm::StringLiteral kSegment = "partopt.segment";
  Block &block = program.getBody().front();
  Builder builder(program.getContext());
  int64_t depth = 0, segment = 0;
  bool isSegment = false;
  for (Operation &op : block) {
    if (isa<comm::LoopBeginOp>(op) && depth++ == 0)
      isSegment = op.hasAttr(kStageAttr);
    if (isSegment)
      op.setAttr(kSegment, builder.getI64IntegerAttr(segment));
    if (isa<comm::LoopEndOp>(op) && --depth == 0) {
      segment += isSegment;
      isSegment = false;
    }
  }
  IRRewriter rewriter(program.getContext());
  DominanceInfo dominance(program);
  eliminateCommonSubExpressions(rewriter, dominance, program);
  for (Operation &op : block)
    op.removeAttr(kSegment);
}

struct FormKernelsPass : impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;
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
      shareEqualOps(program);
      for (Operation &op : block)
        if (isa<stablehlo::StableHLODialect>(op.getDialect()) &&
            failed(stablehlo::ownConstants(&op)))
          return signalPassFailure();
      if (failed(outlineKernels(program, isGpu ? KernelTarget::gpu()
                                               : KernelTarget::host())))
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
