// Strides, dilations and reversal of a convolution resolved into phases.
#include "ConvolutionLoops.h"
#include "Rules.h"

#include <numeric>

using namespace mlir;

namespace partopt::codegen {

using stablehlo::ConvolutionOp;

static int64_t entry(std::optional<ArrayRef<int64_t>> list, unsigned dim) {
  return list && !list->empty() ? (*list)[dim] : 1;
}

int64_t windowStride(ConvolutionOp op, unsigned dim) {
  return entry(op.getWindowStrides(), dim);
}

int64_t inputDilation(ConvolutionOp op, unsigned dim) {
  return entry(op.getLhsDilation(), dim);
}

int64_t kernelDilation(ConvolutionOp op, unsigned dim) {
  return entry(op.getRhsDilation(), dim);
}

bool isReversed(ConvolutionOp op, unsigned dim) {
  auto reversal = op.getWindowReversal();
  return reversal && !reversal->empty() && (*reversal)[dim];
}

std::pair<int64_t, int64_t> windowPadding(ConvolutionOp op, unsigned dim) {
  auto padding = op.getPadding();
  if (!padding)
    return {0, 0};
  auto values = padding->getValues<int64_t>();
  return {values[2 * dim], values[2 * dim + 1]};
}

static int64_t floorMod(int64_t a, int64_t b) { return ((a % b) + b) % b; }

/// Output o meets tap k at position o*stride + k*dilation - low of the dilated
/// input, which is an input element when the input's dilation divides it.
SmallVector<SpatialLoop, 1> phasesOf(ConvolutionOp op, unsigned dim) {
  auto numbers = op.getDimensionNumbers();
  int64_t inSize = tensorOf(op.getLhs())
                       .getDimSize(numbers.getInputSpatialDimensions()[dim]);
  int64_t kernel = tensorOf(op.getRhs())
                       .getDimSize(numbers.getKernelSpatialDimensions()[dim]);
  int64_t outputs = tensorOf(op.getResult())
                        .getDimSize(numbers.getOutputSpatialDimensions()[dim]);
  int64_t stride = windowStride(op, dim), low = windowPadding(op, dim).first;
  int64_t inDilation = inputDilation(op, dim);
  int64_t tapDilation = kernelDilation(op, dim);
  int64_t outStep = inDilation / std::gcd(inDilation, stride);
  int64_t tapStep = inDilation / std::gcd(inDilation, tapDilation);
  SmallVector<SpatialLoop, 1> phases;
  for (int64_t begin = 0; begin < std::min(outStep, outputs); ++begin) {
    SpatialLoop loop;
    loop.inSize = inSize;
    loop.outputs = (outputs - begin + outStep - 1) / outStep;
    loop.outBegin = begin;
    loop.outStep = outStep;
    // The first tap that meets an input element; later ones follow in steps.
    int64_t first = 0;
    auto position = [&] { return begin * stride + first * tapDilation - low; };
    while (first < std::min(tapStep, kernel) &&
           floorMod(position(), inDilation) != 0)
      ++first;
    if (first < std::min(tapStep, kernel)) {
      loop.taps = (kernel - first + tapStep - 1) / tapStep;
      loop.inBegin = position() / inDilation;
      loop.inByOut = outStep * stride / inDilation;
      loop.inByTap = tapStep * tapDilation / inDilation;
      bool reversed = isReversed(op, dim);
      loop.tapBegin = reversed ? kernel - 1 - first : first;
      loop.tapStep = reversed ? -tapStep : tapStep;
    }
    phases.push_back(loop);
  }
  return phases;
}

} // namespace partopt::codegen
