// Passes of the stage Shard.

#ifndef PARTOPT_SHARD_PASSES_H
#define PARTOPT_SHARD_PASSES_H

#include "mlir/Pass/Pass.h"

namespace partopt {

#define GEN_PASS_DECL
#include "partopt/Shard/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "partopt/Shard/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_SHARD_PASSES_H
