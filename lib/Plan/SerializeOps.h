// Ops of the plan dialect as tables of a plan file.

#ifndef PARTOPT_LIB_PLAN_SERIALIZEOPS_H
#define PARTOPT_LIB_PLAN_SERIALIZEOPS_H

#include "dialects/Plan/Plan.h"

#include "partopt/Plan/PlanFile.h"

#include <memory>

namespace partopt {

/// Where the buffer lies, from when to when, and what it holds.
std::unique_ptr<plan::BufferT> serializeBuffer(planir::BufferOp op);

/// Type, sizes and strides; the buffers are the caller's to set.
plan::GemmT serializeGemm(planir::GemmOp op);

/// Writes phase, label and work of `op`, what it has of them.
void describe(mlir::Operation *op, plan::InstructionT &instruction);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_SERIALIZEOPS_H
