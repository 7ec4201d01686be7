// Rules of dot_general and convolution, and of matrix decompositions.

#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"

using namespace mlir;

namespace partopt::rules {

static ShardingRule dotGeneral(Operation *op) {
  auto dot = cast<stablehlo::DotGeneralOp>(op);
  auto numbers = dot.getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs = shapeOf(dot.getLhs());
  llvm::ArrayRef<int64_t> rhs = shapeOf(dot.getRhs());
  RuleBuilder builder(op);
  int64_t result = 0;
  for (auto [l, r] : llvm::zip(numbers.getLhsBatchingDimensions(),
                               numbers.getRhsBatchingDimensions()))
    builder.add({l, r}, {result++}, lhs[l]);
  for (int64_t l = 0; l < int64_t(lhs.size()); ++l)
    if (!llvm::is_contained(numbers.getLhsBatchingDimensions(), l) &&
        !llvm::is_contained(numbers.getLhsContractingDimensions(), l))
      builder.add({l, kNone}, {result++}, lhs[l]);
  for (int64_t r = 0; r < int64_t(rhs.size()); ++r)
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), r) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), r))
      builder.add({kNone, r}, {result++}, rhs[r]);
  for (auto [l, r] : llvm::zip(numbers.getLhsContractingDimensions(),
                               numbers.getRhsContractingDimensions()))
    builder.add({l, r}, {}, lhs[l], FactorKind::Reduction);
  return builder.build();
}

/// One spatial dimension: the larger of output and kernel shares the major part
/// of the input's dimension, the other one what is left of it. The output
/// slides over the input (permutation), the kernel is summed over.
static void addSpatial(RuleBuilder &builder, int64_t lhsDim, int64_t lhs,
                       int64_t rhsDim, int64_t rhs, int64_t outDim,
                       int64_t out) {
  auto addOutput = [&](int64_t size) {
    builder.add({lhsDim, kNone}, {outDim}, size, FactorKind::Permutation);
  };
  auto addKernel = [&](int64_t size) {
    builder.add({lhsDim, rhsDim}, {}, size, FactorKind::Reduction);
  };
  bool outputIsMajor = out >= rhs;
  int64_t major = std::min(lhs, std::max(out, rhs));
  int64_t minor = major ? std::min(lhs / major, std::min(out, rhs)) : 1;
  if (outputIsMajor)
    addOutput(major);
  else
    addKernel(major);
  if (minor <= 1)
    return;
  if (outputIsMajor)
    addKernel(minor);
  else
    addOutput(minor);
}

static ShardingRule convolution(Operation *op) {
  auto conv = cast<stablehlo::ConvolutionOp>(op);
  auto numbers = conv.getDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs = shapeOf(conv.getLhs());
  llvm::ArrayRef<int64_t> rhs = shapeOf(conv.getRhs());
  llvm::ArrayRef<int64_t> out = shapeOf(conv.getResult());
  int64_t lhsBatch = numbers.getInputBatchDimension();
  int64_t lhsFeature = numbers.getInputFeatureDimension();
  int64_t rhsIn = numbers.getKernelInputFeatureDimension();
  int64_t rhsOut = numbers.getKernelOutputFeatureDimension();
  int64_t outBatch = numbers.getOutputBatchDimension();
  int64_t outFeature = numbers.getOutputFeatureDimension();
  int64_t batchGroups = conv.getBatchGroupCount();
  int64_t featureGroups = conv.getFeatureGroupCount();
  RuleBuilder builder(op);
  if (batchGroups > 1)
    builder.add({lhsBatch, rhsOut}, {outFeature}, batchGroups);
  builder.add({lhsBatch, kNone}, {outBatch}, out[outBatch]);
  for (auto [l, r, o] : llvm::zip(numbers.getInputSpatialDimensions(),
                                  numbers.getKernelSpatialDimensions(),
                                  numbers.getOutputSpatialDimensions()))
    addSpatial(builder, l, lhs[l], r, rhs[r], o, out[o]);
  if (featureGroups > 1)
    builder.add({lhsFeature, rhsOut}, {outFeature}, featureGroups);
  builder.add({lhsFeature, rhsIn}, {}, rhs[rhsIn], FactorKind::Reduction);
  builder.add({kNone, rhsOut}, {outFeature},
              out[outFeature] / (batchGroups * featureGroups));
  return builder.build();
}

/// The matrix dimensions are the last two; all others are a batch.
static ShardingRule cholesky(Operation *op) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape))
    builder.addPointwise(dim, size,
                         dim + 2 < shape.size() ? FactorKind::PassThrough
                                                : FactorKind::NeedReplication);
  return builder.build();
}

static ShardingRule triangularSolve(Operation *op) {
  auto solve = cast<stablehlo::TriangularSolveOp>(op);
  llvm::ArrayRef<int64_t> b = shapeOf(solve.getB());
  int64_t batch = b.size() - 2, row = batch, column = batch + 1;
  int64_t solved = solve.getLeftSide() ? row : column;
  int64_t free = solve.getLeftSide() ? column : row;
  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < batch; ++dim)
    builder.addPointwise(dim, b[dim]);
  builder.add({solve.getLeftSide() ? row : column, solved}, {}, b[solved],
              FactorKind::NeedReplication);
  builder.add({kNone, free}, {free}, b[free], FactorKind::NeedReplication);
  builder.add({solve.getLeftSide() ? column : row, kNone}, {solved}, b[solved],
              FactorKind::NeedReplication);
  return builder.build();
}

static ShardingRule fft(Operation *op) {
  auto fft = cast<stablehlo::FftOp>(op);
  llvm::ArrayRef<int64_t> shape = shapeOf(fft.getOperand());
  size_t batch = shape.size() - fft.getFftLength().size();
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (dim < batch)
      builder.addPointwise(dim, size);
    else
      builder.addPointwise(dim, size, FactorKind::NeedReplication).blocked =
          true;
  }
  return builder.build();
}

void attachContractionRules(MLIRContext *context) {
  attach<dotGeneral, stablehlo::DotGeneralOp>(context);
  attach<convolution, stablehlo::ConvolutionOp>(context);
  attach<cholesky, stablehlo::CholeskyOp>(context);
  attach<triangularSolve, stablehlo::TriangularSolveOp>(context);
  attach<fft, stablehlo::FftOp>(context);
}

} // namespace partopt::rules
