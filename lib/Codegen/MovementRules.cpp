// Ops that only move elements: each is a map from result coordinates to operand
// coordinates. Padding and concatenation ask for their loop to be split, so
// that no condition is left inside.
#include "ElementwiseRules.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// The length of the longest prefix on which `same` holds.
template <typename Fn> int64_t leading(int64_t limit, Fn same) {
  int64_t p = 0;
  while (p < limit && same(p))
    ++p;
  return p;
}

ArrayRef<int64_t> shapeOf(Value value) { return tensorOf(value).getShape(); }

//===----------------------------------------------------------------------===//
// constant, iota
//===----------------------------------------------------------------------===//

Value constantElement(ElementScope &scope, Operation *op, ArrayRef<Index>) {
  DenseElementsAttr value = constantOf(op);
  return computeConstant(scope.builder, scope.loc, value.getElementType(),
                         value.getSplatValue<Attribute>());
}

Value iotaElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto iota = cast<IotaOp>(op);
  OpBuilder &b = scope.builder;
  Type element = tensorOf(iota.getOutput()).getElementType();
  Type type = computeType(element);
  Value index = scope.materialize(at[iota.getIotaDimension()]);
  if (isa<IntegerType>(type))
    return b.create<arith::IndexCastOp>(scope.loc, type, index);
  auto complex = dyn_cast<ComplexType>(type);
  if (complex)
    type = complex.getElementType();
  // 32 bits convert in vector registers; longer dimensions need 64.
  int64_t size = shapeOf(iota.getOutput())[iota.getIotaDimension()];
  Type integer = size < (int64_t(1) << 31) ? b.getI32Type() : b.getI64Type();
  Value whole = b.create<arith::IndexCastOp>(scope.loc, integer, index);
  Value number = b.create<arith::SIToFPOp>(scope.loc, type, whole);
  if (complex)
    return joinParts(b, scope.loc, number, zeroScalar(b, scope.loc, type));
  return roundToElement(b, scope.loc, element, number);
}

//===----------------------------------------------------------------------===//
// broadcast_in_dim, transpose, reverse, slice
//===----------------------------------------------------------------------===//

Value broadcastElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto broadcast = cast<BroadcastInDimOp>(op);
  IndexVector from;
  for (auto [dim, size] : llvm::zip(broadcast.getBroadcastDimensions(),
                                    shapeOf(broadcast.getOperand())))
    from.push_back(size == 1 ? Index::constant(0) : at[dim]);
  return scope.element(broadcast.getOperand(), from);
}

int64_t broadcastPrefix(Operation *op, unsigned) {
  auto broadcast = cast<BroadcastInDimOp>(op);
  ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
  return leading(dims.size(), [&](int64_t i) {
    return dims[i] == i && shapeOf(broadcast.getOperand())[i] ==
                               shapeOf(broadcast.getResult())[i];
  });
}

Value transposeElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto transpose = cast<TransposeOp>(op);
  IndexVector from(at.size());
  for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
    from[dim] = at[i];
  return scope.element(transpose.getOperand(), from);
}

int64_t transposePrefix(Operation *op, unsigned) {
  ArrayRef<int64_t> dims = cast<TransposeOp>(op).getPermutation();
  return leading(dims.size(), [&](int64_t i) { return dims[i] == i; });
}

Value reverseElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto reverse = cast<ReverseOp>(op);
  IndexVector from(at);
  for (int64_t dim : reverse.getDimensions()) {
    int64_t last = shapeOf(reverse.getOperand())[dim] - 1;
    from[dim] = scope.scaled(at[dim], -1).plus(last);
  }
  return scope.element(reverse.getOperand(), from);
}

int64_t reversePrefix(Operation *op, unsigned) {
  auto reverse = cast<ReverseOp>(op);
  return leading(tensorOf(reverse.getOperand()).getRank(), [&](int64_t i) {
    return !llvm::is_contained(reverse.getDimensions(), i);
  });
}

Value sliceElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto slice = cast<SliceOp>(op);
  IndexVector from;
  for (auto [index, start, stride] :
       llvm::zip(at, slice.getStartIndices(), slice.getStrides()))
    from.push_back(scope.scaled(index, stride).plus(start));
  return scope.element(slice.getOperand(), from);
}

int64_t slicePrefix(Operation *op, unsigned) {
  auto slice = cast<SliceOp>(op);
  return leading(slice.getStrides().size(), [&](int64_t i) {
    return shapeOf(slice.getResult())[i] == shapeOf(slice.getOperand())[i];
  });
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

/// Coordinates of a run of dimensions `to` for the row-major position of
/// `from`'s run.
void relayout(ElementScope &scope, ArrayRef<Index> at, ArrayRef<int64_t> from,
              ArrayRef<int64_t> to, IndexVector &out) {
  auto isUnit = [](int64_t size) { return size == 1; };
  Index position = Index::constant(0);
  for (auto [index, size] : llvm::zip(at, from))
    if (!isUnit(size))
      position = scope.sum(scope.scaled(position, size), index);
  OpBuilder &b = scope.builder;
  size_t begin = out.size();
  out.append(to.size(), Index::constant(0));
  bool isOuter = true;
  for (size_t i = to.size(); i-- > 0;) {
    if (isUnit(to[i]))
      continue;
    isOuter = llvm::all_of(to.take_front(i), isUnit);
    if (isOuter) {
      out[begin + i] = position;
      return;
    }
    Value value = scope.materialize(position);
    Value size = scope.indexConstant(to[i]);
    Value rest = b.create<arith::RemUIOp>(scope.loc, value, size);
    out[begin + i] = scope.opaque(rest, 0, to[i] - 1);
    Value quotient = b.create<arith::DivUIOp>(scope.loc, value, size);
    position =
        scope.opaque(quotient, position.low / to[i], position.high / to[i]);
  }
}

Value reshapeElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto reshape = cast<ReshapeOp>(op);
  ArrayRef<int64_t> from = shapeOf(reshape.getResult());
  ArrayRef<int64_t> to = shapeOf(reshape.getOperand());
  IndexVector out;
  if (tensorOf(reshape.getResult()).getNumElements() == 0) {
    out.assign(to.size(), Index::constant(0));
    return scope.element(reshape.getOperand(), out);
  }
  // Cut both shapes into the shortest runs with equal products.
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t iBegin = i, jBegin = j;
    int64_t a = i < from.size() ? from[i++] : 1;
    int64_t b = j < to.size() ? to[j++] : 1;
    while (a != b) {
      if ((a < b && i < from.size()) || j == to.size())
        a *= from[i++];
      else
        b *= to[j++];
    }
    relayout(scope, at.slice(iBegin, i - iBegin),
             from.slice(iBegin, i - iBegin), to.slice(jBegin, j - jBegin), out);
  }
  return scope.element(reshape.getOperand(), out);
}

int64_t reshapePrefix(Operation *op, unsigned) {
  auto reshape = cast<ReshapeOp>(op);
  ArrayRef<int64_t> from = shapeOf(reshape.getOperand());
  ArrayRef<int64_t> to = shapeOf(reshape.getResult());
  return leading(std::min(from.size(), to.size()),
                 [&](int64_t i) { return from[i] == to[i]; });
}

//===----------------------------------------------------------------------===//
// pad, concatenate
//===----------------------------------------------------------------------===//

Value padElement(ElementScope &scope, Operation *op, ArrayRef<Index> at) {
  auto pad = cast<PadOp>(op);
  IndexVector padded;
  for (auto [index, low] : llvm::zip(at, pad.getEdgePaddingLow()))
    padded.push_back(index.plus(-low));
  SmallVector<int64_t> steps;
  for (int64_t interior : pad.getInteriorPadding())
    steps.push_back(interior + 1);
  DilatedPlace place =
      placeInDilated(scope, padded, shapeOf(pad.getOperand()), steps);
  if (place.isOutside)
    return scope.element(pad.getPaddingValue(), {});
  Value inside = scope.element(pad.getOperand(), place.from);
  if (!place.condition || !inside)
    return inside;
  Value padding = scope.element(pad.getPaddingValue(), {});
  if (!padding)
    return {};
  return selectScalar(scope.builder, scope.loc, place.condition, inside,
                      padding);
}

int64_t padPrefix(Operation *op, unsigned operand) {
  auto pad = cast<PadOp>(op);
  if (operand == 1)
    return 0;
  return leading(tensorOf(pad.getOperand()).getRank(), [&](int64_t i) {
    return pad.getEdgePaddingLow()[i] == 0 &&
           pad.getEdgePaddingHigh()[i] == 0 && pad.getInteriorPadding()[i] == 0;
  });
}

Value concatenateElement(ElementScope &scope, Operation *op,
                         ArrayRef<Index> at) {
  auto concatenate = cast<ConcatenateOp>(op);
  int64_t dim = concatenate.getDimension();
  Value result;
  int64_t begin = 0;
  for (Value input : concatenate.getInputs()) {
    int64_t end = begin + shapeOf(input)[dim];
    if (begin == end || at[dim].outside(begin, end)) {
      begin = end;
      continue;
    }
    IndexVector from(at);
    from[dim] = scope.clamped(at[dim], begin, end - 1).plus(-begin);
    Value element = scope.element(input, from);
    if (!element || at[dim].inside(begin, end))
      return element;
    Value condition = scope.inBounds(at[dim], begin, end);
    result = result ? selectScalar(scope.builder, scope.loc, condition, element,
                                   result)
                    : element;
    begin = end;
  }
  return result;
}

int64_t concatenatePrefix(Operation *op, unsigned) {
  return cast<ConcatenateOp>(op).getDimension();
}

OpRule movement(OpRule::ElementFn element, OpRule::PrefixFn prefix) {
  OpRule rule;
  rule.element = element;
  rule.prefix = prefix;
  rule.cost = 0;
  return rule;
}

/// The whole program is device 0 of one: its value stays where it comes from
/// the device itself, and is zero where it comes from none.
Value collectiveElement(ElementScope &scope, Operation *op,
                        ArrayRef<Index> at) {
  auto permute = dyn_cast<CollectivePermuteOp>(op);
  bool arrives = !(permute ? permute.getSourceTargetPairs()
                           : cast<CollectiveBroadcastOp>(op).getReplicaGroups())
                      .empty();
  Value operand = op->getOperand(0);
  if (arrives)
    return scope.element(operand, at);
  return zeroScalar(scope.builder, scope.loc,
                    computeType(tensorOf(operand).getElementType()));
}

} // namespace

DilatedPlace placeInDilated(ElementScope &scope, ArrayRef<Index> at,
                            ArrayRef<int64_t> shape, ArrayRef<int64_t> steps) {
  OpBuilder &b = scope.builder;
  DilatedPlace place;
  auto require = [&](Value term) {
    place.condition =
        place.condition
            ? b.create<arith::AndIOp>(scope.loc, place.condition, term)
            : term;
  };
  for (auto [index, size, step] : llvm::zip(at, shape, steps)) {
    int64_t extent = size == 0 ? 0 : (size - 1) * step + 1;
    place.isOutside |= index.outside(0, extent);
  }
  if (place.isOutside)
    return place;
  for (auto [given, size, step] : llvm::zip(at, shape, steps)) {
    int64_t extent = (size - 1) * step + 1;
    Index index = given;
    if (!index.inside(0, extent))
      require(scope.inBounds(index, 0, extent));
    index = scope.clamped(index, 0, extent - 1);
    if (step != 1) {
      Value value = scope.materialize(index), by = scope.indexConstant(step);
      Value rest = b.create<arith::RemUIOp>(scope.loc, value, by);
      require(b.create<arith::CmpIOp>(scope.loc, arith::CmpIPredicate::eq, rest,
                                      scope.indexConstant(0)));
      Value quotient = b.create<arith::DivUIOp>(scope.loc, value, by);
      index = scope.opaque(quotient, 0, size - 1);
    }
    place.from.push_back(index);
  }
  return place;
}

DenseElementsAttr constantOf(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                  : DenseElementsAttr();
}

void addMovementRules(RuleTable &t) {
  t.add<ConstantOp>(movement(constantElement, nullptr));
  t.add<IotaOp>(movement(iotaElement, nullptr));
  t.add<BroadcastInDimOp>(movement(broadcastElement, broadcastPrefix));
  t.add<TransposeOp>(movement(transposeElement, transposePrefix));
  t.add<ReverseOp>(movement(reverseElement, reversePrefix));
  t.add<SliceOp>(movement(sliceElement, slicePrefix));
  t.add<ReshapeOp>(movement(reshapeElement, reshapePrefix));
  t.add<PadOp>(movement(padElement, padPrefix));
  t.add<ConcatenateOp>(movement(concatenateElement, concatenatePrefix));
  t.add<CollectivePermuteOp>(movement(collectiveElement, elementwisePrefix));
  t.add<CollectiveBroadcastOp>(movement(collectiveElement, elementwisePrefix));
}

} // namespace partopt::codegen
