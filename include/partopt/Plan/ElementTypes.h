//===- ElementTypes.h - Sizes and names of plan element types -------------===//
//
// One table answers how wide an element is in memory and what it is called in
// StableHLO text and in safetensors files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_ELEMENTTYPES_H
#define PARTOPT_PLAN_ELEMENTTYPES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::plan {

/// Bytes per element in memory (sub-byte types take one); 0 for Invalid.
uint64_t elementSize(ElementType type);

/// StableHLO's spelling, e.g. "f32", "i1", "ui8", "complex<f32>".
const char *elementName(ElementType type);

/// The dtype of a safetensors header, or nullptr where the format has none.
const char *safetensorsName(ElementType type);

/// The element type of a safetensors dtype; Invalid when unknown.
ElementType elementTypeOfSafetensors(const std::string &dtype);

bool isFloatType(ElementType type);   ///< f8*, bf16, f16, f32, f64
bool isComplexType(ElementType type); ///< complex<f32>, complex<f64>
bool isIntegerType(ElementType type); ///< signed and unsigned, without i1

/// "2x3xf32"; "f32" for a scalar.
std::string shapeText(const std::vector<uint64_t> &shape, ElementType type);

/// Product of the extents; saturates at UINT64_MAX instead of wrapping.
uint64_t elementCount(const std::vector<uint64_t> &shape);

/// a * b, saturating at UINT64_MAX.
uint64_t saturatingMul(uint64_t a, uint64_t b);
/// a + b, saturating at UINT64_MAX.
uint64_t saturatingAdd(uint64_t a, uint64_t b);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_ELEMENTTYPES_H
