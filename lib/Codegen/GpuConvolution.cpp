// A convolution as a fold: neighbouring threads take neighbouring elements of
// the result, each adds up its window and input features; long sums of few
// results, as weight gradients are, are divided as every fold is.
#include "ConvolutionLoops.h"
#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using stablehlo::ConvolutionOp;

/// The quotient and the remainder of a coordinate by a size.
std::pair<Index, Index> divided(ElementScope &scope, const Index &index,
                                int64_t size) {
  if (index.high < size)
    return {Index::constant(0), index};
  OpBuilder &b = scope.builder;
  Value value = scope.materialize(index), by = scope.indexConstant(size);
  return {scope.opaque(b.create<arith::DivUIOp>(scope.loc, value, by), 0,
                       index.high / size),
          scope.opaque(b.create<arith::RemUIOp>(scope.loc, value, by), 0,
                       size - 1)};
}

/// Where the input is read for one point of the space: taps, the input feature,
/// then the result's coordinates. Coordinates are those of the padded input.
IndexVector paddedPlace(ElementScope &scope, ConvolutionOp op,
                        ArrayRef<Index> taps, const Index &feature,
                        ArrayRef<Index> result) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType lhs = tensorOf(op.getLhs()), out = tensorOf(op.getResult());
  IndexVector at(lhs.getRank());
  const Index &outFeature = result[numbers.getOutputFeatureDimension()];
  const Index &batch = result[numbers.getOutputBatchDimension()];
  int64_t features = out.getDimSize(numbers.getOutputFeatureDimension());
  int64_t inFeatures =
      tensorOf(op.getRhs())
          .getDimSize(numbers.getKernelInputFeatureDimension());
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  Index inFeature = feature, inBatch = batch;
  if (featureGroups > 1) {
    Index group = divided(scope, outFeature, features / featureGroups).first;
    inFeature = scope.sum(scope.scaled(group, inFeatures), feature);
  }
  if (batchGroups > 1) {
    int64_t size = out.getDimSize(numbers.getOutputBatchDimension());
    Index group = divided(scope, outFeature, features / batchGroups).first;
    inBatch = scope.sum(scope.scaled(group, size), batch);
  }
  at[numbers.getInputBatchDimension()] = inBatch;
  at[numbers.getInputFeatureDimension()] = inFeature;
  for (auto [d, dim] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
    const Index &own = result[numbers.getOutputSpatialDimensions()[d]];
    at[dim] = scope
                  .sum(scope.scaled(own, windowStride(op, d)),
                       scope.scaled(taps[d], kernelDilation(op, d)))
                  .plus(-windowPadding(op, d).first);
  }
  return at;
}

/// Both factors, zero where the window is over padding, so that an infinite
/// weight adds nothing.
LogicalResult convolutionTerms(ElementScope &scope, Operation *operation,
                               ArrayRef<Index> at,
                               SmallVectorImpl<Value> &out) {
  auto op = cast<ConvolutionOp>(operation);
  auto numbers = op.getDimensionNumbers();
  RankedTensorType lhs = tensorOf(op.getLhs()), rhs = tensorOf(op.getRhs());
  size_t rank = numbers.getInputSpatialDimensions().size();
  ArrayRef<Index> taps = at.take_front(rank), result = at.drop_front(rank + 1);
  IndexVector kernelAt(rhs.getRank());
  kernelAt[numbers.getKernelInputFeatureDimension()] = at[rank];
  kernelAt[numbers.getKernelOutputFeatureDimension()] =
      result[numbers.getOutputFeatureDimension()];
  for (auto [d, dim] : llvm::enumerate(numbers.getKernelSpatialDimensions()))
    kernelAt[dim] =
        isReversed(op, d)
            ? scope.scaled(taps[d], -1).plus(rhs.getDimSize(dim) - 1)
            : taps[d];
  SmallVector<int64_t> steps(lhs.getRank(), 1);
  for (auto [d, dim] : llvm::enumerate(numbers.getInputSpatialDimensions()))
    steps[dim] = inputDilation(op, d);
  DilatedPlace place =
      placeInDilated(scope, paddedPlace(scope, op, taps, at[rank], result),
                     lhs.getShape(), steps);
  for (auto [value, where] :
       {std::pair{op.getLhs(), ArrayRef<Index>(place.from)},
        std::pair{op.getRhs(), ArrayRef<Index>(kernelAt)}}) {
    Type type = computeType(tensorOf(value).getElementType());
    Value zero, factor;
    if (place.condition || place.isOutside)
      factor = zero = zeroScalar(scope.builder, scope.loc, type);
    if (!place.isOutside) {
      factor = scope.element(value, where);
      if (!factor)
        return failure();
      if (place.condition)
        factor = selectScalar(scope.builder, scope.loc, place.condition, factor,
                              zero);
    }
    out.push_back(factor);
  }
  return success();
}

Type sumType(Operation *op) {
  return computeType(tensorOf(op->getResult(0)).getElementType());
}

LogicalResult convolutionInit(ElementScope &scope, Operation *op,
                              SmallVectorImpl<Value> &out) {
  out.push_back(zeroScalar(scope.builder, scope.loc, sumType(op)));
  return success();
}

LogicalResult convolutionCombine(ElementScope &scope, Operation *operation,
                                 ValueRange accumulators, ValueRange terms,
                                 SmallVectorImpl<Value> &out) {
  auto op = cast<ConvolutionOp>(operation);
  OpBuilder &b = scope.builder;
  Type type = sumType(op);
  Value x = widened(b, scope.loc, tensorOf(op.getLhs()).getElementType(), type,
                    terms[0]);
  Value y = widened(b, scope.loc, tensorOf(op.getRhs()).getElementType(), type,
                    terms[1]);
  // As on the host, products are rounded with their sums.
  if (isa<FloatType>(type))
    out.push_back(b.create<math::FmaOp>(scope.loc, x, y, accumulators[0]));
  else
    out.push_back(sumWithProduct(scope, accumulators[0], x, y));
  return success();
}

int64_t convolutionPrefix(Operation *, unsigned) { return 0; }

} // namespace

/// The folded dimensions come first, so that threads are along the result's.
Fold convolutionFold(Operation *operation) {
  auto op = cast<ConvolutionOp>(operation);
  auto numbers = op.getDimensionNumbers();
  RankedTensorType rhs = tensorOf(op.getRhs());
  Fold fold;
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    fold.space.push_back(rhs.getDimSize(dim));
  fold.space.push_back(
      rhs.getDimSize(numbers.getKernelInputFeatureDimension()));
  fold.folded.assign(fold.space.size(), true);
  for (int64_t size : tensorOf(op.getResult()).getShape()) {
    fold.space.push_back(size);
    fold.folded.push_back(false);
  }
  fold.terms = convolutionTerms;
  fold.init = convolutionInit;
  fold.combine = convolutionCombine;
  fold.merge = mergeSums;
  fold.prefix = convolutionPrefix;
  return fold;
}

} // namespace partopt::codegen
