// The partition of a whole program before it is written into the IR: axes per
// op, the layout that every value is wanted in, and where it stays unreduced.

#ifndef PARTOPT_LIB_PARTITION_PROGRAMPARTITION_H
#define PARTOPT_LIB_PARTITION_PROGRAMPARTITION_H

#include "OpPartition.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace partopt {

/// What is decided for one op.
struct OpDecision {
  ShardingRule rule;
  FactorAxes axes;
  /// Unreduced axes that pass through the op, and the operands that carry them.
  llvm::SmallVector<std::pair<UnreducedAxis, LinearGroup>, 1> passing;
  /// False when the op runs whole on every device.
  bool split = true;
};

struct ProgramPartition {
  mlir::func::FuncOp func;
  Mesh mesh;
  std::string meshName;
  StorageAxes storage;
  /// Wanted (fully reduced unless the user says otherwise) layout per value.
  llvm::DenseMap<mlir::Value, Layout> wanted;
  /// Axes over which parameters, and what is made of one alone, are computed
  /// with in parts.
  llvm::DenseMap<mlir::Value, AxisList> computeAxes;
  llvm::MapVector<mlir::Operation *, OpDecision> ops;

  const Layout &want(mlir::Value value) const {
    return wanted.find(value)->second;
  }
  /// The layout in which the op leaves the result, unreduced axes included.
  Layout raw(mlir::Value value) const;
  /// What `op` has to go by where values are wanted like this.
  OpLayouts
  layoutsOf(mlir::Operation *op,
            const llvm::DenseMap<mlir::Value, Layout> &wantedLayouts) const;
  /// The layout that an op needs operand `i` in.
  Layout needed(mlir::Operation *op, unsigned i) const;
};

/// True for a use of a value that only makes it visible (see kTapAttr), which
/// must not change any decision.
bool isTap(mlir::OpOperand &use);

/// True for values that any device can make for itself in any layout:
/// constants, iotas and broadcasts of them.
bool isFree(mlir::Value value);

/// Fills in `computeAxes` from what arguments say.
void findComputeAxes(ProgramPartition &partition);

/// Reads wanted layouts, chooses axes for every op.
mlir::FailureOr<ProgramPartition> choosePartition(mlir::func::FuncOp func);

/// Replaces wanted layouts of values that no constraint holds where the program
/// then moves fewer bytes. Fails when the cut does not pass its own check.
mlir::LogicalResult fuseLayouts(ProgramPartition &partition,
                                ReshardPrices &prices);

/// Decides for every unreduced value how far it stays so: a minimum cut over
/// the bytes that its reduction would move at each value. Fails when the cut
/// does not pass its own check.
mlir::LogicalResult placeReductions(ProgramPartition &partition);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_PROGRAMPARTITION_H
