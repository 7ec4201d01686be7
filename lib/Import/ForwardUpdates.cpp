// What a written-out loop stacks row by row and reads row by row again: reads
// take the row itself, and a stack that is written completely is one
// concatenation instead of a chain of copies.

#include "partopt/Import/Import.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include <map>

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_FORWARDUPDATESPASS
#include "partopt/Import/Passes.h.inc"

namespace {

/// Elements [start, end) per dimension.
struct Box {
  SmallVector<int64_t> start, end;

  bool operator==(const Box &other) const {
    return start == other.start && end == other.end;
  }
  bool disjoint(const Box &other) const {
    for (size_t d = 0; d < start.size(); ++d)
      if (end[d] <= other.start[d] || other.end[d] <= start[d])
        return true;
    return false;
  }
};

std::optional<Box> boxOf(stablehlo::SliceOp op) {
  if (llvm::any_of(op.getStrides(), [](int64_t s) { return s != 1; }))
    return std::nullopt;
  return Box{SmallVector<int64_t>(op.getStartIndices()),
             SmallVector<int64_t>(op.getLimitIndices())};
}

/// What an update writes, where it is known.
std::optional<Box> boxOf(stablehlo::DynamicUpdateSliceOp op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  auto update = cast<RankedTensorType>(op.getUpdate().getType());
  Box box;
  for (auto [dim, index] : llvm::enumerate(op.getStartIndices())) {
    DenseIntElementsAttr constant;
    if (!matchPattern(index, m_Constant(&constant)))
      return std::nullopt;
    APInt value = *constant.value_begin<APInt>();
    bool isUnsigned = cast<RankedTensorType>(index.getType())
                          .getElementType()
                          .isUnsignedInteger();
    int64_t start = isUnsigned ? int64_t(value.getLimitedValue(INT64_MAX))
                               : value.getSExtValue();
    int64_t size = update.getDimSize(dim);
    start = std::clamp<int64_t>(start, 0, type.getDimSize(dim) - size);
    box.start.push_back(start);
    box.end.push_back(start + size);
  }
  return box;
}

stablehlo::DynamicUpdateSliceOp updateBehind(Value value) {
  return value.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
}

/// Lets `slice` read the update that it covers, or the value before updates
/// that it does not touch. True when something changed.
bool forward(stablehlo::SliceOp slice) {
  std::optional<Box> read = boxOf(slice);
  if (!read)
    return false;
  Value source = slice.getOperand();
  while (auto update = updateBehind(source)) {
    std::optional<Box> written = boxOf(update);
    if (!written)
      break;
    if (*written == *read) {
      slice.getResult().replaceAllUsesWith(update.getUpdate());
      slice->erase();
      return true;
    }
    if (!written->disjoint(*read))
      break;
    source = update.getOperand();
  }
  if (source == slice.getOperand())
    return false;
  slice.getOperandMutable().assign(source);
  return true;
}

/// The dimension along which `box` is a part of `type`, all others being whole.
std::optional<int64_t> rowDim(const Box &box, RankedTensorType type) {
  std::optional<int64_t> dim;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (box.start[d] == 0 && box.end[d] == type.getDimSize(d))
      continue;
    if (dim)
      return std::nullopt;
    dim = d;
  }
  return dim;
}

/// Replaces the chain of updates that ends in `last` by a concatenation if its
/// updates cover every row. True when it was.
bool concatenate(stablehlo::DynamicUpdateSliceOp last) {
  auto type = cast<RankedTensorType>(last.getType());
  std::map<int64_t, std::pair<int64_t, Value>> rows; // start -> end, update
  std::optional<int64_t> dim;
  int64_t covered = 0;
  for (auto update = last; update; update = updateBehind(update.getOperand())) {
    std::optional<Box> box = boxOf(update);
    std::optional<int64_t> along = box ? rowDim(*box, type) : std::nullopt;
    if (!along || (dim && along != dim))
      break;
    dim = along;
    auto [at, isNew] =
        rows.insert({box->start[*dim], {box->end[*dim], update.getUpdate()}});
    if (!isNew)
      break;
    covered += box->end[*dim] - box->start[*dim];
    if (covered >= type.getDimSize(*dim))
      break;
  }
  if (!dim || rows.size() < 2)
    return false;
  SmallVector<Value> pieces;
  int64_t reached = 0;
  for (const auto &[start, piece] : rows) {
    if (start != reached)
      return false;
    reached = piece.first;
    pieces.push_back(piece.second);
  }
  if (reached != type.getDimSize(*dim))
    return false;
  OpBuilder builder(last);
  Value whole = builder.create<stablehlo::ConcatenateOp>(last.getLoc(), type,
                                                         pieces, *dim);
  last.getResult().replaceAllUsesWith(whole);
  return true;
}

struct ForwardUpdatesPass : impl::ForwardUpdatesPassBase<ForwardUpdatesPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      SmallVector<stablehlo::SliceOp> slices;
      SmallVector<stablehlo::DynamicUpdateSliceOp> updates;
      func.walk([&](stablehlo::SliceOp op) { slices.push_back(op); });
      func.walk(
          [&](stablehlo::DynamicUpdateSliceOp op) { updates.push_back(op); });
      for (stablehlo::SliceOp slice : slices)
        numForwarded += forward(slice);
      // Only the end of a chain; what is before it is then unused.
      for (stablehlo::DynamicUpdateSliceOp update : llvm::reverse(updates)) {
        if (llvm::any_of(update->getUsers(), [&](Operation *user) {
              return !isa<stablehlo::DynamicUpdateSliceOp>(user) ||
                     user->getOperand(0) != update.getResult();
            }))
          numConcatenated += concatenate(update);
        if (update.use_empty())
          update.erase();
      }
    }
  }
};

} // namespace
} // namespace partopt
