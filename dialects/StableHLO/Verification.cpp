//===- Verification.cpp - checks that many ops share ----------------------===//
//
// One message per kind of mistake, so that all ops say it in the same words.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/Verification.h"
#include "dialects/StableHLO/ControlFlowOps.h"

using namespace mlir;
using namespace partopt::stablehlo;

/// Wide enough for a product of two 64-bit numbers and a few sums.
using Wide = __int128;

static std::optional<int64_t> narrow(Wide value) {
  if (value < 0 || value > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::string partopt::stablehlo::listText(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(values, stream);
  stream << ']';
  return text;
}

RankedTensorType partopt::stablehlo::tensorTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType partopt::stablehlo::scalarOf(Type type) {
  return RankedTensorType::get({}, getElementTypeOrSelf(type));
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// Operands, then results, compared with the first of them by \p key.
template <typename Key>
static LogicalResult verifySame(Operation *op, StringRef what, Key key) {
  SmallVector<std::pair<std::string, Type>> values;
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    values.emplace_back("operand #" + std::to_string(index), type);
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    values.emplace_back("result #" + std::to_string(index), type);
  for (const auto &[name, type] : llvm::drop_begin(values))
    if (key(type) != key(values.front().second))
      return op->emitOpError()
             << "needs the same " << what << " for all operands and results, "
             << "but " << values.front().first << " has type "
             << values.front().second << " and " << name << " has type "
             << type;
  return success();
}

LogicalResult partopt::stablehlo::detail::verifySameTypes(Operation *op) {
  return verifySame(op, "type", [](Type type) { return type; });
}

LogicalResult partopt::stablehlo::detail::verifySameShapes(Operation *op) {
  return verifySame(op, "shape", [](Type type) {
    return cast<RankedTensorType>(type).getShape();
  });
}

LogicalResult partopt::stablehlo::detail::verifySameElements(Operation *op) {
  return verifySame(op, "element type",
                    [](Type type) { return getElementTypeOrSelf(type); });
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

LogicalResult partopt::stablehlo::verifyDimensions(Operation *op,
                                                   StringRef name,
                                                   ArrayRef<int64_t> dims,
                                                   int64_t rank) {
  SmallVector<bool> seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError()
             << "dimension " << dim << " in " << name << " = " << listText(dims)
             << " is not below the rank " << rank;
    if (seen[dim])
      return op->emitOpError() << "dimension " << dim << " is twice in " << name
                               << " = " << listText(dims);
    seen[dim] = true;
  }
  return success();
}

LogicalResult partopt::stablehlo::verifyAscending(Operation *op, StringRef name,
                                                  ArrayRef<int64_t> dims) {
  if (!llvm::is_sorted(dims))
    return op->emitOpError()
           << name << " = " << listText(dims) << " must be in ascending order";
  return success();
}

LogicalResult partopt::stablehlo::verifyDisjoint(Operation *op, StringRef name,
                                                 ArrayRef<int64_t> dims,
                                                 StringRef otherName,
                                                 ArrayRef<int64_t> otherDims) {
  for (int64_t dim : dims)
    if (llvm::is_contained(otherDims, dim))
      return op->emitOpError() << "dimension " << dim << " is both in " << name
                               << " = " << listText(dims) << " and in "
                               << otherName << " = " << listText(otherDims);
  return success();
}

LogicalResult partopt::stablehlo::verifyLength(Operation *op, StringRef name,
                                               ArrayRef<int64_t> list,
                                               StringRef what,
                                               RankedTensorType type) {
  if (static_cast<int64_t>(list.size()) == type.getRank())
    return success();
  return op->emitOpError() << name << " = " << listText(list) << " has "
                           << list.size() << " entries, but the " << what << " "
                           << type << " has rank " << type.getRank();
}

//===----------------------------------------------------------------------===//
// Types and regions
//===----------------------------------------------------------------------===//

LogicalResult partopt::stablehlo::verifyType(Operation *op, const Twine &what,
                                             Type actual, Type expected) {
  if (actual == expected)
    return success();
  return op->emitOpError() << what << " must have type " << expected
                           << ", but has type " << actual;
}

LogicalResult partopt::stablehlo::verifyTypes(Operation *op, StringRef what,
                                              TypeRange actual,
                                              TypeRange expected) {
  if (actual == expected)
    return success();
  return op->emitOpError() << what << " must have types (" << expected
                           << "), but have types (" << actual << ")";
}

LogicalResult partopt::stablehlo::verifyRegion(Operation *op, Region &region,
                                               StringRef name,
                                               TypeRange arguments,
                                               TypeRange results) {
  Block &block = region.front();
  if (TypeRange(block.getArgumentTypes()) != arguments)
    return op->emitOpError()
           << "the arguments of region '" << name << "' must have types ("
           << arguments << "), but have types (" << block.getArgumentTypes()
           << ")";
  auto terminator =
      block.empty() ? ReturnOp() : dyn_cast<ReturnOp>(block.back());
  if (!terminator)
    return op->emitOpError()
           << "region '" << name << "' must end in a stablehlo.return";
  if (TypeRange(terminator.getOperandTypes()) == results)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "region '" << name << "' must return types ("
                            << results << "), but returns types ("
                            << terminator.getOperandTypes() << ")";
  diag.attachNote(terminator.getLoc()) << "it returns here";
  return diag;
}

LogicalResult
partopt::stablehlo::verifyPrecision(Operation *op,
                                    std::optional<ArrayAttr> precision) {
  if (!precision || precision->empty() || precision->size() == 2)
    return success();
  return op->emitOpError() << "precision has " << precision->size()
                           << " entries, but there are 2 operands";
}

//===----------------------------------------------------------------------===//
// Padding and windows
//===----------------------------------------------------------------------===//

std::optional<int64_t> partopt::stablehlo::paddedSize(int64_t size, int64_t low,
                                                      int64_t high,
                                                      int64_t interior) {
  Wide gaps = size == 0 ? 0 : Wide(size - 1) * interior;
  return narrow(Wide(size) + low + high + gaps);
}

/// One entry per dimension and all positive.
static LogicalResult verifyPositive(Operation *op, StringRef name,
                                    std::optional<ArrayRef<int64_t>> list,
                                    size_t rank) {
  if (!list)
    return success();
  if (list->size() != rank)
    return op->emitOpError()
           << name << " = " << listText(*list) << " has " << list->size()
           << " entries, but the window has rank " << rank;
  for (int64_t value : *list)
    if (value <= 0)
      return op->emitOpError()
             << name << " = " << listText(*list) << " must be positive";
  return success();
}

FailureOr<SmallVector<int64_t>>
partopt::stablehlo::verifyWindow(Operation *op, ArrayRef<int64_t> base,
                                 const WindowAttributes &window) {
  size_t rank = base.size();
  if (failed(verifyPositive(op, "window_dimensions", window.sizes, rank)) ||
      failed(verifyPositive(op, "window_strides", window.strides, rank)) ||
      failed(
          verifyPositive(op, "base_dilations", window.baseDilations, rank)) ||
      failed(
          verifyPositive(op, "window_dilations", window.windowDilations, rank)))
    return failure();
  if (window.padding) {
    ShapedType type = window.padding->getType();
    int64_t expected[] = {static_cast<int64_t>(rank), 2};
    if (type.getShape() != ArrayRef<int64_t>(expected))
      return op->emitOpError()
             << "padding must have shape " << listText(expected)
             << ", but has shape " << listText(type.getShape());
  }
  SmallVector<int64_t> places;
  for (size_t i = 0; i < rank; ++i) {
    auto entry = [i](std::optional<ArrayRef<int64_t>> list) {
      return list ? (*list)[i] : 1;
    };
    Wide low = 0, high = 0;
    if (window.padding) {
      low = window.padding->getValues<int64_t>()[2 * i];
      high = window.padding->getValues<int64_t>()[2 * i + 1];
    }
    Wide dilated =
        base[i] == 0 ? 0 : Wide(base[i] - 1) * entry(window.baseDilations) + 1;
    Wide size = Wide(window.sizes[i] - 1) * entry(window.windowDilations) + 1;
    Wide room = dilated + low + high - size;
    std::optional<int64_t> count =
        room < 0 ? 0 : narrow(room / entry(window.strides) + 1);
    if (!count)
      return op->emitOpError()
             << "window dimension " << i << " has more than 2^63 places";
    places.push_back(*count);
  }
  return places;
}
