// How an op runs on one device's shards: which operands may stay unreduced
// through it, and what it becomes on local shapes.

#ifndef PARTOPT_ANALYSIS_LOCALLOWERING_H
#define PARTOPT_ANALYSIS_LOCALLOWERING_H

#include "partopt/Analysis/ShardingRule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace partopt {

/// The axes of every factor of a rule, major to minor.
using FactorAxes = llvm::SmallVector<AxisList, 6>;

/// A set of operands that the op is linear in together for some combiner, with
/// all other operands equal on every device: op(combine_i x_i) = combine_i
/// op(x_i). An operand of the set that is not unreduced can join as "its value
/// on the first device, the combiner's identity on the others".
using LinearGroup = llvm::SmallVector<unsigned, 2>;

/// What localize() may use: local operands, the factors' axes, and helpers that
/// emit device-dependent values. Shapes are one device's.
struct LocalContext {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Mesh &mesh;
  const ShardingRule &rule;
  const FactorAxes &factorAxes;
  llvm::SmallVector<mlir::Value, 4> operands;
  llvm::SmallVector<mlir::RankedTensorType, 1> resultTypes;

  bool isSplit(unsigned factor) const { return !factorAxes[factor].empty(); }
  int64_t parts(unsigned factor) const { return axesSize(factorAxes[factor]); }
  /// ceil(size / parts) of the factor.
  int64_t localSize(unsigned factor) const;
  bool isUneven(unsigned factor) const;

  /// This device's index along `axes`, i32 scalar.
  mlir::Value axisIndex(llvm::ArrayRef<AxisRef> axes);
  /// axisIndex * localSize, i32 scalar: where the device's part starts.
  mlir::Value shardOffset(unsigned factor);
  /// Splat constant of `type`.
  mlir::Value splat(mlir::RankedTensorType type, mlir::Attribute element);
  mlir::Value i32(int64_t value);
  /// Broadcast of a scalar to `shape`.
  mlir::Value broadcastScalar(mlir::Value scalar,
                              llvm::ArrayRef<int64_t> shape);
  /// i1 tensor of `shape`: the position along `dim` is within the global size
  /// of `factor` on this device.
  mlir::Value validMask(unsigned factor, llvm::ArrayRef<int64_t> shape,
                        int64_t dim);
  /// `value` with the padding along `dim` (split by `factor`) replaced by the
  /// combiner's identity; `value` itself when nothing is padded.
  mlir::Value maskPadding(mlir::Value value, int64_t dim, unsigned factor,
                          Combiner combiner);
};

/// i1 tensor of `shape`: the position along `dim`, counted from `start` (an i32
/// scalar), is below `end`.
mlir::Value positionsBelow(mlir::OpBuilder &b, mlir::Location loc,
                           llvm::ArrayRef<int64_t> shape, int64_t dim,
                           mlir::Value start, int64_t end);

/// The identity of a combiner for an element type (0, 1, +-inf, true, ...).
mlir::Attribute combinerIdentity(mlir::Type elementType, Combiner combiner);

/// The axes of each dimension of a tensor when its factors are split like this.
llvm::SmallVector<AxisList, 4> projectToDims(const TensorMapping &mapping,
                                             const FactorAxes &factorAxes);

/// Removes shardings from `op` and from the ops in its regions.
void dropShardings(mlir::Operation *op);

/// Clones `op` on local operands and result types; for ops whose split factors
/// are all pass-through and whose attributes hold no sizes.
llvm::SmallVector<mlir::Value, 1> cloneLocal(mlir::Operation *op,
                                             LocalContext &context);

/// The linear groups of `op` for `combiner`; none when the op does not say.
llvm::SmallVector<LinearGroup, 2> getLinearGroups(mlir::Operation *op,
                                                  Combiner combiner);

/// Lowers `op` to local shapes through its interface, or by cloneLocal. The
/// caller guarantees that axes sit on PassThrough and Reduction factors only.
mlir::FailureOr<llvm::SmallVector<mlir::Value, 1>>
lowerToLocal(mlir::Operation *op, LocalContext &context);

/// True when `value` is a constant (or a broadcast of one) whose every element
/// is the identity of `combiner`.
bool isIdentity(mlir::Value value, Combiner combiner);

/// The combiner of `body` if a reduction from `inits` may be cut into parts
/// that are combined in turn, each with its own initial values: these are
/// identities, or combining them twice changes nothing.
std::optional<Combiner> divisibleCombiner(mlir::Region &body,
                                          mlir::ValueRange inits);

/// `value` on the device whose index along `axes` is 0, the identity elsewhere;
/// `value` itself when it is the identity.
mlir::Value keepOnFirstDevice(LocalContext &context, mlir::Value value,
                              llvm::ArrayRef<AxisRef> axes, Combiner combiner);

/// Registers the lowerings of all ops that need their own.
void registerLocalLoweringModels(mlir::DialectRegistry &registry);

} // namespace partopt

#include "partopt/Analysis/LocalLoweringInterface.h.inc"

#endif // PARTOPT_ANALYSIS_LOCALLOWERING_H
