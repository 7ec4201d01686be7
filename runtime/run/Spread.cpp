//===- Spread.cpp - How far rounding moves a program's results ------------===//
//
// See Spread.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Spread.h"

#include "runtime/io/ElementValue.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <cmath>

namespace partopt::rt {

void ArraySpread::widen(uint64_t element, long double difference) {
  // What is no number in one of the runs says nothing about the other.
  if (std::isfinite(difference))
    elements[element] =
        std::max(elements[element], static_cast<float>(std::fabs(difference)));
}

double ArraySpread::widest(double limit) const {
  double most = 0;
  for (float one : elements)
    if (one <= limit)
      most = std::max<double>(most, one);
  return most;
}

void SpreadSink::write(uint64_t first, uint64_t count, const uint8_t *data) {
  uint64_t size = plan::elementSize(type);
  for (uint64_t i = 0; i < count; ++i) {
    ElementValue got = readElement(type, data + i * size);
    ElementValue from = readElement(type, reference + (first + i) * size);
    spread.widen(first + i, got.real - from.real);
    spread.widen(first + i, got.imaginary - from.imaginary);
  }
}

} // namespace partopt::rt
