//===- RunChecks.cpp - The comparisons of a run ---------------------------===//
//
// With expected results, with the unpartitioned program, and value by value.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Run.h"

#include "runtime/io/ElementValue.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/PlanFile.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

namespace partopt::rt {

Status Run::verdict(std::vector<Comparison> comparisons,
                    const std::string &against) const {
  size_t wrong =
      std::count_if(comparisons.begin(), comparisons.end(),
                    [](const Comparison &one) { return !one.passed(); });
  if (wrong == 0) {
    if (!options.quiet)
      out << "all " << comparisons.size() << " results equal " << against
          << "\n";
    return Status();
  }
  size_t all = comparisons.size();
  printMismatches(std::move(comparisons), out);
  return Status::differs(std::to_string(wrong) + " of " + std::to_string(all) +
                         " results differ from " + against);
}

Status Run::openExpected() {
  if (options.expect.empty())
    return Status();
  StatusOr<std::shared_ptr<SafetensorsFile>> file =
      SafetensorsFile::open(options.expect);
  if (!file.ok())
    return file.status();
  expectedFile = *file;
  for (const plan::ResultT *result : results) {
    const plan::TensorT &tensor = *result->tensor;
    const ArrayEntry *array = expectedFile->find(tensor.index_name);
    if (!array)
      array = expectedFile->find(tensor.name);
    expected.push_back(array);
    // Counted besides, by --expert-load.
    if (!array && plan::isExpertLoad(tensor.name))
      continue;
    if (!array)
      return Status::badInput("'" + options.expect + "' has no array for " +
                              tensorText(session->plan(), "result", tensor));
    Status status =
        matchArray(session->plan(), "result", tensor, *expectedFile, *array);
    if (!status.ok())
      return status;
  }
  for (const ArrayEntry &array : expectedFile->entries())
    if (std::find(expected.begin(), expected.end(), &array) == expected.end())
      return Status::badInput("array '" + array.name + "' (" + array.text() +
                              ") in '" + options.expect +
                              "' is not a result of the model, which has " +
                              std::to_string(results.size()) + " results");
  return Status();
}

Status Run::compareExpected(std::ostream &err) const {
  if (!expectedFile)
    return Status();
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!expected[i])
      continue;
    CompareSink sink(*results[i]->tensor, expected[i]->data, options.tolerance);
    Status status = session->readResult(entry, i, sink);
    if (!status.ok())
      return status;
    comparisons.push_back(sink.comparison());
  }
  if (!options.quiet)
    warnNotFinite(comparisons, "'" + options.expect + "'", err);
  std::ostringstream within;
  within << "'" << options.expect << "' within rtol "
         << options.tolerance.relative << ", atol "
         << options.tolerance.absolute;
  return verdict(std::move(comparisons), within.str());
}

/// The most that --check allows, relative to the largest magnitude.
static double checkCap(double epsilon) {
  // Formats coarser than bf16 cannot meet a cap below their own step.
  return std::max(epsilon < 1e-6 ? 1e-3 : 3e-2,
                  4 * epsilon * (epsilon > 0x1p-7));
}

static double coarsest(const RunExtras &extras, size_t result) {
  return result < extras.resultEpsilons.size() ? extras.resultEpsilons[result]
                                               : 0;
}

/// 4 eps sqrt(longest reduction), capped, relative to the largest magnitude. An
/// array is no more exact than `coarsest`, the eps of what it is computed from.
static double checkTolerance(plan::ElementType type, uint64_t longest,
                             double coarsest = 0) {
  double epsilon = epsilonOf(type);
  if (epsilon == 0)
    return 0;
  epsilon = std::max(epsilon, coarsest);
  double bound = 4 * epsilon * std::sqrt(static_cast<double>(longest));
  return std::min(bound, checkCap(epsilon));
}

static Magnitude magnitudeOf(plan::ElementType type,
                             const std::vector<uint8_t> &bytes) {
  long double largest = 0, smallest = 0, squares = 0;
  uint64_t size = plan::elementSize(type), count = 0;
  for (uint64_t at = 0; at + size <= bytes.size(); at += size) {
    ElementValue value = readElement(type, &bytes[at]);
    for (long double part : {value.real, value.imaginary}) {
      if (!std::isfinite(part))
        continue;
      largest = std::max(largest, std::fabs(part));
      if (part != 0 && (smallest == 0 || std::fabs(part) < smallest))
        smallest = std::fabs(part);
      squares += part * part;
    }
    ++count;
  }
  return {static_cast<double>(largest), static_cast<double>(smallest),
          count ? static_cast<double>(std::sqrt(squares / count)) : 0};
}

/// The result of `reference` that is result `tensor` of another plan.
static std::optional<size_t>
findResult(const std::vector<const plan::ResultT *> &results,
           const plan::TensorT &tensor) {
  auto same = std::find_if(
      results.begin(), results.end(), [&](const plan::ResultT *other) {
        return other->tensor->index_name == tensor.index_name &&
               other->tensor->global_shape == tensor.global_shape &&
               other->tensor->type == tensor.type;
      });
  if (same == results.end())
    return std::nullopt;
  return same - results.begin();
}

Status Run::widen(const Run &reference, const std::vector<size_t> &numbers,
                  std::vector<ArraySpread> &spread) const {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const plan::TensorT &tensor = *results[numbers[i]]->tensor;
    if (i == spread.size())
      spread.emplace_back(plan::elementCount(tensor.global_shape));
    ArrayCopy other(tensor);
    Status status =
        reference.session->readResult(reference.entry, numbers[i], other);
    SpreadSink sink(tensor, other.bytes().data(), spread[i]);
    if (status.ok())
      status = session->readResult(entry, numbers[i], sink);
    if (!status.ok())
      return status;
  }
  return Status();
}

/// What an array may differ by: `allowed` by its tolerance and `cap` at most,
/// and what rounding makes of the reference, of which this is result `number`
/// of the spread's. An element that goes so far that the cap has nothing to say
/// about it is judged by itself, and the others are not judged by it.
static Excuse excuseOf(const Spread &spread, size_t number,
                       plan::ElementType type, double cap, double longest,
                       double &allowed) {
  const ArraySpread &near = spread.near[number];
  // Integers do not round: one is as far off as another run takes it, or wrong.
  if (epsilonOf(type) == 0)
    return {&near, 1};
  allowed = std::max(allowed, 8 * near.widest(cap / 8));
  return {&near, 4, 4 * std::sqrt(longest), &spread.wide[number]};
}

Status Run::compareReference(const Run &reference, const Spread *spread,
                             const RunExtras &extras,
                             std::vector<Comparison> &comparisons) const {
  comparisons.clear();
  for (size_t i = 0; i < results.size(); ++i) {
    const plan::TensorT &tensor = *results[i]->tensor;
    std::optional<size_t> number = findResult(reference.results, tensor);
    if (!number)
      return Status::badInput("the unpartitioned program lacks " +
                              tensorText(session->plan(), "result", tensor));
    ArrayCopy want(tensor);
    Status status =
        reference.session->readResult(reference.entry, *number, want);
    if (!status.ok())
      return status;
    double largest = magnitudeOf(tensor.type, want.bytes()).largest;
    double allowed =
        largest * checkTolerance(tensor.type, extras.longestReduction,
                                 coarsest(extras, *number));
    double epsilon =
        std::max(epsilonOf(tensor.type), coarsest(extras, *number));
    Excuse excuse;
    if (spread)
      excuse =
          excuseOf(*spread, *number, tensor.type, largest * checkCap(epsilon),
                   double(extras.longestReduction), allowed);
    CompareSink sink(tensor, want.bytes().data(), {0, allowed}, excuse);
    status = session->readResult(entry, i, sink);
    if (!status.ok())
      return status;
    comparisons.push_back(sink.comparison());
  }
  return Status();
}

Status Run::referenceVerdict(std::vector<Comparison> comparisons,
                             const RunExtras &extras,
                             const std::string &how) const {
  double loosest = 0;
  for (size_t i = 0; i < results.size(); ++i)
    loosest = std::max(loosest, checkTolerance(results[i]->tensor->type,
                                               extras.longestReduction,
                                               coarsest(extras, i)));
  std::ostringstream within;
  within << "the unpartitioned program" << plan::ownStatistics(session->plan())
         << " within " << std::setprecision(3) << loosest
         << " of each array's largest magnitude" << how;
  return verdict(std::move(comparisons), within.str());
}

Status Run::measureArguments(uint64_t step, ToleranceModel &model) const {
  std::vector<const plan::ArgumentT *> arguments = session->arguments(entry);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const plan::TensorT &tensor = *arguments[i]->tensor;
    ArrayCopy copy(tensor);
    Status status = session->readArgument(entry, i, copy);
    if (!status.ok())
      return status;
    model.setArgument(step, i, magnitudeOf(tensor.type, copy.bytes()));
  }
  return Status();
}

Status Run::compareTaps(const Run &reference, size_t count, uint64_t longest,
                        uint64_t step, ToleranceModel &model,
                        ValuesVerdict &verdict,
                        std::vector<Suspect> &suspects) const {
  size_t first = results.size() - count;
  size_t other = reference.results.size() - count;
  for (size_t i = 0; i < count; ++i) {
    const plan::TensorT &tensor = *results[first + i]->tensor;
    ArrayCopy want(*reference.results[other + i]->tensor);
    Status status =
        reference.session->readResult(reference.entry, other + i, want);
    if (!status.ok())
      return status;
    double relative = checkTolerance(tensor.type, longest);
    double allowed = model.allowed(
        step, i, magnitudeOf(tensor.type, want.bytes()), relative);
    CompareSink sink(tensor, want.bytes().data(), {0, allowed});
    status = session->readResult(entry, first + i, sink);
    if (!status.ok())
      return status;
    const Comparison &found = sink.comparison();
    if (!verdict.nan && found.nans > 0)
      verdict.nan = i;
    verdict.loosest = std::max(verdict.loosest, relative);
    model.setDifference(step, i, static_cast<double>(found.worstDifference));
    if (!found.passed())
      suspects.push_back({i, allowed});
  }
  return Status();
}

Status Run::compareSuspects(const Run &reference, size_t count,
                            uint64_t longest,
                            const std::vector<Suspect> &suspects,
                            const Spread &spread,
                            std::vector<Comparison> &comparisons) const {
  comparisons.clear();
  for (size_t i = 0; i < suspects.size(); ++i) {
    size_t number = results.size() - count + suspects[i].value;
    const plan::TensorT &tensor = *results[number]->tensor;
    ArrayCopy want(tensor);
    Status status =
        reference.session->readResult(reference.entry, spread.results[i], want);
    if (!status.ok())
      return status;
    double cap = magnitudeOf(tensor.type, want.bytes()).largest *
                 checkCap(epsilonOf(tensor.type));
    double allowed = suspects[i].allowed;
    Excuse excuse =
        excuseOf(spread, i, tensor.type, cap, double(longest), allowed);
    CompareSink sink(tensor, want.bytes().data(), {0, allowed}, excuse);
    status = session->readResult(entry, number, sink);
    if (!status.ok())
      return status;
    comparisons.push_back(sink.comparison());
    if (!sink.comparison().passed())
      break;
  }
  return Status();
}

} // namespace partopt::rt
