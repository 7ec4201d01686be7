// Convolutions to the form that their kernel is fast in: one element type,
// features innermost in the kernel and the result, and in the input where the
// windows are short. A reversal of the kernel becomes an attribute.
// Convolutions that are plain products become products, without a copy.
#include "ConvolutionLoops.h"
#include "FormKernels.h"
#include "Rules.h"

#include <numeric>

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;
using Dims = SmallVector<int64_t>;

/// More phases than this are not worth a body each: the input is spread in
/// memory instead.
constexpr int64_t kMaxPhases = 16;

class ConvolutionNormaliser {
public:
  explicit ConvolutionNormaliser(ConvolutionOp op)
      : op(op), builder(op), numbers(op.getDimensionNumbers()),
        rank(tensorOf(op.getResult()).getRank() - 2), lhs(op.getLhs()),
        rhs(op.getRhs()) {}

  void run();

private:
  int64_t lhsSize(int64_t dim) const { return tensorOf(lhs).getDimSize(dim); }
  int64_t rhsSize(int64_t dim) const { return tensorOf(rhs).getDimSize(dim); }

  void takeReversal();
  bool isPoint(unsigned d) const;
  bool isWhole(unsigned d) const;
  bool isProduct();
  Value product();
  Type wideType();
  Value converted(Value value, Type element);
  void spreadInput();
  void orderOperands();
  Value convolution();
  /// `value` with its dimensions in this order; `dims` are renamed with them.
  Value ordered(Value value, const Dims &order);

  ConvolutionOp op;
  OpBuilder builder;
  ConvDimensionNumbersAttr numbers;
  unsigned rank; ///< spatial dimensions
  Value lhs, rhs;
  SmallVector<bool> reversal;
  Dims lhsDims, rhsDims; ///< batch, feature, spatial; in, out, spatial
  Dims dilation, low, high;
};

/// A reversal of spatial dimensions of the kernel is one of its windows.
void ConvolutionNormaliser::takeReversal() {
  for (unsigned d = 0; d < rank; ++d)
    reversal.push_back(isReversed(op, d));
  auto reverse = rhs.getDefiningOp<ReverseOp>();
  if (!reverse)
    return;
  ArrayRef<int64_t> spatial = numbers.getKernelSpatialDimensions();
  for (int64_t dim : reverse.getDimensions())
    if (!llvm::is_contained(spatial, dim))
      return;
  for (auto [d, dim] : llvm::enumerate(spatial))
    if (llvm::is_contained(reverse.getDimensions(), dim))
      reversal[d] = !reversal[d];
  rhs = reverse.getOperand();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Every window is the element itself.
bool ConvolutionNormaliser::isPoint(unsigned d) const {
  return rhsSize(numbers.getKernelSpatialDimensions()[d]) == 1 &&
         windowStride(op, d) == 1 && inputDilation(op, d) == 1 &&
         windowPadding(op, d) == std::make_pair<int64_t, int64_t>(0, 0);
}

/// One window, which is the whole dimension.
bool ConvolutionNormaliser::isWhole(unsigned d) const {
  return rhsSize(numbers.getKernelSpatialDimensions()[d]) ==
             lhsSize(numbers.getInputSpatialDimensions()[d]) &&
         inputDilation(op, d) == 1 && kernelDilation(op, d) == 1 &&
         windowPadding(op, d) == std::make_pair<int64_t, int64_t>(0, 0) &&
         !reversal[d];
}

bool ConvolutionNormaliser::isProduct() {
  if (op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1)
    return false;
  for (Value value : {lhs, rhs, Value(op.getResult())})
    if (!isa<FloatType>(tensorOf(value).getElementType()))
      return false;
  for (unsigned d = 0; d < rank; ++d)
    if (!isPoint(d) && !isWhole(d))
      return false;
  return true;
}

Value ConvolutionNormaliser::product() {
  Location loc = op.getLoc();
  Type element = tensorOf(op.getResult()).getElementType();
  Dims lhsContracted{numbers.getInputFeatureDimension()};
  Dims rhsContracted{numbers.getKernelInputFeatureDimension()};
  // Where each dimension of the input goes in the result; -1: nowhere.
  Dims goesTo(rank + 2, -1);
  goesTo[numbers.getInputBatchDimension()] = numbers.getOutputBatchDimension();
  for (unsigned d = 0; d < rank; ++d) {
    int64_t in = numbers.getInputSpatialDimensions()[d];
    if (isPoint(d)) {
      goesTo[in] = numbers.getOutputSpatialDimensions()[d];
      continue;
    }
    lhsContracted.push_back(in);
    rhsContracted.push_back(numbers.getKernelSpatialDimensions()[d]);
  }
  Dims shape, dims;
  for (auto [dim, to] : llvm::enumerate(goesTo))
    if (to >= 0) {
      shape.push_back(lhsSize(dim));
      dims.push_back(to);
    }
  int64_t features = rhsSize(numbers.getKernelOutputFeatureDimension());
  // Windows of one element are left as dimensions of size one.
  Dims withPoints(shape);
  for (int64_t dim = 0; dim < rank + 2; ++dim)
    if (!llvm::is_contained(rhsContracted, dim))
      withPoints.push_back(rhsSize(dim));
  shape.push_back(features);
  dims.push_back(numbers.getOutputFeatureDimension());
  auto dotNumbers = DotDimensionNumbersAttr::get(
      op.getContext(), Dims{}, Dims{}, lhsContracted, rhsContracted);
  Value value = builder.create<DotGeneralOp>(
      loc, RankedTensorType::get(withPoints, element), lhs, rhs, dotNumbers,
      op.getPrecisionConfigAttr(), DotAlgorithmAttr());
  if (withPoints != shape)
    value = builder.create<ReshapeOp>(
        loc, RankedTensorType::get(shape, element), value);
  Dims order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  value = ordered(value, order);
  return value.getType() == op.getType()
             ? value
             : Value(builder.create<ReshapeOp>(loc, op.getType(), value));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

Value ConvolutionNormaliser::ordered(Value value, const Dims &order) {
  if (llvm::is_sorted(order))
    return value;
  Dims shape;
  for (int64_t dim : order)
    shape.push_back(tensorOf(value).getDimSize(dim));
  return builder.create<TransposeOp>(
      op.getLoc(),
      RankedTensorType::get(shape, tensorOf(value).getElementType()), value,
      builder.getDenseI64ArrayAttr(order));
}

/// The type in which products are summed: f32 for narrower floats, else the
/// result's.
Type ConvolutionNormaliser::wideType() {
  bool isDouble = false;
  for (Value value : {op.getLhs(), op.getRhs(), op.getResult()})
    isDouble |= tensorOf(value).getElementType().isF64();
  Type element = tensorOf(op.getResult()).getElementType();
  if (!isa<FloatType>(element))
    return element;
  return isDouble ? builder.getF64Type() : builder.getF32Type();
}

Value ConvolutionNormaliser::converted(Value value, Type element) {
  RankedTensorType type = tensorOf(value);
  if (type.getElementType() == element)
    return value;
  return builder.create<ConvertOp>(
      op.getLoc(), RankedTensorType::get(type.getShape(), element), value);
}

/// Spreads the input in memory where its dilation would make many phases.
void ConvolutionNormaliser::spreadInput() {
  int64_t phases = 1;
  for (unsigned d = 0; d < rank; ++d) {
    dilation.push_back(inputDilation(op, d));
    low.push_back(windowPadding(op, d).first);
    high.push_back(windowPadding(op, d).second);
    phases *= dilation.back();
  }
  if (phases <= kMaxPhases)
    return;
  RankedTensorType type = tensorOf(lhs);
  Dims shape(type.getShape()), zeros(rank + 2, 0), interior(rank + 2, 0);
  for (unsigned d = 0; d < rank; ++d) {
    int64_t dim = numbers.getInputSpatialDimensions()[d];
    interior[dim] = dilation[d] - 1;
    shape[dim] = shape[dim] == 0 ? 0 : (shape[dim] - 1) * dilation[d] + 1;
    dilation[d] = 1;
  }
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = builder.create<ConstantOp>(
      op.getLoc(), scalar,
      DenseElementsAttr::get(scalar,
                             builder.getZeroAttr(type.getElementType())));
  lhs = builder.create<PadOp>(
      op.getLoc(), RankedTensorType::get(shape, type.getElementType()), lhs,
      zero, builder.getDenseI64ArrayAttr(zeros),
      builder.getDenseI64ArrayAttr(zeros),
      builder.getDenseI64ArrayAttr(interior));
}

/// The last dimension that has more than one element; -1: none.
int64_t innermost(Value value) {
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  int64_t dim = int64_t(shape.size()) - 1;
  while (dim >= 0 && shape[dim] == 1)
    --dim;
  return dim;
}

/// Features innermost in the kernel; in the input what a tile reads in order.
void ConvolutionNormaliser::orderOperands() {
  lhsDims = {numbers.getInputBatchDimension(),
             numbers.getInputFeatureDimension()};
  llvm::append_range(lhsDims, numbers.getInputSpatialDimensions());
  rhsDims = {numbers.getKernelInputFeatureDimension(),
             numbers.getKernelOutputFeatureDimension()};
  llvm::append_range(rhsDims, numbers.getKernelSpatialDimensions());
  int64_t features = rhsSize(rhsDims[1]);
  int64_t groups = op.getFeatureGroupCount() * op.getBatchGroupCount();
  int64_t taps = 1, outputs = 1;
  for (unsigned d = 0; d < rank; ++d) {
    taps *= rhsSize(rhsDims[2 + d]);
    outputs *= tensorOf(op.getResult())
                   .getDimSize(numbers.getOutputSpatialDimensions()[d]);
  }
  if (features > 1 && innermost(rhs) != rhsDims[1]) {
    Dims order(rhsDims.begin() + 2, rhsDims.end());
    order.append({rhsDims[0], rhsDims[1]});
    rhs = ordered(rhs, order);
    rhsDims = {rank, rank + 1};
    for (unsigned d = 0; d < rank; ++d)
      rhsDims.push_back(d);
  }
  bool isDepthwise = groups > 1 && features == groups;
  int64_t wanted =
      isDepthwise && op.getBatchGroupCount() > 1 ? lhsDims[0] : lhsDims[1];
  int64_t inner = innermost(lhs);
  bool isShort = taps <= outputs && inner != lhsDims[0];
  if (inner == wanted || lhsSize(wanted) == 1 || !(isDepthwise || isShort))
    return;
  bool isBatchLast = wanted == lhsDims[0];
  Dims order{isBatchLast ? lhsDims[1] : lhsDims[0]};
  order.append(lhsDims.begin() + 2, lhsDims.end());
  order.push_back(wanted);
  lhs = ordered(lhs, order);
  lhsDims = isBatchLast ? Dims{rank + 1, 0} : Dims{0, rank + 1};
  for (unsigned d = 0; d < rank; ++d)
    lhsDims.push_back(1 + d);
}

Value ConvolutionNormaliser::convolution() {
  Type element = wideType();
  spreadInput();
  orderOperands();
  // The dimensions of the result, in the order of its memory.
  Dims outDims{numbers.getOutputBatchDimension(),
               numbers.getOutputFeatureDimension()};
  llvm::append_range(outDims, numbers.getOutputSpatialDimensions());
  Dims shape(tensorOf(op.getResult()).getShape()), order;
  int64_t feature = outDims[1];
  bool isFeatureInner =
      shape[feature] == 1 || innermost(op.getResult()) == feature;
  for (int64_t dim = 0; dim < rank + 2; ++dim)
    if (isFeatureInner || dim != feature)
      order.push_back(dim);
  if (!isFeatureInner)
    order.push_back(feature);
  Dims placed(rank + 2), inverse(rank + 2);
  for (auto [i, dim] : llvm::enumerate(order)) {
    placed[i] = shape[dim];
    inverse[dim] = i;
  }
  for (int64_t &dim : outDims)
    dim = inverse[dim];
  auto from2 = [](const Dims &dims) { return ArrayRef(dims).drop_front(2); };
  auto roles = ConvDimensionNumbersAttr::get(
      op.getContext(), lhsDims[0], lhsDims[1], from2(lhsDims), rhsDims[0],
      rhsDims[1], from2(rhsDims), outDims[0], outDims[1], from2(outDims));
  Dims padding;
  for (unsigned d = 0; d < rank; ++d)
    padding.append({low[d], high[d]});
  auto paddingType = RankedTensorType::get({rank, 2}, builder.getI64Type());
  Value value = builder.create<ConvolutionOp>(
      op.getLoc(), RankedTensorType::get(placed, element),
      converted(lhs, element), converted(rhs, element),
      op.getWindowStridesAttr(),
      DenseIntElementsAttr::get(paddingType, padding),
      builder.getDenseI64ArrayAttr(dilation), op.getRhsDilationAttr(),
      builder.getDenseBoolArrayAttr(reversal), roles,
      op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(),
      op.getPrecisionConfigAttr());
  return converted(ordered(value, inverse),
                   tensorOf(op.getResult()).getElementType());
}

void ConvolutionNormaliser::run() {
  takeReversal();
  Value replacement = isProduct() ? product() : convolution();
  op.getResult().replaceAllUsesWith(replacement);
  op.erase();
}

} // namespace

void normaliseConvolutions(Block &block) {
  SmallVector<ConvolutionOp> convolutions(block.getOps<ConvolutionOp>());
  for (ConvolutionOp op : convolutions)
    ConvolutionNormaliser(op).run();
}

} // namespace partopt::codegen
