// Matrix products to the form that a BLAS has: one batch dimension at most, one
// contracted dimension, transposition by flag. Dimensions are merged by
// reshapes (views); only an order that no flag expresses costs a transpose,
// which a kernel then takes over.
#include "FormKernels.h"
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;
using Dims = SmallVector<int64_t>;

Dims concat(std::initializer_list<ArrayRef<int64_t>> parts) {
  Dims all;
  for (ArrayRef<int64_t> part : parts)
    all.append(part.begin(), part.end());
  return all;
}

/// One operand of a product; all lists name dimensions larger than one.
struct Side {
  Value value;
  Dims batch, free, contracted;
  Dims stored; ///< all of them, in memory order

  ArrayRef<int64_t> shape() const { return tensorOf(value).getShape(); }
  int64_t size(ArrayRef<int64_t> dims) const {
    int64_t product = 1;
    for (int64_t dim : dims)
      product *= shape()[dim];
    return product;
  }
  int64_t bytes() const {
    return tensorOf(value).getNumElements() *
           storageBytes(tensorOf(value).getElementType());
  }
  Dims contractedLast() const { return concat({batch, free, contracted}); }
  Dims contractedFirst() const { return concat({batch, contracted, free}); }
  bool isReady() const {
    return stored == contractedLast() || stored == contractedFirst();
  }
};

class DotNormaliser {
public:
  explicit DotNormaliser(DotGeneralOp dot) : dot(dot), builder(dot) {}

  void run();

private:
  Type blasType();
  void analyse();
  void orderContracted();
  void takeTranspose();
  Value outerProduct();
  Value product();
  Value converted(Value value, Type element);
  /// The side as [batch?, rows, columns]; tells whether the contracted
  /// dimension is the last.
  Value matrix(Side &side, bool &isContractedLast);

  DotGeneralOp dot;
  OpBuilder builder;
  Side lhs, rhs;
  Value result; ///< the value that is replaced: the dot's or its transpose's
  int64_t batch, m, n, k;
};

/// f32 or f64, in which the product is computed; null for other products.
Type DotNormaliser::blasType() {
  bool isWide = false;
  for (Value value : {dot.getLhs(), dot.getRhs(), dot.getResult()}) {
    Type type = tensorOf(value).getElementType();
    if (!type.isF32() && !type.isF64() && !type.isBF16() && !type.isF16())
      return {};
    isWide |= type.isF64();
  }
  return isWide ? Type(Float64Type::get(dot.getContext()))
                : Type(Float32Type::get(dot.getContext()));
}

void DotNormaliser::analyse() {
  auto numbers = dot.getDotDimensionNumbers();
  auto fill = [](Side &side, Value value, ArrayRef<int64_t> batching,
                 ArrayRef<int64_t> contracting) {
    side.value = value;
    auto add = [&](int64_t dim, Dims &list) {
      if (side.shape()[dim] != 1)
        list.push_back(dim);
    };
    for (int64_t dim : batching)
      add(dim, side.batch);
    for (int64_t dim : contracting)
      add(dim, side.contracted);
    for (int64_t dim = 0, e = side.shape().size(); dim < e; ++dim) {
      add(dim, side.stored);
      if (!llvm::is_contained(batching, dim) &&
          !llvm::is_contained(contracting, dim))
        add(dim, side.free);
    }
  };
  fill(lhs, dot.getLhs(), numbers.getLhsBatchingDimensions(),
       numbers.getLhsContractingDimensions());
  fill(rhs, dot.getRhs(), numbers.getRhsBatchingDimensions(),
       numbers.getRhsContractingDimensions());
  batch = lhs.size(lhs.batch);
  m = lhs.size(lhs.free);
  n = rhs.size(rhs.free);
  k = lhs.size(lhs.contracted);
  result = dot.getResult();
}

/// Contracted dimensions may come in any order, the same on both sides: the
/// one that needs the fewest bytes transposed.
void DotNormaliser::orderContracted() {
  auto sortLike = [](Side &leader, Side &other) {
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (auto pair : llvm::zip(leader.contracted, other.contracted))
      pairs.emplace_back(std::get<0>(pair), std::get<1>(pair));
    llvm::sort(pairs);
    for (auto [i, pair] : llvm::enumerate(pairs))
      std::tie(leader.contracted[i], other.contracted[i]) = pair;
  };
  auto cost = [&] {
    return (lhs.isReady() ? 0 : lhs.bytes()) +
           (rhs.isReady() ? 0 : rhs.bytes());
  };
  sortLike(rhs, lhs);
  int64_t likeRhs = cost();
  sortLike(lhs, rhs);
  if (cost() > likeRhs)
    sortLike(rhs, lhs);
}

/// A product whose only user swaps rows and columns is computed the other way
/// round: C^T = B^T A^T.
void DotNormaliser::takeTranspose() {
  if (!dot->hasOneUse())
    return;
  auto transpose = dyn_cast<TransposeOp>(*dot->user_begin());
  if (!transpose)
    return;
  ArrayRef<int64_t> shape = tensorOf(dot.getResult()).getShape();
  int64_t batchEnd =
      dot.getDotDimensionNumbers().getLhsBatchingDimensions().size();
  int64_t rowsEnd = batchEnd;
  rowsEnd += tensorOf(dot.getLhs()).getRank() - batchEnd -
             dot.getDotDimensionNumbers().getLhsContractingDimensions().size();
  auto range = [&](int64_t begin, int64_t end) {
    Dims dims;
    for (int64_t dim = begin; dim < end; ++dim)
      if (shape[dim] != 1)
        dims.push_back(dim);
    return dims;
  };
  Dims swapped = concat({range(0, batchEnd), range(rowsEnd, shape.size()),
                         range(batchEnd, rowsEnd)});
  Dims actual;
  for (int64_t dim : transpose.getPermutation())
    if (shape[dim] != 1)
      actual.push_back(dim);
  if (actual != swapped)
    return;
  std::swap(lhs, rhs);
  std::swap(m, n);
  result = transpose.getResult();
}

Value DotNormaliser::converted(Value value, Type element) {
  RankedTensorType type = tensorOf(value);
  if (type.getElementType() == element)
    return value;
  return builder.create<ConvertOp>(
      dot.getLoc(), RankedTensorType::get(type.getShape(), element), value);
}

/// Nothing to sum: a product of broadcasts, for a kernel.
Value DotNormaliser::outerProduct() {
  RankedTensorType type = tensorOf(dot.getResult());
  auto numbers = dot.getDotDimensionNumbers();
  int64_t batchRank = numbers.getLhsBatchingDimensions().size();
  int64_t next = batchRank;
  Type element = blasType();
  auto spread = [&](Value value, ArrayRef<int64_t> batching,
                    ArrayRef<int64_t> contracting) -> Value {
    value = converted(value, element);
    RankedTensorType from = tensorOf(value);
    Dims shape, dims;
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      if (llvm::is_contained(contracting, dim))
        continue;
      shape.push_back(from.getDimSize(dim));
      auto it = llvm::find(batching, dim);
      dims.push_back(it == batching.end() ? next++ : it - batching.begin());
    }
    auto kept = RankedTensorType::get(shape, element);
    if (kept != from)
      value = builder.create<ReshapeOp>(dot.getLoc(), kept, value);
    return builder.create<BroadcastInDimOp>(
        dot.getLoc(), RankedTensorType::get(type.getShape(), element), value,
        builder.getDenseI64ArrayAttr(dims));
  };
  Value x = spread(dot.getLhs(), numbers.getLhsBatchingDimensions(),
                   numbers.getLhsContractingDimensions());
  Value y = spread(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                   numbers.getRhsContractingDimensions());
  return converted(builder.create<MulOp>(dot.getLoc(), x.getType(), x, y),
                   type.getElementType());
}

Value DotNormaliser::matrix(Side &side, bool &isContractedLast) {
  Dims order = side.stored;
  isContractedLast = order == side.contractedLast();
  Value value = side.value;
  if (!side.isReady()) {
    // Keep what is innermost in memory innermost.
    Dims last = side.contractedLast(), first = side.contractedFirst();
    isContractedLast =
        last.back() == side.stored.back() || first.back() != side.stored.back();
    order = isContractedLast ? last : first;
    Dims permutation, shape;
    for (int64_t dim = 0, e = side.shape().size(); dim < e; ++dim)
      if (side.shape()[dim] == 1)
        permutation.push_back(dim);
    permutation.append(order.begin(), order.end());
    for (int64_t dim : permutation)
      shape.push_back(side.shape()[dim]);
    value = builder.create<TransposeOp>(
        dot.getLoc(),
        RankedTensorType::get(shape, tensorOf(value).getElementType()), value,
        builder.getDenseI64ArrayAttr(permutation));
  }
  value = converted(value, blasType());
  Dims shape;
  if (batch != 1)
    shape.push_back(batch);
  int64_t free = side.size(side.free);
  shape.push_back(isContractedLast ? free : k);
  shape.push_back(isContractedLast ? k : free);
  auto type = RankedTensorType::get(shape, blasType());
  return value.getType() == type
             ? value
             : Value(builder.create<ReshapeOp>(dot.getLoc(), type, value));
}

Value DotNormaliser::product() {
  bool lhsLast, rhsLast;
  Value x = matrix(lhs, lhsLast), y = matrix(rhs, rhsLast);
  int64_t offset = batch != 1;
  Dims batching(offset, 0), shape;
  if (batch != 1)
    shape.push_back(batch);
  shape.append({m, n});
  auto numbers = DotDimensionNumbersAttr::get(dot.getContext(), batching,
                                              batching, Dims{offset + lhsLast},
                                              Dims{offset + rhsLast});
  Value matrixResult = builder.create<DotGeneralOp>(
      dot.getLoc(), RankedTensorType::get(shape, blasType()), x, y, numbers,
      dot.getPrecisionConfigAttr(), DotAlgorithmAttr());
  RankedTensorType type = tensorOf(result);
  auto wide = RankedTensorType::get(type.getShape(), blasType());
  if (matrixResult.getType() != wide)
    matrixResult = builder.create<ReshapeOp>(dot.getLoc(), wide, matrixResult);
  return converted(matrixResult, type.getElementType());
}

void DotNormaliser::run() {
  if (!blasType())
    return;
  analyse();
  Value replacement;
  if (k == 1) {
    replacement = outerProduct();
  } else {
    orderContracted();
    takeTranspose();
    replacement = product();
  }
  result.replaceAllUsesWith(replacement);
  if (Operation *transpose = result.getDefiningOp(); transpose != dot)
    transpose->erase();
  dot.erase();
}

} // namespace

void normaliseDots(Block &block) {
  SmallVector<DotGeneralOp> dots(block.getOps<DotGeneralOp>());
  for (DotGeneralOp dot : dots)
    DotNormaliser(dot).run();
}

} // namespace partopt::codegen
