// Ops that go row by row along dimension 0: what they become where a tensor of
// one row per layer is taken apart into runs of rows.

#ifndef PARTOPT_LIB_STAGE_STACKROWS_H
#define PARTOPT_LIB_STAGE_STACKROWS_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"

namespace partopt {

/// Rows [begin, end) of dimension 0.
struct RowRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  bool contains(RowRange other) const {
    return begin <= other.begin && other.end <= end;
  }
  /// Empty, with begin >= end, where they have no row in common.
  RowRange meet(RowRange other) const {
    return {std::max(begin, other.begin), std::min(end, other.end)};
  }
  bool operator==(RowRange other) const {
    return begin == other.begin && end == other.end;
  }
};

/// Rows of a tensor; -1 for a scalar and whatever is no tensor.
int64_t rowsOf(mlir::Value value);

/// The operands whose row i row i of the results of `op` is made of, all others
/// being the same for every row; nothing where results are not made that way.
std::optional<llvm::SmallVector<unsigned>> rowOperandsOf(mlir::Operation *op);

/// Whether `op` puts its result together from rows of several tensors
/// (a concatenation), or puts rows around those of one (a pad).
bool assemblesRows(mlir::Operation *op);

/// Whether any rows of the result can be made without the others, and are of no
/// stack: constants, numbers that are broadcast.
bool canMakeAnyRows(mlir::Operation *op);

/// The rows of its operand that a slice reads, if it reads not all and is no
/// more than that: nothing is left out of other dimensions or between rows.
std::optional<RowRange> slicedRows(mlir::Operation *op);

/// Whether `op` folds all rows into one value, in a way that parts of them can
/// be folded alone, and then the results.
bool foldsRows(mlir::Operation *op);

/// Rows of `value`, where the builder stands; `value` if these are all.
mlir::Value sliceRows(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, RowRange rows);

/// Rows of what canMakeAnyRows().
mlir::Value makeRows(mlir::OpBuilder &builder, mlir::Value value,
                     RowRange rows);

/// `op` with rowOperandsOf(op) for `count` rows, which its row operands have in
/// `operands`.
mlir::Operation *cloneForRows(mlir::OpBuilder &builder, mlir::Operation *op,
                              mlir::ValueRange operands, int64_t count);

/// Rows of the result of an op with assemblesRows().
mlir::Value assembleRows(mlir::OpBuilder &builder, mlir::Operation *op,
                         RowRange rows);

/// The result of an op with foldsRows() from all parts of its operand.
mlir::Value foldParts(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ValueRange parts);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_STACKROWS_H
