//===- VerifyConvolution.cpp - checks of a convolution --------------------===//
//
// Dimension numbers first, then groups, then the window, from which the
// result's type follows.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/LinearAlgebraOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

/// \p dims name every dimension of a tensor of \p type once.
static LogicalResult verifyRoles(Operation *op, StringRef name,
                                 RankedTensorType type, int64_t first,
                                 int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> dims{first, second};
  llvm::append_range(dims, spatial);
  if (failed(verifyLength(op, name, dims, "tensor", type)))
    return failure();
  return verifyDimensions(op, name, dims, type.getRank());
}

static LogicalResult verifyDimensionNumbers(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  if (failed(verifyRoles(op, "input dimensions", op.getLhs().getType(),
                         numbers.getInputBatchDimension(),
                         numbers.getInputFeatureDimension(),
                         numbers.getInputSpatialDimensions())) ||
      failed(verifyRoles(op, "kernel dimensions", op.getRhs().getType(),
                         numbers.getKernelInputFeatureDimension(),
                         numbers.getKernelOutputFeatureDimension(),
                         numbers.getKernelSpatialDimensions())) ||
      failed(verifyRoles(op, "output dimensions", op.getType(),
                         numbers.getOutputBatchDimension(),
                         numbers.getOutputFeatureDimension(),
                         numbers.getOutputSpatialDimensions())))
    return failure();
  size_t input = numbers.getInputSpatialDimensions().size();
  size_t kernel = numbers.getKernelSpatialDimensions().size();
  size_t output = numbers.getOutputSpatialDimensions().size();
  if (input == kernel && input == output)
    return success();
  return op.emitOpError() << "input, kernel and output must have as many "
                             "spatial dimensions, but have "
                          << input << ", " << kernel << " and " << output;
}

static LogicalResult verifyGroups(ConvolutionOp op) {
  int64_t features = op.getFeatureGroupCount();
  int64_t batches = op.getBatchGroupCount();
  if (features < 1 || batches < 1 || (features > 1 && batches > 1))
    return op.emitOpError() << "feature_group_count = " << features
                            << " and batch_group_count = " << batches
                            << " must be positive, and one of them 1";
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType input = op.getLhs().getType();
  RankedTensorType kernel = op.getRhs().getType();
  int64_t inputFeatures = input.getDimSize(numbers.getInputFeatureDimension());
  int64_t inputBatch = input.getDimSize(numbers.getInputBatchDimension());
  int64_t kernelInputs =
      kernel.getDimSize(numbers.getKernelInputFeatureDimension());
  int64_t kernelOutputs =
      kernel.getDimSize(numbers.getKernelOutputFeatureDimension());
  if (inputFeatures % features != 0 || inputFeatures / features != kernelInputs)
    return op.emitOpError()
           << "input features " << inputFeatures
           << " must be feature_group_count = " << features
           << " times the kernel's input features " << kernelInputs;
  if (kernelOutputs % features != 0 || kernelOutputs % batches != 0)
    return op.emitOpError()
           << "the kernel's output features " << kernelOutputs
           << " must be a multiple of feature_group_count = " << features
           << " and of batch_group_count = " << batches;
  if (inputBatch % batches != 0)
    return op.emitOpError()
           << "the batch of size " << inputBatch
           << " must be a multiple of batch_group_count = " << batches;
  return success();
}

static SmallVector<int64_t> sizesOf(RankedTensorType type,
                                    ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : dims)
    sizes.push_back(type.getDimSize(dim));
  return sizes;
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyDimensionNumbers(*this)) || failed(verifyGroups(*this)) ||
      failed(verifyPrecision(*this, getPrecisionConfig())))
    return failure();
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  RankedTensorType input = getLhs().getType(), kernel = getRhs().getType();
  SmallVector<int64_t> base =
      sizesOf(input, numbers.getInputSpatialDimensions());
  SmallVector<int64_t> window =
      sizesOf(kernel, numbers.getKernelSpatialDimensions());
  auto reversal = getWindowReversal();
  if (reversal && reversal->size() != base.size())
    return emitOpError() << "reverse has " << reversal->size()
                         << " entries, but there are " << base.size()
                         << " spatial dimensions";
  FailureOr<SmallVector<int64_t>> places =
      verifyWindow(*this, base,
                   {window, getWindowStrides(), getLhsDilation(),
                    getRhsDilation(), getPadding()});
  if (failed(places))
    return failure();
  SmallVector<int64_t> shape(input.getRank());
  shape[numbers.getOutputBatchDimension()] =
      input.getDimSize(numbers.getInputBatchDimension()) / getBatchGroupCount();
  shape[numbers.getOutputFeatureDimension()] =
      kernel.getDimSize(numbers.getKernelOutputFeatureDimension());
  for (auto [dim, size] :
       llvm::zip(numbers.getOutputSpatialDimensions(), *places))
    shape[dim] = size;
  return verifyType(*this, "result", getType(), getType().clone(shape));
}
