// Convolutions in every form as direct loops, without a matrix of patches. A
// tile of outputs (rows along one dimension, vectors along the features) lives
// in registers over the whole sum; each input element of a row is spread and
// multiplied with vectors of the kernel. Forward, data gradient and weight
// gradient differ in their strides and in the dimension of the rows only.
//
// This file has sizes, phases and the loops around the tiles.
#include "ConvolutionEmitter.h"
#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {

using stablehlo::ConvolutionOp;

ConvolutionEmitter::ConvolutionEmitter(KernelEmitter &emitter, ConvolutionOp op,
                                       const Buffer &result)
    : b(emitter.getBuilder()), loc(op.getLoc()), op(op),
      numbers(op.getDimensionNumbers()) {
  ElementScope scope = emitter.topScope(loc);
  lhs = flatBuffer(b, loc, scope.bufferOf(op.getLhs()).memref);
  rhs = flatBuffer(b, loc, scope.bufferOf(op.getRhs()).memref);
  out = flatBuffer(b, loc, result.memref);
}

//===----------------------------------------------------------------------===//
// Sizes and strides
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> stridesOf(Value value) {
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

void ConvolutionEmitter::findStrides() {
  SmallVector<int64_t> in = stridesOf(op.getLhs()),
                       kernel = stridesOf(op.getRhs()),
                       result = stridesOf(op.getResult());
  lhsBatch = in[numbers.getInputBatchDimension()];
  lhsFeature = in[numbers.getInputFeatureDimension()];
  rhsIn = kernel[numbers.getKernelInputFeatureDimension()];
  rhsOut = kernel[numbers.getKernelOutputFeatureDimension()];
  outBatch = result[numbers.getOutputBatchDimension()];
  outFeature = result[numbers.getOutputFeatureDimension()];
  for (int64_t dim : numbers.getInputSpatialDimensions())
    lhsSpatial.push_back(in[dim]);
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    rhsSpatial.push_back(kernel[dim]);
  for (int64_t dim : numbers.getOutputSpatialDimensions())
    outSpatial.push_back(result[dim]);
}

void ConvolutionEmitter::analyse() {
  findStrides();
  lhsElement = tensorOf(op.getLhs()).getElementType();
  rhsElement = tensorOf(op.getRhs()).getElementType();
  element = tensorOf(op.getResult()).getElementType();
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  groups = featureGroups * batchGroups;
  batch =
      tensorOf(op.getResult()).getDimSize(numbers.getOutputBatchDimension());
  inFeatures = tensorOf(op.getRhs())
                   .getDimSize(numbers.getKernelInputFeatureDimension());
  features =
      tensorOf(op.getResult()).getDimSize(numbers.getOutputFeatureDimension()) /
      groups;
  lhsGroup = featureGroups > 1 ? inFeatures * lhsFeature : batch * lhsBatch;
  rhsGroup = features * rhsOut;
  outGroup = features * outFeature;
  if (groups > 1 && features == 1) {
    // Every feature is a group: the features run over the groups.
    features = groups;
    groups = 1;
    lhsOut = lhsGroup;
  }
  canBeVectors = rhsOut == 1 && outFeature == 1 && lhsOut <= 1 &&
                 lhsElement == element && rhsElement == element &&
                 storageType(element) == computeType(element);
}

/// Fills in the loops of the phase that `spatial` describes.
void ConvolutionEmitter::describePhase() {
  batchDim = {batch, lhsBatch, outBatch, -1};
  outputs.clear();
  sums.clear();
  if (inFeatures != 1)
    sums.push_back({inFeatures, lhsFeature, rhsIn, -1});
  for (auto [d, loop] : llvm::enumerate(spatial)) {
    outputs.push_back({loop.outputs, loop.inByOut * lhsSpatial[d],
                       loop.outStep * outSpatial[d], int(d)});
    if (loop.taps != 1 || !loop.isInside())
      sums.push_back({loop.taps, loop.inByTap * lhsSpatial[d],
                      loop.tapStep * rhsSpatial[d], int(d)});
  }
  llvm::sort(sums, [](const SumDim &x, const SumDim &y) {
    return std::make_pair(-x.inStride, x.spatial) <
           std::make_pair(-y.inStride, y.spatial);
  });
  rowDim = chooseRows();
  openOutput.assign(spatial.size(), std::nullopt);
  openTap.assign(spatial.size(), std::nullopt);
  numOuterSums = 0;
  int64_t points = 1;
  for (const SumDim &dim : sums)
    points *= dim.size;
  while (canBeVectors && points > kPointsInCache &&
         numOuterSums < sums.size() &&
         (!rows() || sums[numOuterSums].spatial < 0 ||
          sums[numOuterSums].spatial != rows()->spatial))
    points /= sums[numOuterSums++].size;
}

/// The dimension of a tile's rows: the batch where it is contiguous (a weight
/// gradient), else the spatial dimension that is nearest in memory, unless a
/// long window makes its border expensive.
int ConvolutionEmitter::chooseRows() const {
  int none = -1, batchRows = outputs.size();
  if (batch > 1 && lhsBatch == 1)
    return batchRows;
  int best = none;
  for (auto [d, dim] : llvm::enumerate(outputs))
    if (dim.size > 1 && (spatial[d].isInside() || spatial[d].taps <= 8) &&
        (best < 0 || dim.inStride < outputs[best].inStride))
      best = d;
  if (best >= 0 && outputs[best].size >= std::min<int64_t>(batch, 4))
    return best;
  if (batch > 1)
    return batchRows;
  for (auto [d, dim] : llvm::enumerate(outputs))
    if (dim.size > 1 && (best < 0 || dim.size > outputs[best].size))
      best = d;
  return best;
}

bool ConvolutionEmitter::hasPaddedRows() const {
  return rows() && rows()->spatial >= 0 && !spatial[rows()->spatial].isInside();
}

//===----------------------------------------------------------------------===//
// Loops over the outputs
//===----------------------------------------------------------------------===//

void ConvolutionEmitter::run() {
  analyse();
  Values none;
  loop({}, {{}, groups}, 1, none, [&](Offset group, Values &) {
    lhsAt = moved({}, group, lhsGroup);
    rhsAt = moved({}, group, rhsGroup);
    outAt = moved({}, group, outGroup);
    spatial.resize(lhsSpatial.size());
    emitPhase(0);
  });
}

/// Chooses the phases of the spatial dimensions from `dim` on.
void ConvolutionEmitter::emitPhase(unsigned dim) {
  if (dim < spatial.size()) {
    for (const SpatialLoop &loop : phasesOf(op, dim)) {
      spatial[dim] = loop;
      emitPhase(dim + 1);
    }
    return;
  }
  Offset lhsBefore = lhsAt, rhsBefore = rhsAt, outBefore = outAt;
  for (auto [d, loop] : llvm::enumerate(spatial)) {
    lhsAt.constant += loop.inBegin * lhsSpatial[d];
    rhsAt.constant += loop.tapBegin * rhsSpatial[d];
    outAt.constant += loop.outBegin * outSpatial[d];
  }
  describePhase();
  bool isEmpty = llvm::any_of(
      spatial, [](const SpatialLoop &loop) { return loop.taps == 0; });
  if (isEmpty || numOuterSums > 0)
    emitZeros();
  if (!isEmpty)
    emitOuterSums(0);
  lhsAt = lhsBefore;
  rhsAt = rhsBefore;
  outAt = outBefore;
}

/// Zero in all outputs of the phase.
void ConvolutionEmitter::emitZeros() {
  Offset before = outAt;
  SmallVector<std::pair<int64_t, int64_t>> dims{{batchDim.size, outBatch}};
  for (const FreeDim &dim : outputs)
    dims.push_back({dim.size, dim.outStride});
  dims.push_back({features, outFeature});
  width = 1;
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(sumType()));
  auto descend = [&](auto &self, size_t level) -> void {
    if (level == dims.size())
      return store(zero, outAt);
    Values none;
    loop({}, {{}, dims[level].first}, 1, none, [&](Offset at, Values &) {
      Offset outer = outAt;
      outAt = moved(outAt, at, dims[level].second);
      self(self, level + 1);
      outAt = outer;
    });
  };
  descend(descend, 0);
  outAt = before;
}

/// The outer dimensions of a long sum, around everything.
void ConvolutionEmitter::emitOuterSums(unsigned level) {
  if (level == numOuterSums)
    return emitBatch();
  const SumDim &dim = sums[level];
  Values none;
  loop({}, {{}, dim.size}, 1, none, [&](Offset at, Values &) {
    Offset lhsBefore = lhsAt, rhsBefore = rhsAt;
    lhsAt = moved(lhsAt, at, dim.inStride);
    rhsAt = moved(rhsAt, at, dim.kernelStride);
    if (dim.spatial >= 0)
      openTap[dim.spatial] = at;
    emitOuterSums(level + 1);
    lhsAt = lhsBefore;
    rhsAt = rhsBefore;
  });
}

void ConvolutionEmitter::emitBatch() {
  if (rows() == &batchDim)
    return emitPanels();
  Values none;
  loop({}, {{}, batchDim.size}, 1, none, [&](Offset at, Values &) {
    Offset lhsBefore = lhsAt, outBefore = outAt;
    lhsAt = moved(lhsAt, at, batchDim.inStride);
    outAt = moved(outAt, at, batchDim.outStride);
    emitPanels();
    lhsAt = lhsBefore;
    outAt = outBefore;
  });
}

/// Features in panels of two vectors; what is left in ever narrower ones.
void ConvolutionEmitter::emitPanels() {
  int64_t whole =
      canBeVectors ? kVectorBytes / storageBytes(element) : int64_t(1);
  int64_t begin = 0;
  auto panels = [&](int64_t vectorWidth, int64_t numVectors) {
    int64_t size = vectorWidth * numVectors;
    int64_t count = (features - begin) / size;
    Values none;
    loop({{}, begin}, {{}, begin + count * size}, size, none,
         [&](Offset at, Values &) {
           Offset lhsBefore = lhsAt, rhsBefore = rhsAt, outBefore = outAt;
           lhsAt = moved(lhsAt, at, lhsOut);
           rhsAt = moved(rhsAt, at, rhsOut);
           outAt = moved(outAt, at, outFeature);
           width = vectorWidth;
           vectors = numVectors;
           emitOutputs(0);
           lhsAt = lhsBefore;
           rhsAt = rhsBefore;
           outAt = outBefore;
         });
    begin += count * size;
  };
  panels(whole, 2);
  for (int64_t size = whole; size >= 1; size /= 2)
    panels(size, 1);
}

void ConvolutionEmitter::emitOutputs(unsigned dim) {
  if (dim == outputs.size())
    return emitRows();
  if (int(dim) == rowDim)
    return emitOutputs(dim + 1);
  const FreeDim &free = outputs[dim];
  Offset low, high{{}, free.size};
  const SpatialLoop &spatialLoop = spatial[dim];
  // A tap that is fixed outside leaves only the outputs that have it.
  if (openTap[dim] && !spatialLoop.isInside())
    std::tie(low, high) =
        insideRange(spatialLoop, *openTap[dim], spatialLoop.inByTap,
                    spatialLoop.inByOut, free.size);
  Values none;
  loop(low, high, 1, none, [&](Offset at, Values &) {
    Offset lhsBefore = lhsAt, outBefore = outAt;
    lhsAt = moved(lhsAt, at, free.inStride);
    outAt = moved(outAt, at, free.outStride);
    openOutput[dim] = at;
    emitOutputs(dim + 1);
    openOutput[dim] = std::nullopt;
    lhsAt = lhsBefore;
    outAt = outBefore;
  });
}

static LogicalResult emitConvolution(KernelEmitter &emitter, Operation *op,
                                     ArrayRef<Buffer> results) {
  Type element = tensorOf(op->getResult(0)).getElementType();
  if (isa<ComplexType>(element))
    return op->emitError("'")
           << op->getName() << "' has no kernel for element type " << element;
  ConvolutionEmitter(emitter, cast<ConvolutionOp>(op), results[0]).run();
  return success();
}

void addConvolutionRules(RuleTable &t) {
  OpRule convolution;
  convolution.emit = emitConvolution;
  convolution.gpuFold = convolutionFold;
  convolution.readsMemory = true;
  t.add<ConvolutionOp>(convolution);
}

} // namespace partopt::codegen
