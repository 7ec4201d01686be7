//===- VerifyCollectives.cpp - checks of exchanges between devices --------===//
//
// Shapes depend on the number of devices in a group; all groups are rows of
// one table and so have the same size.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/CollectiveOps.h"
#include "dialects/StableHLO/Verification.h"

#include <set>

using namespace mlir;
using namespace partopt::stablehlo;

/// Checks the table of groups and returns the size of a group.
static FailureOr<int64_t> verifyGroups(Operation *op,
                                       DenseIntElementsAttr groups) {
  ShapedType type = groups.getType();
  if (type.getRank() != 2 || type.getDimSize(1) == 0)
    return op->emitOpError()
           << "replica_groups must be a table with one row for each group, "
              "but has type "
           << type;
  std::set<int64_t> seen;
  for (int64_t device : groups.getValues<int64_t>()) {
    if (device < 0)
      return op->emitOpError() << "replica_groups hold the device " << device
                               << "; groups must have the same size and no "
                                  "negative entries";
    if (!seen.insert(device).second)
      return op->emitOpError()
             << "device " << device << " is twice in replica_groups";
  }
  return type.getDimSize(1);
}

/// A reduction of two values of the operand's element type.
static LogicalResult verifyComputation(Operation *op, Region &region,
                                       Type operand) {
  Type scalar = scalarOf(operand);
  return verifyRegion(op, region, "computation", {scalar, scalar}, scalar);
}

static LogicalResult verifyDim(Operation *op, StringRef name, int64_t dim,
                               RankedTensorType type) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError() << name << " = " << dim << " is not below the rank "
                           << type.getRank() << " of " << type;
}

/// \p type with dimension \p dim multiplied by \p factor; nothing if too large.
static std::optional<RankedTensorType> grow(RankedTensorType type, int64_t dim,
                                            int64_t factor) {
  SmallVector<int64_t> shape(type.getShape());
  if (llvm::MulOverflow(shape[dim], factor, shape[dim]))
    return std::nullopt;
  return type.clone(shape);
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyGroups(*this, getReplicaGroups())))
    return failure();
  if (getOperands().empty())
    return emitOpError() << "needs one operand or more";
  for (Value operand : getOperands())
    if (failed(verifyComputation(*this, getComputation(), operand.getType())))
      return failure();
  return verifyTypes(*this, "results", getResultTypes(), getOperandTypes());
}

LogicalResult AllGatherOp::verify() {
  FailureOr<int64_t> size = verifyGroups(*this, getReplicaGroups());
  if (failed(size))
    return failure();
  SmallVector<Type> expected;
  for (Value operand : getOperands()) {
    RankedTensorType type = tensorTypeOf(operand);
    if (failed(verifyDim(*this, "all_gather_dim", getAllGatherDim(), type)))
      return failure();
    expected.push_back(grow(type, getAllGatherDim(), *size).value_or(type));
  }
  return verifyTypes(*this, "results", getResultTypes(), expected);
}

LogicalResult ReduceScatterOp::verify() {
  FailureOr<int64_t> size = verifyGroups(*this, getReplicaGroups());
  RankedTensorType operand = getOperand().getType();
  int64_t dim = getScatterDimension();
  if (failed(size) ||
      failed(verifyDim(*this, "scatter_dimension", dim, operand)) ||
      failed(verifyComputation(*this, getComputation(), operand)))
    return failure();
  if (operand.getDimSize(dim) % *size != 0)
    return emitOpError() << "dimension " << dim << " of " << operand
                         << " is not a multiple of the group size " << *size;
  SmallVector<int64_t> shape(operand.getShape());
  shape[dim] /= *size;
  return verifyType(*this, "result", getType(), operand.clone(shape));
}

LogicalResult AllToAllOp::verify() {
  FailureOr<int64_t> size = verifyGroups(*this, getReplicaGroups());
  if (failed(size))
    return failure();
  int64_t count = getSplitCount();
  if (count != *size)
    return emitOpError() << "split_count = " << count
                         << " must equal the group size " << *size;
  SmallVector<Type> expected;
  for (Value operand : getOperands()) {
    RankedTensorType type = tensorTypeOf(operand);
    int64_t split = getSplitDimension(), concat = getConcatDimension();
    if (failed(verifyDim(*this, "split_dimension", split, type)) ||
        failed(verifyDim(*this, "concat_dimension", concat, type)))
      return failure();
    if (type.getDimSize(split) % count != 0)
      return emitOpError() << "dimension " << split << " of " << type
                           << " is not a multiple of split_count = " << count;
    SmallVector<int64_t> shape(type.getShape());
    shape[split] /= count;
    expected.push_back(grow(type.clone(shape), concat, count).value_or(type));
  }
  return verifyTypes(*this, "results", getResultTypes(), expected);
}

LogicalResult CollectivePermuteOp::verify() {
  DenseIntElementsAttr pairs = getSourceTargetPairs();
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return emitOpError() << "source_target_pairs must be a table of pairs, but "
                            "has type "
                         << type;
  std::set<int64_t> seen[2];
  for (auto [index, device] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (device < 0)
      return emitOpError() << "source_target_pairs hold the device " << device
                           << ", which is negative";
    if (!seen[index % 2].insert(device).second)
      return emitOpError() << "device " << device << " is twice a "
                           << (index % 2 == 0 ? "source" : "target")
                           << " in source_target_pairs";
  }
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  return verifyGroups(*this, getReplicaGroups());
}
