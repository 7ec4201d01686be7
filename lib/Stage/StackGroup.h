// A stacked parameter, one row per layer, with all that goes row by row with
// it: its gradient, its state, and what its next value is computed from.

#ifndef PARTOPT_LIB_STAGE_STACKGROUP_H
#define PARTOPT_LIB_STAGE_STACKGROUP_H

#include "StackRows.h"

#include "dialects/Comm/Comm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace partopt {

/// Which stages of a program with the attributes of partopt-cut-stages read a
/// value, in the loop that was cut.
class StageReaders {
public:
  explicit StageReaders(mlir::func::FuncOp func);

  /// Ops that read it through others in front of the loop count, and those for
  /// which whoever needs it repeats what is between.
  const llvm::SmallBitVector &of(mlir::Value value);
  unsigned numStages() const { return unsigned(stages); }
  /// Whether `op` is in the loop, its begin and its end included.
  bool isInLoop(mlir::Operation *op) const;

private:
  mlir::Block *block;
  int64_t stages = 0;
  mlir::Operation *begin = nullptr, *end = nullptr;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> known;
};

class StackGroup {
public:
  /// All that goes row by row with `argument`, over every op and next value.
  static StackGroup around(mlir::BlockArgument argument,
                           mlir::func::FuncOp func, StageReaders &readers);

  int64_t rows() const { return numRows; }
  /// In no particular order; arguments among them. What is the same for every
  /// row, or can be made for any rows without the others (constants), is not.
  const llvm::SetVector<mlir::Value> &values() const { return members; }
  /// Runs of rows that the same stages use, in their order. One, of all rows,
  /// where all layers are of one stage.
  llvm::ArrayRef<RowRange> parts() const { return ranges; }
  /// The op, or an argument's function, that does not go row by row, and why;
  /// null: the group can be taken apart.
  mlir::Operation *obstacle() const { return hindering; }
  llvm::StringRef reason() const { return why; }

private:
  StackGroup(mlir::func::FuncOp func, StageReaders &readers, int64_t rows)
      : func(func), readers(readers), numRows(rows) {}
  void visit(mlir::Value value);
  void visitArgument(mlir::BlockArgument argument);
  void visitResult(unsigned number);
  void visitMaker(mlir::Operation *op);
  void visitUse(mlir::OpOperand &use);
  void hinder(mlir::Operation *op, llvm::StringRef text);
  void findParts();

  mlir::func::FuncOp func;
  StageReaders &readers;
  int64_t numRows;
  llvm::SetVector<mlir::Value> members;
  llvm::SmallVector<mlir::Value> work;
  llvm::SetVector<mlir::Operation *> slices; ///< that read some of the rows
  llvm::SmallVector<RowRange> ranges;
  mlir::Operation *hindering = nullptr;
  llvm::StringRef why;
};

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_STACKGROUP_H
