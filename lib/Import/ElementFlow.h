// Of which arguments the elements of a result are made, where ops only compute
// element by element or move elements: a new parameter is the old one and an
// update, a gradient is not.

#ifndef PARTOPT_LIB_IMPORT_ELEMENTFLOW_H
#define PARTOPT_LIB_IMPORT_ELEMENTFLOW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

#include <optional>

namespace partopt {

enum class FlowKind {
  /// Ops of the result's own number of elements: element by element, views,
  /// and writes in place.
  InPlace,
  /// Also what joins, cuts and moves: slices, concatenations, transposes.
  Moved,
};

/// The arguments of `func` that flow into `value`. Loops and branches are
/// followed value by value; conditions are not followed. Linear in the ops
/// between.
llvm::BitVector argumentsFlowingInto(mlir::func::FuncOp func, mlir::Value value,
                                     FlowKind kind);

/// The values of as many elements from which `value` is computed element by
/// element, where that begins: a gradient is one. Arguments and what has one
/// element in every place (constants, scales) are none.
llvm::SmallVector<mlir::Value> elementOrigins(mlir::Value value);

/// How much of `argument` is in `value`: the largest product of the constants
/// that its elements are multiplied with on one way, at most 1; 0 where none
/// leads there. Factors that are no constants count as 1. With `isTerm` only
/// ways along which it stays a term of a sum: through no function, and no
/// product with what differs from element to element.
double shareOf(mlir::BlockArgument argument, mlir::Value value, bool isTerm);

/// What a new value has of the old one at least. A step moves a parameter; the
/// share of it that a weight penalty adds to its gradient is far below.
inline constexpr double kLeastShare = 0.5;

/// What a sum has beside the elements of an argument.
struct Addends {
  /// Values on which the sum depends beside the argument's terms: other terms,
  /// and what these and the argument's are multiplied with.
  llvm::SmallVector<mlir::Value> others;
  /// The argument's elements are multiplied with something else than constants.
  bool isScaled = false;
};

/// Nothing where the elements of `value` are no sum with those of `argument` as
/// a term (shareOf with `isTerm`), or are the argument. Of several to choose
/// from (select, max, clamp) each counts.
std::optional<Addends> addendsBeside(mlir::BlockArgument argument,
                                     mlir::Value value);

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_ELEMENTFLOW_H
