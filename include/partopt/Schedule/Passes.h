//===- Passes.h - Passes of the schedule stage ------------------*- C++ -*-===//
//
// Form, merge and place collectives.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SCHEDULE_PASSES_H
#define PARTOPT_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace partopt {

#define GEN_PASS_DECL
#include "partopt/Schedule/SchedulePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "partopt/Schedule/SchedulePasses.h.inc"

} // namespace partopt

#endif // PARTOPT_SCHEDULE_PASSES_H
