//===- RandomSource.cpp - Made-up inputs ----------------------------------===//
//
// A counter-based generator: the SplitMix64 finaliser over seed, argument and
// element index. Normals are Box and Muller's.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/RandomSource.h"

#include "runtime/io/ElementValue.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"

#include <cmath>

namespace partopt::rt {

static uint64_t mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// In (0, 1].
static double uniform(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 1) * 0x1p-53;
}

static double normal(uint64_t bits) {
  constexpr double tau = 6.283185307179586;
  return std::sqrt(-2 * std::log(uniform(bits))) *
         std::cos(tau * uniform(mix(bits)));
}

void RandomSource::read(uint64_t first, uint64_t count, uint8_t *out) const {
  constexpr double deviation = 0.02;
  const std::string &name = tensor.index_name;
  uint64_t stream = mix(mix(seed) ^ plan::hashBytes(name.data(), name.size()));
  uint64_t size = plan::elementSize(tensor.type);
  bool isNumber =
      plan::isFloatType(tensor.type) || plan::isComplexType(tensor.type);
  uint64_t bound = tensor.type == plan::ElementType::I1 ? 2
                   : tensor.int_bound > 0               ? tensor.int_bound
                                                        : 8;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = mix(stream + first + i);
    ElementValue value;
    if (isNumber) {
      value.real = deviation * normal(bits);
      if (tensor.role == plan::Role::Opt)
        value.real = std::fabs(value.real);
      if (plan::isComplexType(tensor.type))
        value.imaginary = deviation * normal(mix(~bits));
    } else {
      value.real = static_cast<long double>(bits % bound);
    }
    writeElement(tensor.type, value, out + i * size);
  }
}

} // namespace partopt::rt
