// The phases of a training step, found from what depends on what: no name and
// no front end decides.

#ifndef PARTOPT_ANALYSIS_TRAININGSTEP_H
#define PARTOPT_ANALYSIS_TRAININGSTEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace partopt {

enum class StepPhase : uint8_t { Forward, Backward, Update };

/// What the update of one parameter consists of.
struct ParameterUpdate {
  /// The result that becomes the parameter in the next step, or -1.
  int64_t result = -1;
  /// The values from which the update starts: the largest ones of the
  /// parameter's size that neither it, its optimizer state nor a scale has gone
  /// into yet. Several where parts of a gradient are added by the optimizer.
  llvm::SmallVector<mlir::Value, 1> gradients;
  /// Arguments of the role `opt` that the update reads element by element.
  llvm::SmallVector<unsigned, 2> states;
};

/// Reads a function of one block whose arguments have `partopt.role`. Forward
/// is what the loss depends on, backward what the gradients depend on besides,
/// the update what depends on gradients or on optimizer state; a program
/// without loss or gradients is all forward. Linear in the ops.
class TrainingStep {
public:
  explicit TrainingStep(mlir::func::FuncOp func);

  /// The result that is the loss, or -1: the one called so, else the scalar
  /// float that depends on a parameter, is no argument's next value, and is
  /// computed by the fewest ops.
  int64_t lossResult() const { return loss; }
  StepPhase phaseOf(mlir::Operation *op) const;
  bool isForward(mlir::Operation *op) const {
    return phaseOf(op) == StepPhase::Forward;
  }
  /// True for an op that the loss depends on, whether gradients are known or
  /// not. Ops within regions count as the op of the block that holds them.
  bool feedsLoss(mlir::Operation *op) const;
  /// By argument; empty for arguments that are no parameters.
  const ParameterUpdate &updateOf(unsigned argument) const {
    return updates[argument];
  }
  /// Some parameter has a gradient.
  bool hasBackward() const { return anyGradient; }

private:
  using OpSet = llvm::DenseSet<mlir::Operation *>;

  OpSet dependencesOf(mlir::ValueRange values, const OpSet *stop);
  OpSet dependentsOf(llvm::ArrayRef<mlir::Value> values);
  bool scalesGradients(mlir::BlockArgument argument);
  void findLoss();
  void findUpdate(unsigned argument);
  bool isWithinUpdate(mlir::Operation *op, int64_t elements);
  bool isPureLeaf(mlir::Value value);
  void findPhases();

  mlir::func::FuncOp func;
  mlir::Block &block;
  int64_t loss = -1;
  bool anyGradient = false;
  llvm::DenseMap<mlir::Operation *, int64_t> place;
  OpSet forward, ofState;
  llvm::DenseMap<mlir::Operation *, StepPhase> phases;
  llvm::SmallVector<ParameterUpdate, 0> updates;
};

} // namespace partopt

#endif // PARTOPT_ANALYSIS_TRAININGSTEP_H
