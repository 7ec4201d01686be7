// A convolution as plain linear loops. Strides and dilations are resolved into
// phases, in each of which output, tap and input coordinates of a spatial
// dimension are linear in two counters.
#ifndef PARTOPT_LIB_CODEGEN_CONVOLUTIONLOOPS_H
#define PARTOPT_LIB_CODEGEN_CONVOLUTIONLOOPS_H

#include "dialects/StableHLO/StableHLO.h"

namespace partopt::codegen {

/// One spatial dimension in one phase. For output counter q in [0, outputs) and
/// tap counter j in [0, taps):
///   output coordinate = outBegin + q * outStep
///   kernel coordinate = tapBegin + j * tapStep
///   input coordinate  = inBegin + q * inByOut + j * inByTap,
/// where inputs outside of [0, inSize) are padding, that is zero.
struct SpatialLoop {
  int64_t outputs = 0, taps = 0, inSize = 0;
  int64_t outBegin = 0, outStep = 1;
  int64_t tapBegin = 0, tapStep = 1;
  int64_t inBegin = 0, inByOut = 1, inByTap = 1;

  bool isInside(int64_t q, int64_t j) const {
    int64_t at = inBegin + q * inByOut + j * inByTap;
    return at >= 0 && at < inSize;
  }
  /// No padding is ever read.
  bool isInside() const {
    return isInside(0, 0) && isInside(outputs - 1, taps - 1);
  }
};

/// The phases of spatial dimension `dim`. There are several only when the input
/// is dilated: outputs whose distance is no multiple of the dilation meet
/// different taps. A phase without taps has outputs that are zero.
llvm::SmallVector<SpatialLoop, 1> phasesOf(stablehlo::ConvolutionOp op,
                                           unsigned dim);

/// Optional attributes with their defaults.
int64_t windowStride(stablehlo::ConvolutionOp op, unsigned dim);
int64_t inputDilation(stablehlo::ConvolutionOp op, unsigned dim);
int64_t kernelDilation(stablehlo::ConvolutionOp op, unsigned dim);
bool isReversed(stablehlo::ConvolutionOp op, unsigned dim);
/// Low and high padding.
std::pair<int64_t, int64_t> windowPadding(stablehlo::ConvolutionOp op,
                                          unsigned dim);

/// A convolution as a fold over taps and input features (GpuConvolution.cpp).
struct Fold;
Fold convolutionFold(mlir::Operation *op);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_CONVOLUTIONLOOPS_H
