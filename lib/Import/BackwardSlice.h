// What values are computed from. Loops and branches are followed value by
// value, so that a loop over whole training steps still tells its parameters
// from its optimizer state.

#ifndef PARTOPT_LIB_IMPORT_BACKWARDSLICE_H
#define PARTOPT_LIB_IMPORT_BACKWARDSLICE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace partopt {

class BackwardSlice {
public:
  /// `differentiable`: of floats alone, as a derivative goes. What stands
  /// before `first` in its block is left out.
  explicit BackwardSlice(llvm::ArrayRef<mlir::Value> from,
                         bool differentiable = false,
                         mlir::Operation *first = nullptr);

  /// What these are computed from is left out; to be called before run.
  void stopAt(llvm::ArrayRef<mlir::Value> values) {
    stops.insert(values.begin(), values.end());
  }

  bool contains(mlir::Value value) const { return seen.contains(value); }
  const llvm::DenseSet<mlir::Value> &values() const { return seen; }

  /// Follows to the end; marks in `args` the arguments of `entry` that the
  /// slice reaches.
  void run(mlir::Block &entry, llvm::BitVector &args);

private:
  void push(mlir::Value value);
  void pushTerminator(mlir::Region &region, std::optional<unsigned> index);
  void followLoop(mlir::Operation *loop, unsigned index);
  void followArgument(mlir::BlockArgument arg);
  void followResult(mlir::OpResult result);

  bool differentiable;
  mlir::Operation *first;
  llvm::DenseSet<mlir::Value> seen, stops;
  llvm::SmallVector<mlir::Value> work;
};

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_BACKWARDSLICE_H
