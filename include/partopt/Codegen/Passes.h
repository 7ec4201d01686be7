// Passes from a local program to its kernels.
#ifndef PARTOPT_CODEGEN_PASSES_H
#define PARTOPT_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace partopt {

#define GEN_PASS_DECL
#include "partopt/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "partopt/Codegen/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_CODEGEN_PASSES_H
