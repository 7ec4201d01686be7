// What the parts of assign-roles share: the roles, what a name says, and what
// the uses of the entry's arguments say.

#ifndef PARTOPT_LIB_IMPORT_ARGUMENTROLES_H
#define PARTOPT_LIB_IMPORT_ARGUMENTROLES_H

#include "LossResult.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace partopt {

enum class Role { Param, Opt, State, Batch, Rng, Scalar, Unknown };

llvm::StringRef stringifyRole(Role role);
std::optional<Role> symbolizeRole(llvm::StringRef name);

/// What the words of `params['w']`, `opt_state[0].mu[...]`, ... say; nothing if
/// none is known. Rng only means a key if the type can be one.
std::optional<Role> roleFromName(llvm::StringRef name);

/// The parts of a pytree path, outermost first: `params['w'][0].mu` has params,
/// w, 0 and mu.
llvm::SmallVector<llvm::StringRef> pathParts(llvm::StringRef name);

/// Which arguments of a function reach which of its results, followed value by
/// value through loops and branches.
class ArgumentUses {
public:
  /// `carriedTo[i]` is the result that is argument i's next value, or negative.
  ArgumentUses(mlir::func::FuncOp func, llvm::ArrayRef<int64_t> carriedTo);

  /// The result that is the loss (LossResult.h), or -1.
  int64_t lossResult() const { return loss.result; }
  /// Another result that may be the loss as well, or -1.
  int64_t rivalOfLoss() const { return loss.rival; }
  /// Argument i is needed to compute the loss.
  bool reachesLoss(unsigned arg) const { return toLoss.test(arg); }
  /// The loss is computed from `value`, or is it.
  bool lossNeeds(mlir::Value value) const { return ofLoss.contains(value); }
  /// Argument i is needed by a dot, convolution or gather.
  bool reachesMatmul(unsigned arg) const { return toMatmul.test(arg); }
  /// Argument i is needed to compute one of the results.
  llvm::BitVector reaching(llvm::ArrayRef<mlir::Value> values) const;
  /// Argument i feeds a random generator: rng_bit_generator, or the exclusive
  /// or of threefry.
  bool feedsRandom(unsigned arg) const;
  /// Dimension 0 of argument i is summed over by the first dot that takes it of
  /// those that the loss (without one: a result) needs: rows of a batch never
  /// are.
  bool contractsRows(unsigned arg) const { return rowsContracted.test(arg); }
  /// The value that argument i becomes is written in place into a buffer.
  bool isUpdatedInPlace(unsigned arg) const;

private:
  mutable mlir::func::FuncOp func;
  llvm::SmallVector<int64_t> carriedTo;
  LossChoice loss;
  llvm::DenseSet<mlir::Value> ofLoss;
  llvm::BitVector toLoss, toMatmul, toRandom, rowsContracted;
};

} // namespace partopt

#endif
