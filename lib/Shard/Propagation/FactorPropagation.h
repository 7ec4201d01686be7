// Spreading the axes of each factor to all tensors of an op.

#ifndef PARTOPT_LIB_SHARD_PROPAGATION_FACTORPROPAGATION_H
#define PARTOPT_LIB_SHARD_PROPAGATION_FACTORPROPAGATION_H

#include "lib/Shard/Propagation/Projection.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallBitVector.h"

namespace partopt::shard {

/// Bits: Both = Forward | Backward.
enum Direction : uint8_t { None = 0, Forward = 1, Backward = 2, Both = 3 };

/// What a step needs to know of the op beside its projection.
struct OpFacts {
  const ShardingRule &rule;
  /// Elements of each tensor, operands first.
  llvm::ArrayRef<int64_t> tensorSizes;
  bool elementwise = false;
};

using DirectionOfFactor = llvm::function_ref<Direction(unsigned factor)>;

/// Gives each factor those axes that fit all of its tensors. Returns the
/// changed tensors.
llvm::SmallBitVector propagateBasic(Projection &projection,
                                    const OpFacts &facts,
                                    DirectionOfFactor direction);

/// Gives each tensor as much of the factor's axes as fits that tensor. Where
/// factors compete for an axis, the one whose axes come from the larger tensor
/// wins. Returns the changed tensors.
llvm::SmallBitVector propagateAggressive(Projection &projection,
                                         const OpFacts &facts,
                                         DirectionOfFactor direction);

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_PROPAGATION_FACTORPROPAGATION_H
