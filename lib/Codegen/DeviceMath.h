// Functions for GPUs, where there is no libm.
#ifndef PARTOPT_LIB_CODEGEN_DEVICEMATH_H
#define PARTOPT_LIB_CODEGEN_DEVICEMATH_H

#include "mlir/IR/BuiltinOps.h"

namespace partopt::codegen {

/// Replaces functions of the math dialect that are not one instruction, calls
/// of libm and remainders with functions next to the kernels.
mlir::LogicalResult expandDeviceMath(mlir::ModuleOp module);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_DEVICEMATH_H
