//===- VerifyIndexing.cpp - checks of slices, gather and scatter ----------===//
//
// A gather and a scatter are the same table of places read or written, so they
// share the checks of their dimension numbers.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/IndexingOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> starts = getStartIndices(), limits = getLimitIndices(),
                    strides = getStrides();
  if (failed(
          verifyLength(*this, "start_indices", starts, "operand", operand)) ||
      failed(
          verifyLength(*this, "limit_indices", limits, "operand", operand)) ||
      failed(verifyLength(*this, "strides", strides, "operand", operand)))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(operand.getShape())) {
    int64_t start = starts[dim], limit = limits[dim], stride = strides[dim];
    if (start < 0 || start > limit || limit > size)
      return emitOpError() << "range " << start << ":" << limit
                           << " of dimension " << dim
                           << " must be ascending and within its size " << size;
    if (stride <= 0)
      return emitOpError() << "stride " << stride << " of dimension " << dim
                           << " must be positive";
    shape.push_back(start == limit ? 0 : (limit - start - 1) / stride + 1);
  }
  return verifyType(*this, "result", getType(), operand.clone(shape));
}

/// One start index per dimension of the operand, all of one type.
static LogicalResult verifyStartIndices(Operation *op, OperandRange indices,
                                        RankedTensorType operand) {
  if (static_cast<int64_t>(indices.size()) != operand.getRank())
    return op->emitOpError()
           << "has " << indices.size() << " start indices, but the operand "
           << operand << " has rank " << operand.getRank();
  for (Value index : indices)
    if (index.getType() != indices.front().getType())
      return op->emitOpError()
             << "needs the same type for all start indices, but got "
             << indices.front().getType() << " and " << index.getType();
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> sizes = getSliceSizes();
  if (failed(verifyStartIndices(*this, getStartIndices(), operand)) ||
      failed(verifyLength(*this, "sizes", sizes, "operand", operand)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size < 0 || size > operand.getDimSize(dim))
      return emitOpError() << "size " << size << " of dimension " << dim
                           << " must be within its size "
                           << operand.getDimSize(dim);
  return verifyType(*this, "result", getType(), operand.clone(sizes));
}

LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType update = getUpdate().getType();
  if (failed(verifyStartIndices(*this, getStartIndices(), operand)))
    return failure();
  bool fits = update.getRank() == operand.getRank() &&
              update.getElementType() == operand.getElementType() &&
              llvm::all_of(llvm::zip(update.getShape(), operand.getShape()),
                           [](auto sizes) {
                             return std::get<0>(sizes) <= std::get<1>(sizes);
                           });
  if (!fits)
    return emitOpError() << "update of type " << update
                         << " does not fit into the operand of type "
                         << operand;
  return verifyType(*this, "result", getType(), operand);
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

namespace {
/// The dimension numbers that a gather and a scatter have in common, with
/// their names in the text.
struct IndexTable {
  RankedTensorType operand, indices;
  /// Operand dimensions of which one place is taken and no dimension is left.
  ArrayRef<int64_t> collapsed;
  StringRef collapsedName;
  ArrayRef<int64_t> operandBatching;
  StringRef operandBatchingName;
  ArrayRef<int64_t> indicesBatching;
  StringRef indicesBatchingName;
  /// Operand dimension of each component of an index.
  ArrayRef<int64_t> map;
  StringRef mapName;
  int64_t indexVectorDim;
  /// Dimensions of the slices in the result (gather) or updates (scatter).
  ArrayRef<int64_t> window;
  StringRef windowName;
};
} // namespace

/// The index vector's dimension and the map from its components.
static LogicalResult verifyIndexVector(Operation *op, const IndexTable &table) {
  int64_t rank = table.indices.getRank();
  if (table.indexVectorDim < 0 || table.indexVectorDim > rank)
    return op->emitOpError() << "index_vector_dim = " << table.indexVectorDim
                             << " is not within [0, " << rank
                             << "] for the indices " << table.indices;
  int64_t components = table.indexVectorDim == rank
                           ? 1
                           : table.indices.getDimSize(table.indexVectorDim);
  if (static_cast<int64_t>(table.map.size()) != components)
    return op->emitOpError()
           << table.mapName << " = " << listText(table.map) << " has "
           << table.map.size() << " entries, but an index has " << components
           << " components (dimension " << table.indexVectorDim << " of "
           << table.indices << ")";
  return verifyDimensions(op, table.mapName, table.map,
                          table.operand.getRank());
}

/// Batching dimensions pair up between operand and indices.
static LogicalResult verifyBatching(Operation *op, const IndexTable &table) {
  if (failed(verifyDimensions(op, table.operandBatchingName,
                              table.operandBatching,
                              table.operand.getRank())) ||
      failed(verifyAscending(op, table.operandBatchingName,
                             table.operandBatching)) ||
      failed(verifyDimensions(op, table.indicesBatchingName,
                              table.indicesBatching, table.indices.getRank())))
    return failure();
  if (table.operandBatching.size() != table.indicesBatching.size())
    return op->emitOpError()
           << table.operandBatchingName << " = "
           << listText(table.operandBatching) << " and "
           << table.indicesBatchingName << " = "
           << listText(table.indicesBatching) << " must have as many entries";
  if (llvm::is_contained(table.indicesBatching, table.indexVectorDim))
    return op->emitOpError()
           << table.indicesBatchingName << " = "
           << listText(table.indicesBatching)
           << " must not hold index_vector_dim = " << table.indexVectorDim;
  for (auto [to, from] :
       llvm::zip(table.operandBatching, table.indicesBatching))
    if (table.operand.getDimSize(to) != table.indices.getDimSize(from))
      return op->emitOpError()
             << "batching dimension " << to << " of the operand "
             << table.operand << " and " << from << " of the indices "
             << table.indices << " must have the same size";
  return success();
}

static LogicalResult verifyTable(Operation *op, const IndexTable &table) {
  if (failed(verifyIndexVector(op, table)) ||
      failed(verifyDimensions(op, table.collapsedName, table.collapsed,
                              table.operand.getRank())) ||
      failed(verifyAscending(op, table.collapsedName, table.collapsed)) ||
      failed(verifyBatching(op, table)) ||
      failed(verifyDisjoint(op, table.collapsedName, table.collapsed,
                            table.operandBatchingName,
                            table.operandBatching)) ||
      failed(verifyDisjoint(op, table.mapName, table.map,
                            table.operandBatchingName,
                            table.operandBatching)) ||
      failed(verifyAscending(op, table.windowName, table.window)))
    return failure();
  int64_t dims = table.window.size() + table.collapsed.size() +
                 table.operandBatching.size();
  if (dims != table.operand.getRank())
    return op->emitOpError()
           << table.windowName << " = " << listText(table.window) << ", "
           << table.collapsedName << " = " << listText(table.collapsed)
           << " and " << table.operandBatchingName << " = "
           << listText(table.operandBatching)
           << " must have one entry for each dimension of the operand "
           << table.operand;
  return success();
}

/// The shape that has \p windowSizes at the dimensions \p window and the
/// indices' dimensions, except that of the index vector, in the others.
static FailureOr<SmallVector<int64_t>>
mergeShape(Operation *op, const IndexTable &table,
           ArrayRef<int64_t> windowSizes) {
  SmallVector<int64_t> batch(table.indices.getShape());
  if (table.indexVectorDim < table.indices.getRank())
    batch.erase(batch.begin() + table.indexVectorDim);
  int64_t rank = batch.size() + windowSizes.size();
  if (failed(verifyDimensions(op, table.windowName, table.window, rank)))
    return failure();
  SmallVector<int64_t> shape;
  const int64_t *nextBatch = batch.begin(), *nextWindow = windowSizes.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(llvm::is_contained(table.window, dim) ? *nextWindow++
                                                          : *nextBatch++);
  return shape;
}

LogicalResult GatherOp::verify() {
  GatherDimensionNumbersAttr numbers = getDimensionNumbers();
  RankedTensorType operand = getOperand().getType();
  IndexTable table{operand,
                   getStartIndices().getType(),
                   numbers.getCollapsedSliceDims(),
                   "collapsed_slice_dims",
                   numbers.getOperandBatchingDims(),
                   "operand_batching_dims",
                   numbers.getStartIndicesBatchingDims(),
                   "start_indices_batching_dims",
                   numbers.getStartIndexMap(),
                   "start_index_map",
                   numbers.getIndexVectorDim(),
                   numbers.getOffsetDims(),
                   "offset_dims"};
  ArrayRef<int64_t> sizes = getSliceSizes();
  if (failed(verifyTable(*this, table)) ||
      failed(verifyLength(*this, "slice_sizes", sizes, "operand", operand)))
    return failure();
  SmallVector<int64_t> windowSizes;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool isLeft = !llvm::is_contained(table.collapsed, dim) &&
                  !llvm::is_contained(table.operandBatching, dim);
    int64_t limit = isLeft ? operand.getDimSize(dim)
                           : std::min<int64_t>(1, operand.getDimSize(dim));
    if (size < 0 || size > limit)
      return emitOpError() << "slice size " << size << " of dimension " << dim
                           << " of " << operand << " must be at most " << limit;
    if (isLeft)
      windowSizes.push_back(size);
  }
  FailureOr<SmallVector<int64_t>> shape = mergeShape(*this, table, windowSizes);
  if (failed(shape))
    return failure();
  return verifyType(*this, "result", getType(), operand.clone(*shape));
}

/// The updates' shapes and element types against the inputs.
static LogicalResult verifyUpdates(ScatterOp op, const IndexTable &table) {
  SmallVector<int64_t> limits;
  for (auto [dim, size] : llvm::enumerate(table.operand.getShape()))
    if (!llvm::is_contained(table.collapsed, dim) &&
        !llvm::is_contained(table.operandBatching, dim))
      limits.push_back(size);
  for (auto [index, input, update] :
       llvm::enumerate(op.getInputs(), op.getUpdates())) {
    RankedTensorType type = tensorTypeOf(update);
    RankedTensorType inputType = tensorTypeOf(input);
    if (inputType.getShape() != table.operand.getShape())
      return op->emitOpError()
             << "input " << index << " of type " << inputType
             << " must have the shape of input 0 of type " << table.operand;
    if (failed(verifyDimensions(op, table.windowName, table.window,
                                type.getRank())))
      return failure();
    SmallVector<int64_t> windowSizes;
    for (auto [dim, limit] : llvm::zip(table.window, limits)) {
      windowSizes.push_back(type.getDimSize(dim));
      if (windowSizes.back() > limit)
        return op->emitOpError()
               << "dimension " << dim << " of the updates " << type
               << " must be at most " << limit << " to fit into " << inputType;
    }
    FailureOr<SmallVector<int64_t>> shape = mergeShape(op, table, windowSizes);
    if (failed(shape) || failed(verifyType(op, "update " + Twine(index), type,
                                           inputType.clone(*shape))))
      return failure();
  }
  return success();
}

LogicalResult ScatterOp::verify() {
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  if (getInputs().empty())
    return emitOpError() << "needs one input or more";
  IndexTable table{tensorTypeOf(getInputs().front()),
                   getScatterIndices().getType(),
                   numbers.getInsertedWindowDims(),
                   "inserted_window_dims",
                   numbers.getInputBatchingDims(),
                   "input_batching_dims",
                   numbers.getScatterIndicesBatchingDims(),
                   "scatter_indices_batching_dims",
                   numbers.getScatterDimsToOperandDims(),
                   "scatter_dims_to_operand_dims",
                   numbers.getIndexVectorDim(),
                   numbers.getUpdateWindowDims(),
                   "update_window_dims"};
  if (failed(verifyTable(*this, table)) || failed(verifyUpdates(*this, table)))
    return failure();
  SmallVector<Type> scalars;
  for (Value input : getInputs())
    scalars.push_back(scalarOf(input.getType()));
  SmallVector<Type> arguments(scalars);
  llvm::append_range(arguments, scalars);
  if (failed(verifyRegion(*this, getUpdateComputation(), "update_computation",
                          arguments, scalars)))
    return failure();
  return verifyTypes(*this, "results", getResultTypes(),
                     getInputs().getTypes());
}
