//===- RandomSource.cpp - Made-up inputs ----------------------------------===//
//
// A counter-based generator: the SplitMix64 finaliser over seed, argument and
// element index. No mathematical library is involved, so that the numbers are
// the same everywhere.
//
//===----------------------------------------------------------------------===//

#include "runtime/io/RandomSource.h"

#include "runtime/io/ElementValue.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"

#include <cmath>
#include <cstring>

namespace partopt::rt {

static uint64_t mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// Near normal: the sum of the four 16-bit parts, mean 0, deviation 1.
static double bell(uint64_t bits) {
  constexpr double mean = 2 * 65535.0;
  constexpr double deviation = 37837.22; // sqrt(4 (2^32 - 1) / 12)
  uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) +
                 (bits >> 32 & 0xffff) + (bits >> 48);
  return (static_cast<double>(sum) - mean) / deviation;
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
    if (tensor.type == plan::ElementType::F32) { // most of what there is
      auto narrow = static_cast<float>(deviation * bell(bits));
      narrow = tensor.role == plan::Role::Opt ? std::fabs(narrow) : narrow;
      std::memcpy(out + i * size, &narrow, sizeof(narrow));
      continue;
    }
    ElementValue value;
    if (isNumber) {
      value.real = deviation * bell(bits);
      if (tensor.role == plan::Role::Opt)
        value.real = std::fabs(value.real);
      if (plan::isComplexType(tensor.type))
        value.imaginary = deviation * bell(mix(~bits));
    } else {
      value.real = static_cast<long double>(bits % bound);
    }
    writeElement(tensor.type, value, out + i * size);
  }
}

} // namespace partopt::rt
