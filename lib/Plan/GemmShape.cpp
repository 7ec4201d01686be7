//===- GemmShape.cpp - A matrix product in BLAS form ----------------------===//
//
// See GemmShape.h.
//
//===----------------------------------------------------------------------===//

#include "GemmShape.h"

using namespace mlir;
using namespace partopt;

FailureOr<GemmShape> partopt::gemmShape(stablehlo::DotGeneralOp op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto dims = op.getDotDimensionNumbers();
  int64_t batching = dims.getLhsBatchingDimensions().size();
  auto isFirst = [](ArrayRef<int64_t> list) {
    return list.empty() || (list.size() == 1 && list[0] == 0);
  };
  Type element = result.getElementType();
  bool blas = (element.isF32() || element.isF64()) &&
              lhs.getElementType() == element &&
              rhs.getElementType() == element && batching <= 1 &&
              isFirst(dims.getLhsBatchingDimensions()) &&
              isFirst(dims.getRhsBatchingDimensions()) &&
              dims.getLhsContractingDimensions().size() == 1 &&
              lhs.getRank() == batching + 2 && rhs.getRank() == batching + 2;
  if (!blas)
    return op.emitOpError()
           << "is not in BLAS form (f32 or f64 matrices with at most one "
              "leading batch dimension and one contracting dimension): "
           << lhs << " x " << rhs << " -> " << result;
  GemmShape shape;
  shape.transA = dims.getLhsContractingDimensions()[0] == batching;
  shape.transB = dims.getRhsContractingDimensions()[0] == batching + 1;
  shape.batch = batching ? lhs.getDimSize(0) : 1;
  shape.m = lhs.getDimSize(batching + (shape.transA ? 1 : 0));
  shape.k = lhs.getDimSize(batching + (shape.transA ? 0 : 1));
  shape.n = rhs.getDimSize(batching + (shape.transB ? 0 : 1));
  shape.lda = lhs.getShape().back();
  shape.ldb = rhs.getShape().back();
  return shape;
}
