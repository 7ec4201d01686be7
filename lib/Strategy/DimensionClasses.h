// Dimensions of the model: two dimensions of values that one factor of an op's
// sharding rule maps to are the same one, since splitting either splits both.

#ifndef PARTOPT_LIB_STRATEGY_DIMENSIONCLASSES_H
#define PARTOPT_LIB_STRATEGY_DIMENSIONCLASSES_H

#include "partopt/Analysis/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace partopt {

/// True for constants and scalars that were spread: that two tensors take one
/// such value says nothing of their dimensions.
bool isSplat(mlir::Value value);

/// 0 for what is no tensor.
int64_t rankOf(mlir::Value value);
int64_t sizeOf(mlir::Value value, int64_t dim);

/// Classes are numbered from 0 in the order in which they first occur.
class DimensionClasses {
public:
  /// `majorOfMerged`: a dimension that a reshape merges from several is one
  /// with the outermost of them, along which it can be split.
  DimensionClasses(mlir::func::FuncOp func, bool majorOfMerged)
      : DimensionClasses(func, majorOfMerged,
                         [](mlir::Operation *) { return true; }) {}
  /// Joins only along ops that `joins`, and through values that `has`.
  DimensionClasses(
      mlir::func::FuncOp func, bool majorOfMerged,
      llvm::function_ref<bool(mlir::Operation *)> joins,
      llvm::function_ref<bool(mlir::Value)> has = [](mlir::Value value) {
        return !isSplat(value);
      });

  unsigned size() const { return numClasses; }
  /// The class of a dimension; nothing for values that no op with a rule has,
  /// and for dimensions of size 1.
  std::optional<unsigned> classOf(mlir::Value value, int64_t dim) const;

  /// An op's rule with the class of each factor, where it has one.
  struct OpClasses {
    mlir::Operation *op;
    ShardingRule rule;
    llvm::SmallVector<std::optional<unsigned>> factors;
  };
  /// Ops with a rule, in program order.
  llvm::ArrayRef<OpClasses> ops() const { return opClasses; }

private:
  unsigned number(mlir::Value value, int64_t dim);
  unsigned find(unsigned element);
  void join(unsigned a, unsigned b);
  void joinFactors(OpClasses &entry, bool majorOfMerged,
                   llvm::function_ref<bool(mlir::Value)> has);
  void numberClasses();

  llvm::DenseMap<mlir::Value, unsigned> begins; ///< element of dimension 0
  std::vector<unsigned> parents;
  std::vector<unsigned> classes; ///< by element
  std::vector<OpClasses> opClasses;
  unsigned numClasses = 0;
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_DIMENSIONCLASSES_H
