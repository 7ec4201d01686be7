//===- IndexingOps.cpp - reading and writing parts of a tensor ----------===//
//
// Builders that compute the result's type; VerifyIndexing.cpp checks the ops.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/IndexingOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/IndexingOps.cpp.inc"

void StableHLODialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/IndexingOps.cpp.inc"
      >();
}

void SliceOp::build(OpBuilder &builder, OperationState &state, Value operand,
                    ArrayRef<int64_t> startIndices,
                    ArrayRef<int64_t> limitIndices, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> shape;
  for (auto [start, limit, stride] :
       llvm::zip_equal(startIndices, limitIndices, strides))
    shape.push_back((limit - start + stride - 1) / stride);
  auto type = cast<RankedTensorType>(operand.getType());
  build(builder, state, type.clone(shape), operand, startIndices, limitIndices,
        strides);
}
