//===- StableHLOBase.h - dialect, traits, types and attributes --*- C++ -*-===//
//
// What every family of stablehlo and chlo ops builds on: the dialect, the
// trait `Elementwise`, the predicates of accepted tensors, enumerations and
// structured attributes.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_STABLEHLOBASE_H
#define PARTOPT_DIALECTS_STABLEHLO_STABLEHLOBASE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHLO/StableHLODialect.h.inc"

#include "dialects/StableHLO/StableHLOEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.h.inc"

namespace partopt::stablehlo {

/// Result element [i] of an op depends on element [i] of every operand only.
/// An operand of rank 0 beside results of a higher rank (the predicate of
/// `select`, the bounds of `clamp`) stands for its splat.
template <typename ConcreteOp>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteOp, Elementwise> {};

/// See HLO_Costly.
template <typename ConcreteOp>
class Costly : public mlir::OpTrait::TraitBase<ConcreteOp, Costly> {};

namespace detail {
mlir::LogicalResult verifySameTypes(mlir::Operation *op);
mlir::LogicalResult verifySameShapes(mlir::Operation *op);
mlir::LogicalResult verifySameElements(mlir::Operation *op);
} // namespace detail

/// Checks with a message that quotes the two types which differ; MLIR's traits
/// of the same meaning stand beside these for builders and interfaces.
template <typename ConcreteOp>
class SameTypes : public mlir::OpTrait::TraitBase<ConcreteOp, SameTypes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameTypes(op);
  }
};
template <typename ConcreteOp>
class SameShapes : public mlir::OpTrait::TraitBase<ConcreteOp, SameShapes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameShapes(op);
  }
};
template <typename ConcreteOp>
class SameElements : public mlir::OpTrait::TraitBase<ConcreteOp, SameElements> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifySameElements(op);
  }
};

/// True if \p type can be the element type of a model's tensor: i1, integers of
/// 2, 4, 8, 16, 32 or 64 bits with or without sign, f64, f32, f16, bf16, the
/// f8 types, complex<f32> and complex<f64>.
bool isElementType(mlir::Type type);

/// The predicates of op operands: a ranked, statically shaped tensor without
/// encoding, of less than 2^60 elements of the named kind. `i1` is Pred and not
/// Int.
bool isTensor(mlir::Type type);
bool isPredTensor(mlir::Type type);
bool isIntTensor(mlir::Type type);
bool isPredOrIntTensor(mlir::Type type);
bool isFpTensor(mlir::Type type);
bool isComplexTensor(mlir::Type type);
bool isFpOrComplexTensor(mlir::Type type);
bool isIntFpOrComplexTensor(mlir::Type type);
bool isScalarIntTensor(mlir::Type type);
bool isScalarPredTensor(mlir::Type type);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_STABLEHLOBASE_H
