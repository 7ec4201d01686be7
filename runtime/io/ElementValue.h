//===- ElementValue.h - One element as a number ---------------------------===//
//
// For code that handles arrays of any type one element at a time: comparing,
// printing, making inputs. Not for inner loops.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_IO_ELEMENTVALUE_H
#define PARTOPT_RUNTIME_IO_ELEMENTVALUE_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>

namespace partopt::rt {

/// Exact for every type: 64 bits of mantissa hold the widest integer.
struct ElementValue {
  long double real = 0, imaginary = 0;
};

ElementValue readElement(plan::ElementType type, const uint8_t *at);

/// Rounds to nearest; integers are truncated to their width.
void writeElement(plan::ElementType type, const ElementValue &value,
                  uint8_t *at);

/// Distance from 1 to the next number; 0 for types that are not floats.
double epsilonOf(plan::ElementType type);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_IO_ELEMENTVALUE_H
