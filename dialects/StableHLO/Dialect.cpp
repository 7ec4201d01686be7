//===- Dialect.cpp - set-up of stablehlo, and which tensors it takes ------===//
//
// Registers everything of the stablehlo dialect and defines the predicates of
// accepted element types. The rule: what no kernel of any backend could hold
// (dynamic shapes, encodings, odd widths) is refused where it is parsed.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/Chlo.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partopt::stablehlo;

#include "dialects/StableHLO/StableHLODialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"

void StableHLODialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"
      >();
  registerElementwiseOps();
  registerShapeOps();
  registerIndexingOps();
  registerLinearAlgebraOps();
  registerBatchNormOps();
  registerReductionOps();
  registerControlFlowOps();
  registerCollectiveOps();
}

Operation *StableHLODialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, elements);
}

void partopt::stablehlo::registerStableHLODialects(DialectRegistry &registry) {
  registry.insert<StableHLODialect, partopt::chlo::ChloDialect>();
}

//===----------------------------------------------------------------------===//
// Accepted tensors
//===----------------------------------------------------------------------===//

static bool isPred(Type type) { return type.isSignlessInteger(1); }

static bool isInt(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  unsigned width = integer.getWidth();
  return width == 2 || width == 4 || width == 8 || width == 16 || width == 32 ||
         width == 64;
}

static bool isFp(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E4M3Type, Float8E4M3FNType, Float8E4M3FNUZType,
             Float8E4M3B11FNUZType, Float8E5M2Type, Float8E5M2FNUZType>(type);
}

static bool isComplex(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && isa<Float32Type, Float64Type>(complex.getElementType());
}

bool partopt::stablehlo::isElementType(Type type) {
  return isPred(type) || isInt(type) || isFp(type) || isComplex(type);
}

/// Few enough elements that a size in bits can be computed in 64 bits.
static bool isCountable(ArrayRef<int64_t> shape) {
  constexpr int64_t limit = int64_t(1) << 60;
  int64_t count = 1;
  for (int64_t size : shape)
    if (size >= limit || llvm::MulOverflow(count, size, count) ||
        count >= limit)
      return false;
  return true;
}

static bool isTensorOf(Type type, function_ref<bool(Type)> isElement) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
         isElement(tensor.getElementType()) && isCountable(tensor.getShape());
}

bool partopt::stablehlo::isTensor(Type type) {
  return isTensorOf(type, isElementType);
}

bool partopt::stablehlo::isPredTensor(Type type) {
  return isTensorOf(type, isPred);
}

bool partopt::stablehlo::isIntTensor(Type type) {
  return isTensorOf(type, isInt);
}

bool partopt::stablehlo::isPredOrIntTensor(Type type) {
  return isPredTensor(type) || isIntTensor(type);
}

bool partopt::stablehlo::isFpTensor(Type type) {
  return isTensorOf(type, isFp);
}

bool partopt::stablehlo::isComplexTensor(Type type) {
  return isTensorOf(type, isComplex);
}

bool partopt::stablehlo::isFpOrComplexTensor(Type type) {
  return isFpTensor(type) || isComplexTensor(type);
}

bool partopt::stablehlo::isIntFpOrComplexTensor(Type type) {
  return isIntTensor(type) || isFpOrComplexTensor(type);
}

bool partopt::stablehlo::isScalarIntTensor(Type type) {
  return isIntTensor(type) && cast<RankedTensorType>(type).getRank() == 0;
}

bool partopt::stablehlo::isScalarPredTensor(Type type) {
  return isPredTensor(type) && cast<RankedTensorType>(type).getRank() == 0;
}
