//===- PlanTypes.cpp - MLIR's element types in a plan file ----------------===//
//
// See PlanTypes.h.
//
//===----------------------------------------------------------------------===//

#include "PlanTypes.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt;

plan::ElementType partopt::elementTypeOf(Type type) {
  using E = plan::ElementType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return E::I1;
    case 4:
      return isUnsigned ? E::U4 : E::I4;
    case 8:
      return isUnsigned ? E::U8 : E::I8;
    case 16:
      return isUnsigned ? E::U16 : E::I16;
    case 32:
      return isUnsigned ? E::U32 : E::I32;
    case 64:
      return isUnsigned ? E::U64 : E::I64;
    default:
      return E::Invalid;
    }
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32()   ? E::C64
           : complex.getElementType().isF64() ? E::C128
                                              : E::Invalid;
  return llvm::TypeSwitch<Type, E>(type)
      .Case([](Float8E4M3FNType) { return E::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return E::F8E5M2; })
      .Case([](Float8E4M3B11FNUZType) { return E::F8E4M3B11FNUZ; })
      .Case([](Float8E4M3FNUZType) { return E::F8E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return E::F8E5M2FNUZ; })
      .Case([](BFloat16Type) { return E::BF16; })
      .Case([](Float16Type) { return E::F16; })
      .Case([](Float32Type) { return E::F32; })
      .Case([](Float64Type) { return E::F64; })
      .Default([](Type) { return E::Invalid; });
}
