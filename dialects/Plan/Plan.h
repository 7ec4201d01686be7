//===- Plan.h - The plan dialect -------------------------------*- C++ -*-===//
//
// A static program for one class of ranks, one to one with the plan file.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_DIALECTS_PLAN_PLAN_H
#define PARTOPT_DIALECTS_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Plan/PlanDialect.h.inc"
#include "dialects/Plan/PlanEnums.h.inc"
#include "dialects/Plan/PlanInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

namespace partopt::planir {

/// Every offset in the resident region and in the arena is a multiple of this.
inline constexpr int64_t kBufferAlignment = 64;

/// On every instruction that computes and on the return: the values of the
/// program before memory was assigned (any numbers, argument i has i) that its
/// inputs and outputs are, one per buffer.
inline constexpr llvm::StringLiteral kValuesAttr = "partopt.values";
/// Of a launch, for cost models: plan::Instruction's contractions, functions,
/// bytes and shuffled.
inline constexpr llvm::StringLiteral kWorkAttr = "partopt.work";

/// Bytes that one element of `type` takes in a buffer (i1 and sub-byte integers
/// take one), or 0 when buffers cannot hold `type`.
int64_t storageBytes(mlir::Type type);

} // namespace partopt::planir

#endif // PARTOPT_DIALECTS_PLAN_PLAN_H
