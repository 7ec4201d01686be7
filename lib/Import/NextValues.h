// What the parts of assign-roles know of next values: the result that an
// argument is in the next step.

#ifndef PARTOPT_LIB_IMPORT_NEXTVALUES_H
#define PARTOPT_LIB_IMPORT_NEXTVALUES_H

#include "ArgumentRoles.h"

#include <string>

namespace partopt {

/// By argument.
struct NextValues {
  static constexpr int64_t kUnknown = -1, kNone = -2; ///< said to be none

  explicit NextValues(unsigned numArguments)
      : result(numArguments, kUnknown), reason(numArguments) {}

  void set(unsigned argument, int64_t next, llvm::StringRef why) {
    result[argument] = next;
    reason[argument] = why.str();
  }

  llvm::SmallVector<int64_t> result; ///< its number, or one of the above
  llvm::SmallVector<std::string> reason;
};

/// Reads what the file and the user say: donation, `partopt.next_result`, then
/// `carries`, "ARG=RESULT" by name or as argN and outN, or "ARG=none". The
/// names are in `partopt.name`. Errors name what is contradictory or not there.
mlir::LogicalResult readGivenNextValues(mlir::func::FuncOp func,
                                        llvm::ArrayRef<std::string> carries,
                                        NextValues &next);

/// Marks the result that `loss` names (by `partopt.name`, or as outN) with
/// `partopt.loss`; nothing where it is empty. Errors name what it is not.
mlir::LogicalResult readGivenLoss(mlir::func::FuncOp func, llvm::StringRef loss,
                                  const NextValues &next);

/// Finds next values that nobody gave, by the path of names, by what results
/// are computed from, and by their order, each only where no other choice is
/// left. `roles` are those that names and the user tell. Warns of arguments
/// with several choices.
void findNextValues(mlir::func::FuncOp func,
                    llvm::ArrayRef<std::optional<Role>> roles,
                    NextValues &next);

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_NEXTVALUES_H
