// The loop over microbatches as a pipeline sees it: a chain of forward ops, and
// backward ops that follow it in the other direction.

#ifndef PARTOPT_LIB_STAGE_PIPELINEBODY_H
#define PARTOPT_LIB_STAGE_PIPELINEBODY_H

#include "dialects/Comm/Comm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>
#include <optional>

namespace partopt {

/// What an op of the loop does: the loss depends on it, an earlier stage's
/// gradient depends on it, or only accumulators do.
enum class StagePart : uint8_t { Forward, InputGrad, WeightGrad };

/// Reads the local program of one device whose microbatches are a loop.
/// Positions number the forward ops in program order; a backward op has the
/// position of the forward op that it belongs to. Linear in the ops.
class PipelineBody {
public:
  static constexpr int64_t kAnywhere = std::numeric_limits<int64_t>::max();

  /// Loops in loops are one op each (NestLoops.h). Fails, with an error, where
  /// there is no such loop, or several that depend on parameters (statistics of
  /// the whole batch).
  static mlir::FailureOr<PipelineBody> read(mlir::func::FuncOp func);

  comm::LoopBeginOp begin;
  comm::LoopEndOp end;
  /// In program order; ops that are `isFree` are in neither.
  llvm::SmallVector<mlir::Operation *, 0> forward, backward;

  /// Light work on batch arguments and numbers alone, or on parameters alone,
  /// of which gathers of stored ones are: every segment that needs it does it
  /// for itself.
  bool isFree(mlir::Operation *op) const { return freeOps.contains(op); }
  /// Of an op of the loop that is not free.
  int64_t positionOf(mlir::Operation *op) const { return position.lookup(op); }
  /// The last forward op that reads `value`, or what is made of it in front of
  /// the loop; -1: none.
  int64_t lastForwardUse(mlir::Value value) const;
  /// Of a forward op, or what is in one; nothing for other ops.
  std::optional<int64_t> forwardPosition(mlir::Operation *op) const;
  /// Runs in front of the loop.
  bool isInFront(mlir::Operation *op) const;
  /// The op of the loop's own block that holds `op`, or null.
  mlir::Operation *inLoop(mlir::Operation *op) const;

private:
  void findFree();
  void findForward(mlir::func::FuncOp func);
  void findBackward();
  void pullToParameters(mlir::func::FuncOp func);
  int64_t anchor(mlir::Value value) const;

  mlir::Block *block = nullptr;
  llvm::SmallVector<mlir::Operation *, 0> body;
  llvm::DenseSet<mlir::Operation *> bodySet, freeOps, forwardSet;
  /// Values in which a parameter or other state has a part.
  llvm::DenseSet<mlir::Value> ofState;
  llvm::DenseMap<mlir::Operation *, int64_t> position;
  mutable llvm::DenseMap<mlir::Value, int64_t> lastUses, anchors;
};

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_PIPELINEBODY_H
