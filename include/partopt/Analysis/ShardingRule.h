// One rule per op, in factors: every dimension of every operand and result maps
// to factors; a factor says what happens when it is split over devices. It is
// the single source for propagation, partitioning, cost and resharding.

#ifndef PARTOPT_ANALYSIS_SHARDINGRULE_H
#define PARTOPT_ANALYSIS_SHARDINGRULE_H

#include "mlir/IR/Operation.h"
#include "partopt/Analysis/Layout.h"

namespace partopt {

enum class FactorKind : uint8_t {
  PassThrough,    ///< each device computes its own part
  Reduction,      ///< results are unreduced over the factor's axes
  Permutation,    ///< data crosses shard borders (slice, pad, reverse, ...)
  NeedReplication ///< has to be whole on every device
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  /// Of a Reduction factor.
  Combiner combiner = Combiner::Sum;
  /// Shardy's blocked_propagation: axes do not flow along this factor.
  bool blocked = false;
};

/// Factor indices of one dimension, major to minor; their sizes multiply to the
/// dimension's size, except for factors that only some tensors have in full
/// (concatenated, sliced, padded dimensions), as in Shardy.
using DimMapping = llvm::SmallVector<unsigned, 1>;
using TensorMapping = llvm::SmallVector<DimMapping, 4>;

struct ShardingRule {
  llvm::SmallVector<Factor, 6> factors;
  llvm::SmallVector<TensorMapping, 3> operands;
  llvm::SmallVector<TensorMapping, 1> results;
  /// Given by the user (sdy.sharding_rule), always kept.
  bool custom = false;

  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::PassThrough,
                     Combiner combiner = Combiner::Sum);
};

/// The rule of `op`: the user's sdy.sharding_rule attribute, else the op's
/// ShardingRuleOpInterface, else nothing (everything has to be replicated).
std::optional<ShardingRule> getShardingRule(mlir::Operation *op);

/// Checks a rule against its op: mapping counts and ranks, sizes, every factor
/// used. Returns a message on failure.
std::optional<std::string> checkShardingRule(mlir::Operation *op,
                                             const ShardingRule &rule);

/// The combiner of a reduction body that applies one known binary op to each
/// pair (lhs i, rhs i), the same for all results; nothing for other bodies.
/// Booleans combine by And and Or.
std::optional<Combiner> bodyCombiner(mlir::Region &body);

/// The dimension that is `factor` alone.
std::optional<int64_t> dimOfFactor(const TensorMapping &mapping,
                                   unsigned factor);

/// The one factor of dimension `dim`, where there is one.
std::optional<unsigned> soleFactorOf(const TensorMapping &mapping, int64_t dim);

/// The dimension of `to` that is dimension `dim` of `from`, tensors of an op.
std::optional<int64_t> dimAcross(const TensorMapping &from,
                                 const TensorMapping &to, int64_t dim);

} // namespace partopt

#include "partopt/Analysis/ShardingRuleInterface.h.inc"

#endif // PARTOPT_ANALYSIS_SHARDINGRULE_H
