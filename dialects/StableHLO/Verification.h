//===- Verification.h - checks that many ops share --------------*- C++ -*-===//
//
// Every check emits one error at the op with the values of both sides. Shapes
// are computed wide, so that no number in a text can overflow.
//
//===----------------------------------------------------------------------===//
#ifndef PARTOPT_DIALECTS_STABLEHLO_VERIFICATION_H
#define PARTOPT_DIALECTS_STABLEHLO_VERIFICATION_H

#include "dialects/StableHLO/StableHLOBase.h"

#include <string>

namespace partopt::stablehlo {

/// `[0, 1]`.
std::string listText(llvm::ArrayRef<int64_t> values);

/// The type of a tensor, of a value whose op has been checked to have one.
mlir::RankedTensorType tensorTypeOf(mlir::Value value);

/// `tensor<E>`: one element of \p type.
mlir::RankedTensorType scalarOf(mlir::Type type);

/// Dimensions within [0, \p rank), each at most once; \p name is that of the
/// list in the text.
mlir::LogicalResult verifyDimensions(mlir::Operation *op, llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> dims,
                                     int64_t rank);

/// Dimensions in ascending order.
mlir::LogicalResult verifyAscending(mlir::Operation *op, llvm::StringRef name,
                                    llvm::ArrayRef<int64_t> dims);

/// No dimension in both lists.
mlir::LogicalResult verifyDisjoint(mlir::Operation *op, llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> dims,
                                   llvm::StringRef otherName,
                                   llvm::ArrayRef<int64_t> otherDims);

/// One entry per dimension of the tensor \p what.
mlir::LogicalResult verifyLength(mlir::Operation *op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> list,
                                 llvm::StringRef what,
                                 mlir::RankedTensorType type);

/// \p what ("result", "init value 0") has the type \p expected.
mlir::LogicalResult verifyType(mlir::Operation *op, const llvm::Twine &what,
                               mlir::Type actual, mlir::Type expected);

/// As many types, and pairwise the same, as in \p expected.
mlir::LogicalResult verifyTypes(mlir::Operation *op, llvm::StringRef what,
                                mlir::TypeRange actual,
                                mlir::TypeRange expected);

/// The region \p name takes \p arguments and ends in a `stablehlo.return` of
/// \p results.
mlir::LogicalResult verifyRegion(mlir::Operation *op, mlir::Region &region,
                                 llvm::StringRef name,
                                 mlir::TypeRange arguments,
                                 mlir::TypeRange results);

/// Precisions are given for both operands or not at all.
mlir::LogicalResult verifyPrecision(mlir::Operation *op,
                                    std::optional<mlir::ArrayAttr> precision);

/// size + low + high + (size - 1) * interior; nothing if negative or too large.
std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high,
                                  int64_t interior);

/// The window of a reduction or a convolution as its attributes give it; an
/// absent list is all ones (paddings: zeros).
struct WindowAttributes {
  llvm::ArrayRef<int64_t> sizes;
  std::optional<llvm::ArrayRef<int64_t>> strides;
  std::optional<llvm::ArrayRef<int64_t>> baseDilations;
  std::optional<llvm::ArrayRef<int64_t>> windowDilations;
  std::optional<mlir::DenseIntElementsAttr> padding;
};

/// Checks \p window against the sizes \p base that it moves over and returns
/// the number of places per dimension.
mlir::FailureOr<llvm::SmallVector<int64_t>>
verifyWindow(mlir::Operation *op, llvm::ArrayRef<int64_t> base,
             const WindowAttributes &window);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_VERIFICATION_H
