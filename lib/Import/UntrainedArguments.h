// Values that go around and that the loss is computed with, though no gradient
// is taken of them: loss scales, schedules, running averages, targets.

#ifndef PARTOPT_LIB_IMPORT_UNTRAINEDARGUMENTS_H
#define PARTOPT_LIB_IMPORT_UNTRAINEDARGUMENTS_H

#include "ArgumentRoles.h"

namespace partopt {

/// What a value that goes around is where it is no parameter.
enum class UntrainedKind {
  /// Its next value is made of itself and of scalars: a counter, a schedule, a
  /// scale that grows and shrinks.
  Scale,
  /// Its next value is a share of it and something else than a gradient.
  Average,
  /// The loss needs its next value, which is no sum with it.
  Replaced,
  /// A scalar or vector that only decides: the loss has no derivative by it.
  Decides,
};

/// How the role was found, in words.
llvm::StringRef describe(UntrainedKind kind);

class UntrainedArguments {
public:
  /// `candidates`: carried arguments that the forward part needs; `next`: by
  /// argument the result that is its next value, or negative.
  UntrainedArguments(mlir::func::FuncOp func, const ArgumentUses &uses,
                     llvm::ArrayRef<int64_t> next,
                     llvm::ArrayRef<unsigned> candidates);

  /// What tells that no gradient is taken of the candidate; nothing where it
  /// may be a parameter.
  std::optional<UntrainedKind> kindOf(unsigned argument) const;

private:
  std::optional<UntrainedKind> kindBySum(unsigned argument) const;
  bool isMadeOfScalars(const llvm::BitVector &arguments) const;

  mutable mlir::func::FuncOp func;
  const ArgumentUses &uses;
  llvm::ArrayRef<int64_t> next;
  /// The loss, sums that it is made of, and what candidates become.
  llvm::SmallVector<mlir::Value> ends;
  llvm::BitVector derived; ///< arguments that the loss has a derivative by
};

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_UNTRAINEDARGUMENTS_H
