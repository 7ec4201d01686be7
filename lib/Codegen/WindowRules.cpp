// Reductions over windows as a fold over [result, window]; cumulative forms are
// in ScanRules.cpp.
#include "WindowElements.h"

#include "dialects/StableHLO/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// The fold over [result dimensions, window dimensions, trailing dimensions]
//===----------------------------------------------------------------------===//

/// Where a window's dimensions stand in the fold's space.
struct WindowSpace {
  explicit WindowSpace(ReduceWindowOp op) : windows(windowsOf(op)) {
    // Whole trailing dimensions go inside the window, so that they make the
    // vectors: channels-last pooling.
    ArrayRef<int64_t> result = tensorOf(op->getResult(0)).getShape();
    int64_t rank = result.size(), points = 1, leading = rank;
    while (leading > 0 && windows[leading - 1].isPoint())
      points *= result[--leading];
    kept = points >= 8 ? leading : rank;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (windows[dim].size > 1)
        folded.push_back(dim);
  }

  SmallVector<Window> windows;
  int64_t kept;                ///< result dimensions before the window's
  SmallVector<int64_t> folded; ///< dimensions whose window has several elements
};

/// Asks for the loop over `at` to be cut where windows begin or cease to be
/// inside the operand, so that the inner part has no conditions.
void cutAtBorders(ElementScope &scope, const Window &window, int64_t size,
                  const Index &at) {
  int64_t extent = window.dilated(size), reach = window.reach() - 1;
  // The first window that starts inside, the first that ends outside.
  auto ceilDiv = [&](int64_t a) {
    return a <= 0 ? 0 : (a + window.stride - 1) / window.stride;
  };
  scope.splitAt(at, ceilDiv(window.low));
  scope.splitAt(at, ceilDiv(extent + window.low - reach));
}

LogicalResult windowTerms(ElementScope &scope, Operation *op,
                          ArrayRef<Index> at, SmallVectorImpl<Value> &out) {
  auto reduce = cast<ReduceWindowOp>(op);
  WindowSpace space(reduce);
  ArrayRef<int64_t> shape = tensorOf(reduce.getInputs()[0]).getShape();
  IndexVector padded;
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    const Window &window = space.windows[dim];
    int64_t shift = dim < space.kept ? 0 : space.folded.size();
    const Index &result = at[dim + shift];
    cutAtBorders(scope, window, shape[dim], result);
    Index index = scope.scaled(result, window.stride).plus(-window.low);
    auto it = llvm::find(space.folded, dim);
    if (it != space.folded.end()) {
      const Index &inner = at[space.kept + (it - space.folded.begin())];
      index = scope.sum(index, scope.scaled(inner, window.dilation));
    }
    padded.push_back(index);
  }
  SmallVector<int64_t> steps;
  for (const Window &window : space.windows)
    steps.push_back(window.baseDilation);
  return paddedElements(scope, reduce,
                        placeInDilated(scope, padded, shape, steps), out);
}

LogicalResult windowCombine(ElementScope &scope, Operation *op,
                            ValueRange accumulators, ValueRange terms,
                            SmallVectorImpl<Value> &out) {
  return combineByRegion(scope, cast<ReduceWindowOp>(op).getBody(),
                         accumulators, terms, out);
}

int64_t windowPrefix(Operation *op, unsigned operand) {
  auto reduce = cast<ReduceWindowOp>(op);
  if (operand >= reduce.getInputs().size())
    return 0;
  WindowSpace space(reduce);
  int64_t prefix = 0;
  while (prefix < space.kept && space.windows[prefix].isPoint())
    ++prefix;
  return prefix;
}

Fold windowFold(Operation *op) {
  auto reduce = cast<ReduceWindowOp>(op);
  WindowSpace space(reduce);
  ArrayRef<int64_t> result = tensorOf(op->getResult(0)).getShape();
  Fold fold;
  fold.space.assign(result.begin(), result.begin() + space.kept);
  for (int64_t dim : space.folded)
    fold.space.push_back(space.windows[dim].size);
  fold.space.append(result.begin() + space.kept, result.end());
  fold.folded.assign(fold.space.size(), false);
  for (size_t i = 0; i < space.folded.size(); ++i)
    fold.folded[space.kept + i] = true;
  fold.terms = windowTerms;
  fold.init = initialValues;
  fold.combine = windowCombine;
  fold.combiner = foldCombiner(reduce.getBody());
  fold.prefix = windowPrefix;
  return fold;
}

} // namespace

LogicalResult initialValues(ElementScope &scope, Operation *op,
                            SmallVectorImpl<Value> &out) {
  for (Value init : cast<ReduceWindowOp>(op).getInitValues()) {
    Value scalar = scope.element(init, {});
    if (!scalar)
      return failure();
    out.push_back(scalar);
  }
  return success();
}

/// The elements of all operands at `place`, or their initial values where
/// `place` is padding.
LogicalResult paddedElements(ElementScope &scope, ReduceWindowOp op,
                             const DilatedPlace &place,
                             SmallVectorImpl<Value> &out) {
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInitValues())) {
    Value padding, inside;
    if (place.condition || place.isOutside)
      if (padding = scope.element(init, {}); !padding)
        return failure();
    if (!place.isOutside)
      if (inside = scope.element(input, place.from); !inside)
        return failure();
    if (padding && inside)
      inside = selectScalar(scope.builder, scope.loc, place.condition, inside,
                            padding);
    out.push_back(inside ? inside : padding);
  }
  return success();
}

void addWindowRules(RuleTable &t) {
  OpRule window;
  window.fold = windowFold;
  window.special = scanRule;
  t.add<ReduceWindowOp>(window);
}

} // namespace partopt::codegen
