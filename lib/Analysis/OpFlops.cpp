// Arithmetic of one op.

#include "partopt/Analysis/Layers.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

static int64_t elements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 0;
}

int64_t partopt::opFlops(Operation *op) {
  if (op->getNumResults() == 0 || op->getNumOperands() == 0)
    return 0;
  int64_t results = elements(op->getResult(0).getType());
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    int64_t terms = 1;
    for (int64_t dim :
         dot.getDotDimensionNumbers().getLhsContractingDimensions())
      terms *= lhs.getDimSize(dim);
    return 2 * results * terms;
  }
  if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op)) {
    auto kernel = cast<RankedTensorType>(convolution.getRhs().getType());
    int64_t features = kernel.getDimSize(
        convolution.getDimensionNumbers().getKernelOutputFeatureDimension());
    return features ? 2 * results * (kernel.getNumElements() / features) : 0;
  }
  if (op->hasTrait<stablehlo::Elementwise>())
    return results;
  return op->getNumRegions() != 0 ? elements(op->getOperand(0).getType()) : 0;
}
