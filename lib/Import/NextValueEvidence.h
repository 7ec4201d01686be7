// What tells that a result is an argument's next value: the path of its name,
// and what it is computed from.

#ifndef PARTOPT_LIB_IMPORT_NEXTVALUEEVIDENCE_H
#define PARTOPT_LIB_IMPORT_NEXTVALUEEVIDENCE_H

#include "ElementFlow.h"
#include "NextValues.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace partopt {

/// The results that may be the next value of one argument, ascending.
struct Choice {
  unsigned argument;
  llvm::SmallVector<unsigned> results;
  llvm::StringRef reason; ///< what tells, a word
};

class NextValueEvidence {
public:
  /// `roles` are those that names and the user tell; results that `next` gives
  /// to arguments already are taken.
  NextValueEvidence(mlir::func::FuncOp func,
                    llvm::ArrayRef<std::optional<Role>> roles,
                    const NextValues &next);

  /// An argument that its name or the user calls part of what goes around.
  bool isKept(unsigned argument) const {
    return isRole(argument, Role::Param) || isRole(argument, Role::Opt) ||
           isRole(argument, Role::State);
  }
  bool isOpen(unsigned argument) const {
    return next.result[argument] == NextValues::kUnknown;
  }
  /// Some argument and some result of its type are without a partner.
  bool hasOpen() const;
  /// The argument's next value is `result`, which is no other's.
  void take(unsigned result) { taken.set(result); }

  /// The first result of the argument's type that is computed from it, is no
  /// argument's next value, and is neither the loss nor the argument itself.
  std::optional<unsigned> openResultFrom(unsigned argument);

  /// What argument reaches what, with the loss; found at the first call.
  const ArgumentUses &uses();

  /// By the name of an argument that is kept, or stands beside such ones; else
  /// by what results are computed from.
  Choice choiceOf(unsigned argument);
  /// Of an argument without a role: state that new parameters are made with
  /// (`toParameters`, by argument), an average that keeps most of what it was,
  /// or a counter of steps.
  Choice choiceOfUnknown(unsigned argument,
                         const llvm::BitVector &toParameters);

private:
  bool isRole(unsigned argument, Role role) const {
    return roles[argument] == role;
  }
  mlir::Value valueOf(unsigned result) const {
    return func.front().getTerminator()->getOperand(result);
  }
  bool isUnchanged(unsigned argument, unsigned result) const {
    return valueOf(result) == func.getArgument(argument);
  }
  /// Results of the argument's type that are no argument's next value yet.
  llvm::SmallVector<unsigned>
  openResults(unsigned argument,
              llvm::function_ref<bool(unsigned)> holds) const;

  bool flows(unsigned argument, unsigned result, FlowKind kind);
  bool followsLoss(unsigned result);
  bool isOwnFunction(unsigned argument, unsigned result);
  bool isTrainedBy(unsigned argument, unsigned result);
  bool dependsOnOptimizer(unsigned result);
  double share(unsigned argument, unsigned result, bool isTerm) const;
  bool mayBeNamed(unsigned argument, unsigned result);
  bool mayFlow(unsigned argument, unsigned result, FlowKind kind);
  bool isCounter(unsigned argument, unsigned result);
  bool belongsToKept(unsigned argument) const;
  llvm::SmallVector<unsigned> named(unsigned argument) const;
  llvm::SmallVector<unsigned> flowing(unsigned argument);

  mutable mlir::func::FuncOp func;
  llvm::ArrayRef<std::optional<Role>> roles;
  const NextValues &next;
  llvm::SmallVector<llvm::SmallVector<llvm::StringRef>> paths, resultPaths;
  /// Results by type, ascending.
  llvm::DenseMap<mlir::Type, llvm::SmallVector<unsigned>> ofType;
  llvm::BitVector taken;   ///< by result
  bool anyDonated = false; ///< the exporter was told what goes around
  std::optional<ArgumentUses> found;
  /// By result and kind of flow.
  llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::BitVector> flow;
  std::optional<llvm::DenseSet<mlir::Operation *>> ofOptimizer;
};

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_NEXTVALUEEVIDENCE_H
