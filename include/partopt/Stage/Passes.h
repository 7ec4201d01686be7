// The stage cut: a step's local program as a chain of pipeline segments.

#ifndef PARTOPT_STAGE_PASSES_H
#define PARTOPT_STAGE_PASSES_H

#include "partopt/Support/StageAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace partopt {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "partopt/Stage/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_STAGE_PASSES_H
