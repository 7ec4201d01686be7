//===- KernelCost.h - Arithmetic of a kernel --------------------*- C++ -*-===//
//
// What cost models and traces show beside a launch.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_KERNELCOST_H
#define PARTOPT_LIB_PLAN_KERNELCOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

/// One operation per element of each elementwise result, and one per operand
/// element of each reduction; moving data counts nothing.
int64_t kernelFlops(mlir::func::FuncOp kernel);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_KERNELCOST_H
