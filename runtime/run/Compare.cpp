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
                         const Tolerance &tolerance, double excuse)
    : type(tensor.type), expected(expected), tolerance(tolerance),
      excuse(excuse) {
  result.name = tensor.index_name;
  if (tensor.name != tensor.index_name)
    result.name += " '" + tensor.name + "'";
  result.shape = tensor.global_shape;
  result.type = plan::shapeText(tensor.global_shape, tensor.type);
}

void CompareSink::compare(uint64_t element, long double got, long double want) {
  long double difference = std::fabs(got - want);
  long double allowed =
      tolerance.absolute + tolerance.relative * std::fabs(want);
  bool same = got == want || (std::isnan(got) && std::isnan(want));
  if (same)
    difference = 0;
  else if (!std::isfinite(got) || !std::isfinite(want))
    difference = INFINITY;
  // An infinite reference would allow everything.
  bool good = same || (std::isfinite(difference) && difference <= allowed);
  if (!good && difference <= excuse)
    ++result.excused;
  else if (!good)
    ++result.mismatches;
  long double excess =
      std::isfinite(difference) ? difference - allowed : difference;
  if (result.elements == 0 || excess > result.worstExcess) {
    result.worstExcess = excess;
    result.worstElement = element;
    result.worstDifference = difference;
    result.got = got;
    result.want = want;
  }
}

void CompareSink::write(uint64_t first, uint64_t count, const uint8_t *data) {
  uint64_t size = plan::elementSize(type);
  bool isComplex = plan::isComplexType(type);
  for (uint64_t i = 0; i < count; ++i) {
    ElementValue got = readElement(type, data + i * size);
    ElementValue want = readElement(type, expected + (first + i) * size);
    uint64_t before = result.mismatches + result.excused;
    compare(first + i, got.real, want.real);
    if (isComplex && result.mismatches + result.excused == before)
      compare(first + i, got.imaginary, want.imaginary);
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
  size_t shown = std::min<size_t>(comparisons.size(), 20);
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
