// Which ops of a local program depend on the iteration of an axis in time, and
// in which of a row of loops each has to run.

#ifndef PARTOPT_LIB_PARTITION_TIMEDEPENDENCE_H
#define PARTOPT_LIB_PARTITION_TIMEDEPENDENCE_H

#include "TimeCut.h"

#include "dialects/Comm/Comm.h"

#include "llvm/ADT/DenseSet.h"

namespace partopt {

class TimeDependence {
public:
  TimeDependence(mlir::func::FuncOp func, const TimeCut &cut);

  /// Finds everything below; fails with an error at the op that no loop can
  /// hold. What the whole batch and a parameter decide, and every iteration
  /// reads again, is refused unless `exactStatistics`.
  mlir::LogicalResult run(bool exactStatistics);
  /// Finds what varies alone.
  void findVarying();

  /// An all_reduce over the axis: its operand is accumulated.
  bool isReduction(mlir::Operation *op) const;
  /// True for values that differ from iteration to iteration, and for those of
  /// repeated ops.
  bool varies(mlir::Value value) const { return varying.contains(value); }
  /// True for what every iteration gathers, and makes of it, anew: parameters
  /// that are not kept in whole from use to use.
  bool isRepeated(mlir::Operation *op) const { return repeated.contains(op); }
  /// True for values in which a parameter or other state has a part.
  bool isOfState(mlir::Value value) const { return ofState.contains(value); }
  /// True for ops that run in a loop: reductions too.
  bool isInLoop(mlir::Operation *op) const;

  /// Loops needed, one after the other.
  int64_t numLoops() const { return loops; }
  /// For an op in a loop the loop's number; for others the loop before which
  /// they run, numLoops() behind the last.
  int64_t placeOf(mlir::Operation *op) const { return place.lookup(op); }

private:
  mlir::LogicalResult checkCollective(mlir::Operation *op);
  mlir::LogicalResult checkReductions();
  void findRepeated();
  void countLoops();
  void placeOps();

  mlir::func::FuncOp func;
  mlir::Block &block;
  llvm::StringRef axis;
  int64_t trips;
  /// `rows`: returned values of which every iteration makes its own rows.
  llvm::DenseSet<mlir::Value> varying, rows, ofState;
  llvm::DenseSet<mlir::Operation *> repeated;
  llvm::DenseMap<mlir::Operation *, int64_t> place;
  int64_t loops = 0;
};

/// True when the axes of a comm op name `axis`.
bool overAxis(mlir::Operation *op, llvm::StringRef axis);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_TIMEDEPENDENCE_H
