//===- ElementTypes.cpp - Sizes and names of plan element types -----------===//
//
// The table behind ElementTypes.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/ElementTypes.h"

#include <iterator>

namespace partopt::plan {

namespace {

enum class Category { None, Boolean, Integer, Float, Complex };

struct TypeInfo {
  uint64_t size;
  const char *name;
  const char *safetensors;
  Category category;
};

// Indexed by ElementType.
const TypeInfo typeTable[] = {
    {0, "invalid", nullptr, Category::None},
    {1, "i1", "BOOL", Category::Boolean},
    {1, "i4", nullptr, Category::Integer},
    {1, "i8", "I8", Category::Integer},
    {2, "i16", "I16", Category::Integer},
    {4, "i32", "I32", Category::Integer},
    {8, "i64", "I64", Category::Integer},
    {1, "ui4", nullptr, Category::Integer},
    {1, "ui8", "U8", Category::Integer},
    {2, "ui16", "U16", Category::Integer},
    {4, "ui32", "U32", Category::Integer},
    {8, "ui64", "U64", Category::Integer},
    {1, "f8E4M3FN", "F8_E4M3", Category::Float},
    {1, "f8E5M2", "F8_E5M2", Category::Float},
    {1, "f8E4M3B11FNUZ", nullptr, Category::Float},
    {1, "f8E4M3FNUZ", nullptr, Category::Float},
    {1, "f8E5M2FNUZ", nullptr, Category::Float},
    {2, "bf16", "BF16", Category::Float},
    {2, "f16", "F16", Category::Float},
    {4, "f32", "F32", Category::Float},
    {8, "f64", "F64", Category::Float},
    {8, "complex<f32>", "C64", Category::Complex},
    {16, "complex<f64>", nullptr, Category::Complex},
};
static_assert(std::size(typeTable) ==
              static_cast<size_t>(ElementType::MAX) + 1);

const TypeInfo &infoOf(ElementType type) {
  auto index = static_cast<size_t>(type);
  return typeTable[index < std::size(typeTable) ? index : 0];
}

} // namespace

uint64_t elementSize(ElementType type) { return infoOf(type).size; }

const char *elementName(ElementType type) { return infoOf(type).name; }

const char *safetensorsName(ElementType type) {
  return infoOf(type).safetensors;
}

ElementType elementTypeOfSafetensors(const std::string &dtype) {
  for (size_t i = 0; i < std::size(typeTable); ++i)
    if (typeTable[i].safetensors && dtype == typeTable[i].safetensors)
      return static_cast<ElementType>(i);
  return ElementType::Invalid;
}

bool isFloatType(ElementType type) {
  return infoOf(type).category == Category::Float;
}

bool isComplexType(ElementType type) {
  return infoOf(type).category == Category::Complex;
}

bool isIntegerType(ElementType type) {
  return infoOf(type).category == Category::Integer;
}

std::string shapeText(const std::vector<uint64_t> &shape, ElementType type) {
  std::string text;
  for (uint64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + elementName(type);
}

uint64_t elementCount(const std::vector<uint64_t> &shape) {
  uint64_t count = 1;
  for (uint64_t extent : shape) {
    if (extent == 0)
      return 0;
    count = saturatingMul(count, extent);
  }
  return count;
}

uint64_t saturatingMul(uint64_t a, uint64_t b) {
  uint64_t result;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  uint64_t result;
  return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

} // namespace partopt::plan
