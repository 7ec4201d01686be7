// Where the messages of a pipeline's ranks stand in their programs.

#ifndef PARTOPT_LIB_SCHEDULE_PLACEMESSAGES_H
#define PARTOPT_LIB_SCHEDULE_PLACEMESSAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

/// Of programs whose segments are whole and one behind the other: a send stands
/// where its value is made and a receive where it is read; receives of one
/// segment from another come in the order of the sends; and behind the segments
/// what waits for fewer messages, one for another, comes first, so that no two
/// ranks wait for each other. Errors: messages that depend on themselves.
mlir::LogicalResult placeMessages(llvm::ArrayRef<mlir::func::FuncOp> ranks);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_PLACEMESSAGES_H
