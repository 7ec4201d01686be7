// The sdy dialect: meshes, shardings and the ops that carry them, compatible
// with Shardy's text. One header for users of the dialect.

#ifndef PARTOPT_DIALECTS_SDY_SDY_H
#define PARTOPT_DIALECTS_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <string>

#include "dialects/Sdy/SdyEnums.h.inc"

#include "dialects/Sdy/SdyDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Sdy/SdyAttrs.h.inc"

namespace partopt::sdy {

/// Names of the discardable attributes that the dialect gives a meaning.
inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";

/// Text of factor `index` of a rule: i to z, then z_1, z_2, ...
std::string factorSymbol(int64_t index);

namespace detail {
/// What all collectives check: a sharded operand, a valid `out_sharding`, the
/// same mesh on both sides.
mlir::LogicalResult verifyCollective(mlir::Operation *op);
} // namespace detail

} // namespace partopt::sdy

#include "dialects/Sdy/SdyInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Sdy/SdyOps.h.inc"

#endif
