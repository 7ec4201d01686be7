// What waits for a collective, behind all that does not.

#ifndef PARTOPT_LIB_SCHEDULE_MOVELATEOPS_H
#define PARTOPT_LIB_SCHEDULE_MOVELATEOPS_H

#include "mlir/IR/Block.h"

namespace partopt {

/// Moves what depends on a collective, and what no collective depends on, to
/// the end of the block. Behind all loops that may be what another rank waits
/// for: messages move with it, in the order that they had among each other.
void moveLateOps(mlir::Block &block);

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_MOVELATEOPS_H
