//===- Compare.cpp - Results against expected arrays ----------------------===//
//
// See Compare.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Compare.h"

#include "runtime/io/ElementValue.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>

namespace partopt::rt {

CompareSink::CompareSink(const plan::TensorT &tensor, const uint8_t *expected,
                         const Tolerance &tolerance, const Excuse &excuse)
    : type(tensor.type), expected(expected), tolerance(tolerance),
      excuse(excuse) {
  result.name = tensor.index_name;
  if (tensor.name != tensor.index_name)
    result.name += " '" + tensor.name + "'";
  result.shape = tensor.global_shape;
  result.type = plan::shapeText(tensor.global_shape, tensor.type);
  result.sharding = tensor.sharding_text;
}

static bool areNan(long double got, long double want) {
  return std::isnan(got) && std::isnan(want);
}

static bool areInfinite(long double got, long double want) {
  return std::isinf(got) && got == want;
}

void CompareSink::compare(uint64_t element, long double got, long double want) {
  long double difference = std::fabs(got - want);
  long double magnitude = std::isfinite(want) ? std::fabs(want) : 0;
  long double allowed = tolerance.absolute + tolerance.relative * magnitude;
  bool same = got == want || areNan(got, want);
  if (same)
    difference = 0;
  else if (!std::isfinite(got) || !std::isfinite(want))
    difference = INFINITY;
  long double spread = excuse.spread ? excuse.spread->of(element) : 0;
  long double moved = std::max(allowed, excuse.any * spread);
  long double excused = std::max<long double>(
      excuse.few * spread, excuse.wide ? excuse.wide->of(element) : 0);
  if (difference > allowed) {
    if (difference <= moved)
      ++result.moved;
    else if (difference <= excused)
      ++result.excused;
    else
      ++result.mismatches;
    if (difference <= std::max(moved, excused))
      result.furthestMoved =
          std::max(result.furthestMoved, static_cast<double>(difference));
  }
  long double excess = std::isfinite(moved) ? difference - moved : -INFINITY;
  if (result.elements == 0 || excess > result.worstExcess) {
    result.worstExcess = excess;
    result.worstElement = element;
    result.worstDifference = difference;
    result.got = got;
    result.want = want;
    result.worstAllowed = moved;
  }
}

void CompareSink::write(uint64_t first, uint64_t count, const uint8_t *data) {
  uint64_t size = plan::elementSize(type);
  bool isComplex = plan::isComplexType(type);
  for (uint64_t i = 0; i < count; ++i) {
    ElementValue got = readElement(type, data + i * size);
    ElementValue want = readElement(type, expected + (first + i) * size);
    uint64_t before = result.beyond();
    compare(first + i, got.real, want.real);
    if (isComplex && result.beyond() == before)
      compare(first + i, got.imaginary, want.imaginary);
    if (areNan(got.real, want.real) || areNan(got.imaginary, want.imaginary))
      ++result.nans;
    else if (areInfinite(got.real, want.real) ||
             areInfinite(got.imaginary, want.imaginary))
      ++result.infinities;
    ++result.elements;
  }
}

ArrayCopy::ArrayCopy(const plan::TensorT &tensor)
    : elementBytes(plan::elementSize(tensor.type)),
      array(plan::elementCount(tensor.global_shape) * elementBytes) {}

void ArrayCopy::write(uint64_t first, uint64_t count, const uint8_t *data) {
  if (count > 0)
    std::memcpy(&array[first * elementBytes], data, count * elementBytes);
}

std::string indexText(uint64_t element, const std::vector<uint64_t> &shape) {
  std::string text;
  for (size_t dim = shape.size(); dim-- > 0;) {
    text = std::to_string(element % shape[dim]) + (text.empty() ? "" : ", ") +
           text;
    element /= shape[dim];
  }
  return "[" + text + "]";
}

/// Arrays are named, but not without end.
constexpr size_t kShown = 20;

void printMoved(const std::vector<Comparison> &comparisons, uint64_t steps,
                std::ostream &out) {
  size_t count = 0;
  for (const Comparison &one : comparisons) {
    if (one.moved + one.excused == 0 || ++count > kShown)
      continue;
    out << "  " << one.name << " " << one.type << ": "
        << one.moved + one.excused << " of " << one.elements
        << " elements differ by up to " << std::setprecision(3)
        << one.furthestMoved << ", as rounding alone moves them";
    if (steps > 1)
      out << " (step " << one.step << ")";
    out << "\n";
  }
  if (count > kShown)
    out << "  and " << count - kShown << " more arrays\n";
}

void warnNotFinite(const std::vector<Comparison> &comparisons,
                   const std::string &against, std::ostream &err) {
  auto notFinite = [](const Comparison &one) {
    return one.nans + one.infinities > 0;
  };
  auto first = std::find_if(comparisons.begin(), comparisons.end(), notFinite);
  if (first == comparisons.end())
    return;
  const char *what = first->infinities == 0 ? "NaN"
                     : first->nans == 0     ? "infinite"
                                            : "NaN or infinite";
  err << "warning: " << first->name << " " << first->type << " is " << what
      << " in " << first->nans + first->infinities << " of " << first->elements
      << " elements, and so is " << against;
  if (auto more = std::count_if(first + 1, comparisons.end(), notFinite))
    err << " (" << more << " more result" << (more == 1 ? "" : "s")
        << " likewise)";
  err << ": that they agree proves nothing\n";
}

void printMismatches(std::vector<Comparison> comparisons, std::ostream &out) {
  comparisons.erase(
      std::remove_if(comparisons.begin(), comparisons.end(),
                     [](const Comparison &one) { return one.passed(); }),
      comparisons.end());
  std::sort(comparisons.begin(), comparisons.end(),
            [](const Comparison &a, const Comparison &b) {
              if (a.worstExcess != b.worstExcess)
                return a.worstExcess > b.worstExcess;
              return a.name < b.name;
            });
  size_t shown = std::min(comparisons.size(), kShown);
  for (size_t i = 0; i < shown; ++i) {
    const Comparison &one = comparisons[i];
    out << "  " << one.name << " " << one.type << ": "
        << one.mismatches + one.excused << " of " << one.elements
        << " elements differ; worst at "
        << indexText(one.worstElement, one.shape) << ": got "
        << std::setprecision(9) << static_cast<double>(one.got) << ", expected "
        << static_cast<double>(one.want) << ", difference "
        << std::setprecision(3) << static_cast<double>(one.worstDifference)
        << "\n";
  }
  if (shown < comparisons.size())
    out << "  and " << comparisons.size() - shown << " more arrays\n";
}

} // namespace partopt::rt
