//===- VerifyReductions.cpp - checks of ops with a scalar computation -----===//
//
// The region's signature follows from the operands' element types, the
// results' shapes from the dimensions or the window.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ReductionOps.h"
#include "dialects/StableHLO/Verification.h"

using namespace mlir;
using namespace partopt::stablehlo;

/// All inputs of one shape, each with an initial value of its element type.
static LogicalResult verifyInputs(Operation *op, OperandRange inputs,
                                  OperandRange inits) {
  if (inputs.empty())
    return op->emitOpError() << "needs one input or more";
  RankedTensorType first = tensorTypeOf(inputs.front());
  for (auto [index, input, init] : llvm::enumerate(inputs, inits)) {
    RankedTensorType type = tensorTypeOf(input);
    if (type.getShape() != first.getShape())
      return op->emitOpError()
             << "input " << index << " of type " << type
             << " must have the shape of input 0 of type " << first;
    if (failed(verifyType(op, "initial value " + Twine(index), init.getType(),
                          scalarOf(type))))
      return failure();
  }
  return success();
}

/// A region that takes a left, then a right value of every input.
static LogicalResult verifyReducer(Operation *op, Region &region,
                                   StringRef name, OperandRange inputs) {
  SmallVector<Type> scalars;
  for (Value input : inputs)
    scalars.push_back(scalarOf(input.getType()));
  SmallVector<Type> arguments(scalars);
  llvm::append_range(arguments, scalars);
  return verifyRegion(op, region, name, arguments, scalars);
}

/// One result per input, of its element type and of \p shape.
static LogicalResult verifyResults(Operation *op, OperandRange inputs,
                                   ArrayRef<int64_t> shape) {
  SmallVector<Type> expected;
  for (Value input : inputs)
    expected.push_back(tensorTypeOf(input).clone(shape));
  return verifyTypes(op, "results", op->getResultTypes(), expected);
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyInputs(*this, getInputs(), getInitValues())))
    return failure();
  RankedTensorType input = tensorTypeOf(getInputs().front());
  ArrayRef<int64_t> dims = getDimensions();
  if (failed(verifyDimensions(*this, "dimensions", dims, input.getRank())) ||
      failed(verifyReducer(*this, getBody(), "body", getInputs())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(dims, dim))
      shape.push_back(size);
  return verifyResults(*this, getInputs(), shape);
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(verifyInputs(*this, getInputs(), getInitValues())))
    return failure();
  FailureOr<SmallVector<int64_t>> shape =
      verifyWindow(*this, tensorTypeOf(getInputs().front()).getShape(),
                   {getWindowDimensions(), getWindowStrides(),
                    getBaseDilations(), getWindowDilations(), getPadding()});
  if (failed(shape) ||
      failed(verifyReducer(*this, getBody(), "body", getInputs())))
    return failure();
  return verifyResults(*this, getInputs(), *shape);
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType scalar = scalarOf(operand);
  if (failed(
          verifyType(*this, "initial value", getInitValue().getType(), scalar)))
    return failure();
  SmallVector<int64_t> ones(operand.getRank(), 1);
  FailureOr<SmallVector<int64_t>> shape =
      verifyWindow(*this, operand.getShape(),
                   {getWindowDimensions().value_or(ones), getWindowStrides(),
                    std::nullopt, std::nullopt, getPadding()});
  if (failed(shape) || failed(verifyType(*this, "source", getSource().getType(),
                                         operand.clone(*shape))))
    return failure();
  Type pred = scalar.clone(IntegerType::get(getContext(), 1));
  if (failed(
          verifyRegion(*this, getSelect(), "select", {scalar, scalar}, pred)) ||
      failed(verifyRegion(*this, getScatter(), "scatter", {scalar, scalar},
                          scalar)))
    return failure();
  return verifyType(*this, "result", getType(), operand);
}

LogicalResult SortOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs one input or more";
  RankedTensorType first = tensorTypeOf(getInputs().front());
  int64_t rank = first.getRank();
  int64_t dim = getDimension();
  if (dim < -rank || dim >= rank)
    return emitOpError() << "dimension = " << dim << " is not within [" << -rank
                         << ", " << rank << ") for inputs of type " << first;
  SmallVector<Type> arguments;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    if (tensorTypeOf(input).getShape() != first.getShape())
      return emitOpError() << "input " << index << " of type "
                           << input.getType()
                           << " must have the shape of input 0 of type "
                           << first;
    arguments.append(2, scalarOf(input.getType()));
  }
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(
          verifyRegion(*this, getComparator(), "comparator", arguments, pred)))
    return failure();
  return verifyTypes(*this, "results", getResultTypes(),
                     getInputs().getTypes());
}

LogicalResult MapOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs one input or more";
  int64_t rank = getType().getRank();
  if (!llvm::equal(getDimensions(), llvm::seq<int64_t>(0, rank)))
    return emitOpError() << "dimensions = " << listText(getDimensions())
                         << " must be all " << rank
                         << " dimensions in ascending order";
  SmallVector<Type> arguments;
  for (Value input : getInputs())
    arguments.push_back(scalarOf(input.getType()));
  return verifyRegion(*this, getComputation(), "computation", arguments,
                      TypeRange(Type(scalarOf(getType()))));
}
