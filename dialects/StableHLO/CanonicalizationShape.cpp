//===- CanonicalizationShape.cpp - folds of movements ---------------------===//
//
// A movement that changes nothing is its operand; a movement of a splat is a
// splat; two movements of one kind are one.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/Canonicalization.h"
#include "dialects/StableHLO/IndexingOps.h"
#include "dialects/StableHLO/ShapeOps.h"

using namespace mlir;
using namespace partopt::stablehlo;

static bool isIdentity(ArrayRef<int64_t> dims) {
  return llvm::equal(dims, llvm::seq<int64_t>(0, dims.size()));
}

static bool allAre(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t each) { return each == value; });
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getOperand().getType() == getType() &&
      isIdentity(getBroadcastDimensions()))
    return getOperand();
  if (DenseElementsAttr splat = splatLike(adaptor.getOperand(), getType()))
    return splat;
  auto inner = getOperand().getDefiningOp<BroadcastInDimOp>();
  if (!inner || isAnnotated(inner))
    return {};
  SmallVector<int64_t> dims;
  for (int64_t dim : inner.getBroadcastDimensions())
    dims.push_back(getBroadcastDimensions()[dim]);
  setBroadcastDimensions(dims);
  setOperand(inner.getOperand());
  return getResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand()))
    return value.reshape(getType());
  auto inner = getOperand().getDefiningOp<ReshapeOp>();
  if (!inner || isAnnotated(inner))
    return {};
  setOperand(inner.getOperand());
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (isIdentity(getPermutation()))
    return getOperand();
  if (DenseElementsAttr splat = splatLike(adaptor.getOperand(), getType()))
    return splat;
  auto inner = getOperand().getDefiningOp<TransposeOp>();
  if (!inner || isAnnotated(inner))
    return {};
  SmallVector<int64_t> permutation;
  for (int64_t dim : getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  setPermutation(permutation);
  setOperand(inner.getOperand());
  return getResult();
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  bool movesNothing = llvm::all_of(getDimensions(), [&](int64_t dim) {
    return getType().getDimSize(dim) <= 1;
  });
  if (movesNothing)
    return getOperand();
  return splatLike(adaptor.getOperand(), getType());
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getInputs().size() == 1)
    return getInputs().front();
  DenseElementsAttr result;
  for (Attribute input : adaptor.getInputs()) {
    DenseElementsAttr splat = splatLike(input, getType());
    if (!splat || (result && splat != result))
      return {};
    result = splat;
  }
  return result;
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  bool padsNothing = allAre(getEdgePaddingLow(), 0) &&
                     allAre(getEdgePaddingHigh(), 0) &&
                     getOperand().getType() == getType();
  if (isAnnotated(*this) || !padsNothing)
    return {};
  return getOperand();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  if (getOperand().getType() == getType())
    return getOperand();
  return splatLike(adaptor.getOperand(), getType());
}

OpFoldResult DynamicSliceOp::fold(FoldAdaptor adaptor) {
  if (isAnnotated(*this))
    return {};
  // The whole operand: every start is moved back to 0.
  if (getOperand().getType() == getType())
    return getOperand();
  return splatLike(adaptor.getOperand(), getType());
}

OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  if (isAnnotated(*this) || getUpdate().getType() != getType())
    return {};
  return getUpdate();
}
