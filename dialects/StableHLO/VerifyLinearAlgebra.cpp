//===- VerifyLinearAlgebra.cpp - checks of products, transforms, solvers --===//
//
// Each op's result shape follows from its operands and attributes; the check
// computes it and compares. Convolutions have their own file.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/LinearAlgebraOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

//===----------------------------------------------------------------------===//
// DotGeneralOp
//===----------------------------------------------------------------------===//

/// Paired dimensions of the two operands have the same size.
static LogicalResult verifyPairs(Operation *op, StringRef kind,
                                 RankedTensorType lhs,
                                 ArrayRef<int64_t> lhsDims,
                                 RankedTensorType rhs,
                                 ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return op->emitOpError()
           << kind << " = " << listText(lhsDims) << " x " << listText(rhsDims)
           << " must have as many dimensions on both sides";
  for (auto [left, right] : llvm::zip(lhsDims, rhsDims))
    if (lhs.getDimSize(left) != rhs.getDimSize(right))
      return op->emitOpError()
             << kind << " = " << listText(lhsDims) << " x " << listText(rhsDims)
             << " pairs dimension " << left << " of " << lhs
             << " with dimension " << right << " of " << rhs
             << ", which differ in size";
  return success();
}

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions(),
                    rhsBatching = numbers.getRhsBatchingDimensions(),
                    lhsContracting = numbers.getLhsContractingDimensions(),
                    rhsContracting = numbers.getRhsContractingDimensions();
  SmallVector<int64_t> lhsDims(lhsBatching), rhsDims(rhsBatching);
  llvm::append_range(lhsDims, lhsContracting);
  llvm::append_range(rhsDims, rhsContracting);
  if (failed(verifyDimensions(*this, "lhs batching and contracting dims",
                              lhsDims, lhs.getRank())) ||
      failed(verifyDimensions(*this, "rhs batching and contracting dims",
                              rhsDims, rhs.getRank())) ||
      failed(verifyPairs(*this, "batching_dims", lhs, lhsBatching, rhs,
                         rhsBatching)) ||
      failed(verifyPairs(*this, "contracting_dims", lhs, lhsContracting, rhs,
                         rhsContracting)) ||
      failed(verifyPrecision(*this, getPrecisionConfig())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : lhsBatching)
    shape.push_back(lhs.getDimSize(dim));
  for (auto [type, used] : {std::pair(lhs, ArrayRef<int64_t>(lhsDims)),
                            std::pair(rhs, ArrayRef<int64_t>(rhsDims))})
    for (int64_t dim : llvm::seq<int64_t>(0, type.getRank()))
      if (!llvm::is_contained(used, dim))
        shape.push_back(type.getDimSize(dim));
  return verifyType(*this, "result", getType(), getType().clone(shape));
}

//===----------------------------------------------------------------------===//
// Transforms and solvers
//===----------------------------------------------------------------------===//

/// The type that a transform of \p operand over the last dimensions gives.
static RankedTensorType fftResult(RankedTensorType operand, FftType kind,
                                  ArrayRef<int64_t> length) {
  SmallVector<int64_t> shape(operand.getShape());
  Type element = operand.getElementType();
  if (kind == FftType::RFFT) {
    shape.back() = length.back() == 0 ? 0 : length.back() / 2 + 1;
    element = ComplexType::get(element);
  } else if (kind == FftType::IRFFT) {
    shape.back() = length.back();
    element = cast<ComplexType>(element).getElementType();
  }
  return RankedTensorType::get(shape, element);
}

LogicalResult FftOp::verify() {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> length = getFftLength();
  FftType kind = getFftType();
  if (length.empty() || length.size() > 3 ||
      static_cast<int64_t>(length.size()) > operand.getRank())
    return emitOpError() << "length = " << listText(length)
                         << " must have 1 to 3 entries and at most as many as "
                            "the operand "
                         << operand << " has dimensions";
  bool wantsComplex = kind != FftType::RFFT;
  Type element = operand.getElementType();
  bool suits = wantsComplex ? isa<ComplexType>(element)
                            : isa<Float32Type, Float64Type>(element);
  if (!suits)
    return emitOpError() << stringifyFftType(kind) << " needs an operand of "
                         << (wantsComplex ? "complex" : "f32 or f64")
                         << " values, but got " << operand;
  for (auto [size, want] :
       llvm::zip(operand.getShape().take_back(length.size()), length)) {
    // The last dimension of an inverse real transform holds half of it.
    bool isHalf = kind == FftType::IRFFT && &want == &length.back();
    int64_t expected = isHalf && want != 0 ? want / 2 + 1 : want;
    if (size != expected)
      return emitOpError() << "length = " << listText(length)
                           << " needs a dimension of size " << expected
                           << ", but the operand is " << operand;
  }
  return verifyType(*this, "result", getType(),
                    fftResult(operand, kind, length));
}

/// The last two dimensions are those of a square matrix.
static LogicalResult verifySquare(Operation *op, RankedTensorType type) {
  int64_t rank = type.getRank();
  if (rank >= 2 && type.getDimSize(rank - 1) == type.getDimSize(rank - 2))
    return success();
  return op->emitOpError() << "needs square matrices in the last two "
                              "dimensions of a, but got "
                           << type;
}

LogicalResult CholeskyOp::verify() {
  return verifySquare(*this, getA().getType());
}

LogicalResult TriangularSolveOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType();
  if (failed(verifySquare(*this, a)))
    return failure();
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOpError() << "transpose_a must be NO_TRANSPOSE, TRANSPOSE or "
                            "ADJOINT, but is TRANSPOSE_INVALID";
  bool suits = a.getRank() == b.getRank() &&
               a.getShape().drop_back(2) == b.getShape().drop_back(2) &&
               a.getShape().back() ==
                   b.getShape()[b.getRank() - (getLeftSide() ? 2 : 1)];
  if (!suits)
    return emitOpError() << "a of type " << a << " and b of type " << b
                         << " do not fit with left_side = "
                         << (getLeftSide() ? "true" : "false");
  return verifyType(*this, "result", getType(), b);
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

LogicalResult RngOp::verify() {
  RankedTensorType result = getType();
  if (failed(verifyType(*this, "a", getA().getType(), scalarOf(result))) ||
      failed(verifyType(*this, "b", getB().getType(), scalarOf(result))))
    return failure();
  RankedTensorType shape = getShape().getType();
  if (shape.getRank() != 1 || shape.getDimSize(0) != result.getRank())
    return emitOpError() << "shape of type " << shape
                         << " must have one entry for each of the "
                         << result.getRank() << " dimensions of " << result;
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  RankedTensorType state = getInitialState().getType();
  bool isThreefry = getRngAlgorithm() == RngAlgorithm::THREE_FRY;
  if (state.getRank() != 1 || !state.getElementType().isUnsignedInteger(64) ||
      (state.getDimSize(0) != 2 && (isThreefry || state.getDimSize(0) != 3)))
    return emitOpError() << "initial_state must have type tensor<2xui64>"
                         << (isThreefry ? "" : " or tensor<3xui64>")
                         << ", but has type " << state;
  Type element = getOutput().getType().getElementType();
  if (isa<ComplexType>(element) || element.isInteger(1))
    return emitOpError() << "output must be of integers of 2 bits or more or "
                            "of floats, but has type "
                         << getOutput().getType();
  return verifyType(*this, "output_state", getOutputState().getType(),
                    getInitialState().getType());
}
