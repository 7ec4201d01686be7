// Several collectives of one kind as one with several operands.

#ifndef PARTOPT_LIB_SCHEDULE_MERGECOLLECTIVES_H
#define PARTOPT_LIB_SCHEDULE_MERGECOLLECTIVES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace partopt {

/// Replaces `members`, which differ in operands and results alone, by one in
/// front of `place`. `what` opens the reason that it carries. All operands must
/// exist at `place`, and every reader must come behind it.
mlir::Operation *mergeCollectives(llvm::ArrayRef<mlir::Operation *> members,
                                  mlir::Operation *place,
                                  const std::string &what);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_MERGECOLLECTIVES_H
