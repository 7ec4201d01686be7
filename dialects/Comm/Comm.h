// The comm dialect's public header.

#ifndef PARTOPT_DIALECTS_COMM_COMM_H
#define PARTOPT_DIALECTS_COMM_COMM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Comm/CommDialect.h.inc"
#include "dialects/Comm/CommEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Comm/CommAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Comm/CommTypes.h.inc"

namespace partopt::comm {
/// The tensor type behind a collective's result: T for T and !comm.pending<T>.
mlir::RankedTensorType getValueType(mlir::Type type);
} // namespace partopt::comm

#include "dialects/Comm/CommInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Comm/CommOps.h.inc"

#endif // PARTOPT_DIALECTS_COMM_COMM_H
