//===- ErrorModel.cpp - What a value may differ by ------------------------===//
//
// First order, and by magnitudes of whole arrays: good enough to tell rounding
// from a fault, which is off by as much as the numbers themselves.
//
//===----------------------------------------------------------------------===//

#include "ErrorModel.h"

#include <algorithm>
#include <cmath>

using namespace partopt;
using namespace partopt::driver;

namespace {

/// One value's operands as they were seen; null where nothing is known.
class OpErrors {
public:
  OpErrors(const ProgramValue &value, const rt::Magnitude &own,
           std::vector<const Seen *> operands)
      : value(value), own(own), operands(std::move(operands)) {}

  /// What the op's own rounding is relative to.
  double base() const {
    double base = own.largest;
    if (value.errors == ErrorRule::Sum)
      for (const Seen *operand : operands)
        base = std::max(base, operand ? operand->magnitude.largest : 0);
    if (value.errors == ErrorRule::DotProduct && bothKnown())
      base = std::max(base, std::sqrt(double(value.terms)) *
                                operands[0]->magnitude.typical *
                                operands[1]->magnitude.typical);
    return base;
  }

  /// What the operands' differences become in the result.
  double carried() const {
    double sum = 0;
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i] && operands[i]->difference > 0)
        sum += operands[i]->difference * slope(i);
    return sum;
  }

private:
  const ProgramValue &value;
  const rt::Magnitude &own;
  std::vector<const Seen *> operands;

  bool bothKnown() const {
    return operands.size() == 2 && operands[0] && operands[1];
  }

  /// How much of operand `i`'s difference arrives.
  double slope(size_t i) const {
    const rt::Magnitude &of = operands[i]->magnitude;
    double spread = value.terms > 1 ? 2 * std::sqrt(double(value.terms)) : 1;
    // Where the other operand is not known, from what the op has made of this.
    double byResult =
        of.typical > 0 ? std::max(1.0, own.largest / of.typical) : 1;
    switch (value.errors) {
    case ErrorRule::Exact:
      return 0;
    case ErrorRule::Move:
    case ErrorRule::Sum:
      return spread;
    case ErrorRule::Product:
      return bothKnown() ? operands[1 - i]->magnitude.largest : byResult;
    case ErrorRule::DotProduct:
      return bothKnown() ? spread * operands[1 - i]->magnitude.typical
                         : 2 * byResult;
    case ErrorRule::Relative: {
      double divisor = of.smallest;
      bool isNumerator = bothKnown() && i == 0;
      if (isNumerator)
        divisor = operands[1]->magnitude.smallest;
      else if (operands.size() == 2 && i == 0)
        return byResult;
      double rise = isNumerator ? 1 : own.largest;
      return divisor > 0 ? rise / divisor : byResult;
    }
    case ErrorRule::Exponential:
      return own.largest + 1;
    }
    return 1;
  }
};

} // namespace

ErrorModel::Step &ErrorModel::at(uint64_t step) {
  if (step >= steps.size())
    steps.resize(step + 1);
  return steps[step];
}

void ErrorModel::setArgument(uint64_t step, size_t argument,
                             const rt::Magnitude &magnitude) {
  std::vector<Seen> &arguments = at(step).arguments;
  if (argument >= arguments.size())
    arguments.resize(argument + 1);
  arguments[argument].magnitude = magnitude;
}

double ErrorModel::allowed(uint64_t step, size_t number,
                           const rt::Magnitude &magnitude, double relative) {
  Step &seen = at(step);
  size_t index = first + number;
  const ProgramValue &value = (*values)[index];
  seen.values.resize(std::max(seen.values.size(), index + 1));
  seen.values[index].magnitude = magnitude;
  std::vector<const Seen *> operands;
  for (const ValueOperand &operand : value.operands) {
    const std::vector<Seen> &from =
        operand.value >= 0 ? seen.values : seen.arguments;
    int64_t at = operand.value >= 0 ? operand.value : operand.argument;
    bool known = at >= 0 && size_t(at) < from.size();
    // The size of an index says nothing about what it selects.
    if (operand.value >= 0 && known)
      known = (*values)[at].errors != ErrorRule::Exact;
    operands.push_back(known ? &from[at] : nullptr);
  }
  if (value.errors == ErrorRule::Exact)
    return 0;
  OpErrors errors(value, magnitude, std::move(operands));
  return relative * errors.base() + 2 * errors.carried();
}

void ErrorModel::setDifference(uint64_t step, size_t number,
                               double difference) {
  at(step).values[first + number].difference = difference;
}
