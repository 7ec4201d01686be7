// What iterations of one loop leave for those of a later one.

#ifndef PARTOPT_LIB_PARTITION_KEPTVALUES_H
#define PARTOPT_LIB_PARTITION_KEPTVALUES_H

#include "TimeDependence.h"

#include "llvm/ADT/SetVector.h"

namespace partopt {

/// A later loop needs values of an earlier one's iterations. What light ops
/// (elementwise, of another shape) make of batch arguments and of values that
/// are at hand is computed again; everything else is kept for all iterations.
class KeptValues {
public:
  KeptValues(mlir::Block &block, const TimeDependence &depends);

  bool contains(mlir::Value value) const { return kept.contains(value); }
  /// In program order of their first need.
  llvm::ArrayRef<mlir::Value> values() const { return kept.getArrayRef(); }
  /// The loop that makes `value`.
  int64_t loopOf(mlir::Value value) const;
  /// Ops of earlier loops that loop `number` has to run again for `ops`, which
  /// are its own, and kept values that it reads.
  struct Needs {
    llvm::SetVector<mlir::Operation *> again;
    llvm::SetVector<mlir::Value> read;
  };
  Needs neededBy(int64_t number, llvm::ArrayRef<mlir::Operation *> ops) const;

private:
  bool isAtHand(mlir::Value value, int64_t number);
  void need(mlir::Value value, int64_t number);

  const TimeDependence &depends;
  llvm::SetVector<mlir::Value> kept;
  /// Of the loop that is looked at.
  llvm::DenseMap<mlir::Value, bool> atHand;
};

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_KEPTVALUES_H
