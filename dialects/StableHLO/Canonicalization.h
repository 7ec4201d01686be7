//===- Canonicalization.h - what folders share ------------------*- C++ -*-===//
//
// Only splats are folded, so folding a constant costs nothing; and only what
// is exact, so a folded program computes the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_CANONICALIZATION_H
#define PARTOPT_DIALECTS_STABLEHLO_CANONICALIZATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace partopt::stablehlo {

/// True if \p op carries an attribute that does not belong to it (a sharding,
/// a hint); such an op stays, since its replacement would lose it.
inline bool isAnnotated(mlir::Operation *op) {
  return op && !op->getDiscardableAttrs().empty();
}

/// The splat constant that \p value is, or none.
inline mlir::DenseElementsAttr splatOf(mlir::Attribute value) {
  auto elements = llvm::dyn_cast_if_present<mlir::DenseElementsAttr>(value);
  return elements && elements.isSplat() ? elements : mlir::DenseElementsAttr();
}

/// The splat \p value with the shape of \p type, or none if it is no splat.
inline mlir::DenseElementsAttr splatLike(mlir::Attribute value,
                                         mlir::RankedTensorType type) {
  mlir::DenseElementsAttr splat = splatOf(value);
  return splat ? splat.resizeSplat(type) : splat;
}

/// True for a splat of the integer \p number; for an i1 of `number & 1`.
bool isIntSplat(mlir::Attribute value, int64_t number);

/// True for a splat of exactly the float \p number, sign of zero included.
bool isFloatSplat(mlir::Attribute value, double number);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_CANONICALIZATION_H
