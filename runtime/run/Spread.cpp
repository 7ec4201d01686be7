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
#include <limits>

namespace partopt::rt {

void ArraySpread::widen(uint64_t element, long double got, long double from) {
  if (got == from || (std::isnan(got) && std::isnan(from)))
    return;
  long double difference = std::fabs(got - from);
  float widest = INFINITY;
  if (std::isfinite(difference))
    widest = static_cast<float>(
        std::min<long double>(difference, std::numeric_limits<float>::max()));
  elements[element] = std::max(elements[element], widest);
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
    spread.widen(first + i, got.real, from.real);
    spread.widen(first + i, got.imaginary, from.imaginary);
  }
}

} // namespace partopt::rt
