// Element types in memory and in registers. bf16 and f16 compute in f32 and are
// rounded after every op, as StableHLO's reference does; bf16 in integer
// arithmetic, since LLVM would call a library function for it.
#include "Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace partopt::codegen {

bool isSupportedElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    return width == 8 || width == 16 || width == 32 || width == 64 ||
           (width == 1 && integer.isSignless());
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  else if (type.isBF16() || type.isF16())
    return true;
  return type.isF32() || type.isF64();
}

static Type signless(IntegerType type) {
  return IntegerType::get(type.getContext(), type.getWidth());
}

Type storageType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1 ? IntegerType::get(type.getContext(), 8)
                                   : signless(integer);
  if (type.isBF16())
    return IntegerType::get(type.getContext(), 16);
  return type;
}

MemRefType bufferType(ArrayRef<int64_t> shape, Type elementType) {
  SmallVector<int64_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(std::max<int64_t>(size, 1));
  return MemRefType::get(sizes, storageType(elementType));
}

Type computeType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return signless(integer);
  if (type.isBF16() || type.isF16())
    return Float32Type::get(type.getContext());
  return type;
}

int64_t storageBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * storageBytes(complex.getElementType());
  return storageType(elementType).getIntOrFloatBitWidth() / 8;
}

Value toCompute(OpBuilder &b, Location loc, Type elementType, Value stored) {
  if (elementType.isInteger(1))
    return b.create<arith::TruncIOp>(loc, b.getI1Type(), stored);
  if (elementType.isBF16()) {
    Value wide = b.create<arith::ExtUIOp>(loc, b.getI32Type(), stored);
    Value sixteen = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(16));
    Value bits = b.create<arith::ShLIOp>(loc, wide, sixteen);
    return b.create<arith::BitcastOp>(loc, b.getF32Type(), bits);
  }
  if (elementType.isF16())
    return b.create<arith::ExtFOp>(loc, b.getF32Type(), stored);
  return stored;
}

/// The upper half of an f32 that holds a bf16 value.
static Value upperHalf(OpBuilder &b, Location loc, Value value) {
  Value bits = b.create<arith::BitcastOp>(loc, b.getI32Type(), value);
  Value sixteen = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(16));
  Value upper = b.create<arith::ShRUIOp>(loc, bits, sixteen);
  return b.create<arith::TruncIOp>(loc, b.getI16Type(), upper);
}

Value toStorage(OpBuilder &b, Location loc, Type elementType, Value computed) {
  if (elementType.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, b.getI8Type(), computed);
  if (elementType.isBF16())
    return upperHalf(b, loc, computed);
  if (elementType.isF16())
    return b.create<arith::TruncFOp>(loc, b.getF16Type(), computed);
  return computed;
}

/// Round to nearest, ties to even, on the bits; NaN keeps its sign and stays a
/// quiet NaN.
static Value roundToBf16(OpBuilder &b, Location loc, Value value) {
  auto constant = [&](int32_t c) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(c));
  };
  Value bits = b.create<arith::BitcastOp>(loc, b.getI32Type(), value);
  Value odd = b.create<arith::AndIOp>(
      loc, b.create<arith::ShRUIOp>(loc, bits, constant(16)), constant(1));
  Value bias = b.create<arith::AddIOp>(loc, odd, constant(0x7fff));
  Value rounded = b.create<arith::AddIOp>(loc, bits, bias);
  Value quiet = b.create<arith::OrIOp>(loc, bits, constant(0x400000));
  Value isNaN =
      b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, value, value);
  Value chosen = b.create<arith::SelectOp>(loc, isNaN, quiet, rounded);
  Value masked =
      b.create<arith::AndIOp>(loc, chosen, constant(int32_t(0xffff0000)));
  return b.create<arith::BitcastOp>(loc, b.getF32Type(), masked);
}

Value roundToElement(OpBuilder &b, Location loc, Type elementType,
                     Value computed) {
  if (elementType.isBF16())
    return roundToBf16(b, loc, computed);
  if (elementType.isF16()) {
    Value narrow = b.create<arith::TruncFOp>(loc, b.getF16Type(), computed);
    return b.create<arith::ExtFOp>(loc, b.getF32Type(), narrow);
  }
  return computed;
}

Value computeConstant(OpBuilder &b, Location loc, Type elementType,
                      Attribute value) {
  Type type = computeType(elementType);
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return b.create<arith::ConstantOp>(
        loc, IntegerAttr::get(type, integer.getValue()));
  if (auto parts = dyn_cast<ArrayAttr>(value))
    return b.create<complex::ConstantOp>(loc, type, parts);
  APFloat number = cast<FloatAttr>(value).getValue();
  bool exact;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &exact);
  return b.create<arith::ConstantOp>(loc, FloatAttr::get(type, number));
}

Value joinParts(OpBuilder &b, Location loc, Value re, Value im) {
  return b.create<complex::CreateOp>(loc, ComplexType::get(re.getType()), re,
                                     im);
}

std::pair<Value, Value> splitParts(OpBuilder &b, Location loc, Value value) {
  return {b.createOrFold<complex::ReOp>(loc, value),
          b.createOrFold<complex::ImOp>(loc, value)};
}

SmallVector<Value, 4> scalarParts(OpBuilder &b, Location loc,
                                  ValueRange values) {
  SmallVector<Value, 4> parts;
  for (Value value : values) {
    if (!isa<ComplexType>(value.getType())) {
      parts.push_back(value);
      continue;
    }
    auto [re, im] = splitParts(b, loc, value);
    parts.append({re, im});
  }
  return parts;
}

SmallVector<Value, 4> joinedParts(OpBuilder &b, Location loc, ValueRange like,
                                  ValueRange parts) {
  SmallVector<Value, 4> values;
  size_t next = 0;
  for (Value value : like) {
    bool isComplex = isa<ComplexType>(value.getType());
    values.push_back(isComplex ? joinParts(b, loc, parts[next], parts[next + 1])
                               : parts[next]);
    next += isComplex ? 2 : 1;
  }
  return values;
}

Value selectScalar(OpBuilder &b, Location loc, Value condition, Value x,
                   Value y) {
  if (!isa<ComplexType>(x.getType()))
    return b.create<arith::SelectOp>(loc, condition, x, y);
  auto [xRe, xIm] = splitParts(b, loc, x);
  auto [yRe, yIm] = splitParts(b, loc, y);
  return joinParts(b, loc, selectScalar(b, loc, condition, xRe, yRe),
                   selectScalar(b, loc, condition, xIm, yIm));
}

Value zeroScalar(OpBuilder &b, Location loc, Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  Attribute zero = b.getZeroAttr(complex.getElementType());
  return b.create<complex::ConstantOp>(loc, type, b.getArrayAttr({zero, zero}));
}

} // namespace partopt::codegen
