//===- Passes.h - Passes of the plan stage ----------------------*- C++ -*-===//
//
// From a scheduled program in kernel form to the plan dialect.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PASSES_H
#define PARTOPT_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace partopt {

#define GEN_PASS_DECL
#include "partopt/Plan/PlanPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "partopt/Plan/PlanPasses.h.inc"

} // namespace partopt

#endif // PARTOPT_PLAN_PASSES_H
