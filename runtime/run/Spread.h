//===- Spread.h - How far rounding moves a program's results --------------===//
//
// A program that is run from arguments which are changed in their last bits
// shows, element by element, what it makes of rounding: an update of Adam's
// whose gradient is all rounding goes as far as any update, its neighbour not.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_SPREAD_H
#define PARTOPT_RUNTIME_RUN_SPREAD_H

#include "partopt-rt/Session.h"

#include <vector>

namespace partopt::rt {

/// How far an array's elements went in runs from changed arguments.
class ArraySpread {
public:
  explicit ArraySpread(uint64_t elements = 0) : elements(elements) {}

  /// Infinite where just one of them is a number, or they are infinities of
  /// opposite signs.
  void widen(uint64_t element, long double got, long double from);
  double of(uint64_t element) const { return elements[element]; }
  /// The most that an element went, of those that went no further than `limit`.
  double widest(double limit) const;

private:
  std::vector<float> elements;
};

/// Of some results of a program: in runs from arguments whose last bits were
/// changed, and from ones that were changed by eight times as much. The second
/// find elements that the first may miss by chance, as where a gradient is a
/// few times its rounding.
struct Spread {
  std::vector<size_t> results; ///< which ones, by number
  std::vector<ArraySpread> near, wide;
};

/// A sink that widens a spread by how far an array is from a reference.
class SpreadSink : public ArraySink {
public:
  /// `reference` is the whole array, row-major.
  SpreadSink(const plan::TensorT &tensor, const uint8_t *reference,
             ArraySpread &spread)
      : type(tensor.type), reference(reference), spread(spread) {}
  void write(uint64_t first, uint64_t count, const uint8_t *data) override;

private:
  plan::ElementType type;
  const uint8_t *reference;
  ArraySpread &spread;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_SPREAD_H
