//===- Compare.h - Results against expected arrays ------------------------===//
//
// A sink that compares what ranks hand in with a reference as it comes, so that
// no second copy of a result is made.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_COMPARE_H
#define PARTOPT_RUNTIME_RUN_COMPARE_H

#include "runtime/run/Spread.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace partopt::rt {

/// An element passes when |got - want| <= absolute + relative * |want|, when
/// both are NaN, or when both are the same infinity.
struct Tolerance {
  double relative = 1e-4;
  double absolute = 1e-5;
};

struct Comparison {
  std::string name;
  std::string type; ///< "2x3xf32"
  std::string sharding;
  std::vector<uint64_t> shape;
  uint64_t elements = 0, mismatches = 0;
  /// Beyond the tolerance, but not beyond what rounding makes of the same
  /// element of the reference.
  uint64_t moved = 0;
  /// Beyond that too, but not beyond what Excuse lets a few elements differ by.
  uint64_t excused = 0;
  /// That are NaN, or the same infinity, on both sides: they prove nothing.
  uint64_t nans = 0, infinities = 0;
  double furthestMoved = 0; ///< the largest difference of both kinds
  // The element that is furthest beyond (or nearest to) what is good.
  uint64_t worstElement = 0;
  long double got = 0, want = 0, worstDifference = 0, worstExcess = -1;
  long double worstAllowed = 0;
  uint64_t step = 0; ///< that was compared
  /// How many differ by more than their tolerance.
  uint64_t beyond() const { return mismatches + moved + excused; }
  /// A few elements may be excused: many are no accident of rounding.
  bool passed() const {
    return mismatches == 0 && excused <= std::max<uint64_t>(2, elements / 100);
  }
};

/// What elements may differ by beyond their tolerance: multiples of how far the
/// same element of the reference goes when its arguments are changed a little.
struct Excuse {
  const ArraySpread *spread = nullptr;
  double any = 0; ///< times its spread: any element
  double few = 0; ///< times its spread: a few elements
  /// Or its spread here, where the arguments are changed by more.
  const ArraySpread *wide = nullptr;
};

class CompareSink : public ArraySink {
public:
  /// `expected` is the whole array, row-major.
  CompareSink(const plan::TensorT &tensor, const uint8_t *expected,
              const Tolerance &tolerance, const Excuse &excuse = {});
  void write(uint64_t first, uint64_t count, const uint8_t *data) override;
  const Comparison &comparison() const { return result; }

private:
  void compare(uint64_t element, long double got, long double want);

  plan::ElementType type;
  const uint8_t *expected;
  Tolerance tolerance;
  Excuse excuse;
  Comparison result;
};

/// A sink that keeps the whole array.
class ArrayCopy : public ArraySink {
public:
  explicit ArrayCopy(const plan::TensorT &tensor);
  void write(uint64_t first, uint64_t count, const uint8_t *data) override;
  const std::vector<uint8_t> &bytes() const { return array; }

private:
  uint64_t elementBytes;
  std::vector<uint8_t> array;
};

/// "[3, 5]": where element `element` of the array is.
std::string indexText(uint64_t element, const std::vector<uint64_t> &shape);

/// Prints arrays that have elements which rounding alone moves as far as they
/// differ, at most 20; those of `steps` steps say in which one.
void printMoved(const std::vector<Comparison> &comparisons, uint64_t steps,
                std::ostream &out);

/// Warns of the first array with elements that are NaN or infinite on both
/// sides, and says how many arrays there are.
void warnNotFinite(const std::vector<Comparison> &comparisons,
                   const std::string &against, std::ostream &err);

/// Prints the arrays that failed, worst first, at most 20.
void printMismatches(std::vector<Comparison> comparisons, std::ostream &out);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_COMPARE_H
