//===- RunCommand.cpp - The command `run` ---------------------------------===//
//
// A run is: load, give inputs, steps, write and compare results, account. Each
// part returns a status; the first failure ends the run with its exit code.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/RunCommand.h"

#include "runtime/io/ElementValue.h"
#include "runtime/run/Inputs.h"
#include "runtime/run/Report.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace partopt::rt {

namespace {

class Run {
public:
  Run(const RunOptions &options, std::ostream &out)
      : options(options), out(out) {}

  Status load(std::shared_ptr<const plan::PlanT> plan);
  /// `print` shows a line per step.
  Status steps(bool print);
  Status writeOutputs() const;
  Status compareExpected() const;
  Status compareReference(const Run &reference, uint64_t longest) const;
  Status account(const RunExtras &extras) const;

private:
  Status giveInputs(Inputs &inputs) const;
  int lossIndex() const;
  double readLoss(int index) const;
  void printStep(uint64_t step, int loss, double seconds) const;
  Status verdict(std::vector<Comparison> comparisons,
                 const std::string &against) const;

  const RunOptions &options;
  std::ostream &out;
  std::unique_ptr<Session> session;
  size_t entry = 0;
  std::vector<const plan::ResultT *> results;
};

Status Run::load(std::shared_ptr<const plan::PlanT> plan) {
  StatusOr<std::unique_ptr<Session>> created =
      Session::create(std::move(plan), options.session);
  if (!created.ok())
    return created.status();
  session = std::move(*created);
  if (!options.entry.empty()) {
    int found = session->findEntry(options.entry);
    if (found < 0) {
      std::string names;
      for (const auto &one : session->plan().entries)
        names += (names.empty() ? "" : ", ") + one->name;
      return Status::badInput("the plan has no entry '" + options.entry +
                              "', only: " + names);
    }
    entry = static_cast<size_t>(found);
  }
  results = session->results(entry);
  return Status();
}

Status Run::giveInputs(Inputs &inputs) const {
  if (options.inputs.empty())
    return Status();
  StatusOr<int64_t> seed = randomSeed(options.inputs);
  if (!seed.ok())
    return seed.status();
  if (*seed >= 0)
    return inputs.setRandom(static_cast<uint64_t>(*seed), false);
  std::stringstream list(options.inputs);
  for (std::string path; std::getline(list, path, ',');) {
    StatusOr<std::shared_ptr<SafetensorsFile>> file =
        SafetensorsFile::open(path);
    if (!file.ok())
      return file.status();
    Status status = inputs.setFromFile(**file, false);
    if (!status.ok())
      return status;
  }
  return Status();
}

/// The entry's loss, or else its only scalar float that is not fed back.
int Run::lossIndex() const {
  int loss = session->plan().entries[entry]->loss_result;
  if (loss >= 0)
    return loss;
  for (size_t i = 0; i < results.size(); ++i) {
    const plan::TensorT &tensor = *results[i]->tensor;
    if (!tensor.global_shape.empty() || !plan::isFloatType(tensor.type) ||
        results[i]->alias >= 0)
      continue;
    if (loss >= 0)
      return -1;
    loss = static_cast<int>(i);
  }
  return loss;
}

double Run::readLoss(int index) const {
  const plan::TensorT &tensor = *results[index]->tensor;
  ArrayCopy copy(tensor);
  Status status = session->readResult(entry, index, copy);
  if (!status.ok() || copy.bytes().empty())
    return NAN;
  return static_cast<double>(
      readElement(tensor.type, copy.bytes().data()).real);
}

void Run::printStep(uint64_t step, int loss, double seconds) const {
  out << "step " << step;
  if (loss >= 0)
    out << "  loss " << std::setprecision(9) << readLoss(loss);
  out << "  " << std::setprecision(4) << seconds * 1e3 << " ms";
  if (seconds > 0)
    out << "  " << std::setprecision(4) << 1 / seconds << " steps/s";
  out << "\n" << std::flush;
}

Status Run::steps(bool print) {
  Inputs inputs(*session, entry);
  StatusOr<Batches> batches = Batches::open(options.batches);
  if (!batches.ok())
    return batches.status();
  Status status = giveInputs(inputs);
  int loss = lossIndex();
  for (uint64_t step = 0; step < options.steps; ++step) {
    if (status.ok())
      status = batches->set(inputs, step);
    if (status.ok() && step == 0) {
      std::string source = "'" + options.inputs + "'";
      if (options.inputs.empty())
        source = batches->empty() ? "the command line (see --inputs)"
                                  : "'" + options.batches + "'";
      status = inputs.checkComplete(source);
    }
    if (status.ok())
      status = session->step(entry);
    if (!status.ok())
      return status;
    if (print)
      printStep(step, loss, session->stats().stepSeconds.back());
  }
  return Status();
}

Status Run::writeOutputs() const {
  if (options.outputs.empty())
    return Status();
  std::vector<const plan::TensorT *> tensors;
  std::vector<std::string> names;
  for (const plan::ResultT *result : results) {
    tensors.push_back(result->tensor.get());
    names.push_back(result->tensor->index_name);
  }
  StatusOr<std::unique_ptr<SafetensorsWriter>> writer =
      SafetensorsWriter::create(options.outputs, tensors, names);
  if (!writer.ok())
    return writer.status();
  for (size_t i = 0; i < results.size(); ++i) {
    Status status = session->readResult(entry, i, (*writer)->sink(i));
    if (!status.ok())
      return status;
  }
  return (*writer)->commit();
}

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

Status Run::compareExpected() const {
  if (options.expect.empty())
    return Status();
  StatusOr<std::shared_ptr<SafetensorsFile>> file =
      SafetensorsFile::open(options.expect);
  if (!file.ok())
    return file.status();
  std::vector<const ArrayEntry *> used;
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < results.size(); ++i) {
    const plan::TensorT &tensor = *results[i]->tensor;
    const ArrayEntry *array = (*file)->find(tensor.index_name);
    if (!array)
      array = (*file)->find(tensor.name);
    if (!array)
      return Status::badInput("'" + options.expect + "' has no array for " +
                              tensorText(session->plan(), "result", tensor));
    Status status =
        matchArray(session->plan(), "result", tensor, **file, *array);
    if (!status.ok())
      return status;
    CompareSink sink(tensor, array->data, options.tolerance);
    status = session->readResult(entry, i, sink);
    if (!status.ok())
      return status;
    used.push_back(array);
    comparisons.push_back(sink.comparison());
  }
  for (const ArrayEntry &array : (*file)->entries())
    if (std::find(used.begin(), used.end(), &array) == used.end())
      return Status::badInput("array '" + array.name + "' (" + array.text() +
                              ") in '" + options.expect +
                              "' is not a result of the model, which has " +
                              std::to_string(results.size()) + " results");
  std::ostringstream within;
  within << "'" << options.expect << "' within rtol "
         << options.tolerance.relative << ", atol "
         << options.tolerance.absolute;
  return verdict(std::move(comparisons), within.str());
}

/// 4 eps sqrt(longest reduction), capped, relative to the largest magnitude.
static double checkTolerance(plan::ElementType type, uint64_t longest) {
  double epsilon = epsilonOf(type);
  if (epsilon == 0)
    return 0;
  double bound = 4 * epsilon * std::sqrt(static_cast<double>(longest));
  double cap = epsilon < 1e-6 ? 1e-3 : 3e-2;
  // Formats coarser than bf16 cannot meet a cap below their own step.
  return std::min(bound, std::max(cap, 4 * epsilon * (epsilon > 0x1p-7)));
}

static double largestMagnitude(plan::ElementType type,
                               const std::vector<uint8_t> &bytes) {
  long double largest = 0;
  uint64_t size = plan::elementSize(type);
  for (uint64_t at = 0; at + size <= bytes.size(); at += size) {
    ElementValue value = readElement(type, &bytes[at]);
    for (long double part : {value.real, value.imaginary})
      if (std::isfinite(part))
        largest = std::max(largest, std::fabs(part));
  }
  return static_cast<double>(largest);
}

Status Run::compareReference(const Run &reference, uint64_t longest) const {
  std::vector<Comparison> comparisons;
  double loosest = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const plan::TensorT &tensor = *results[i]->tensor;
    auto same = std::find_if(
        reference.results.begin(), reference.results.end(),
        [&](const plan::ResultT *other) {
          return other->tensor->index_name == tensor.index_name &&
                 other->tensor->global_shape == tensor.global_shape &&
                 other->tensor->type == tensor.type;
        });
    if (same == reference.results.end())
      return Status::badInput("the unpartitioned program lacks " +
                              tensorText(session->plan(), "result", tensor));
    ArrayCopy want(tensor);
    Status status = reference.session->readResult(
        reference.entry, same - reference.results.begin(), want);
    if (!status.ok())
      return status;
    double relative = checkTolerance(tensor.type, longest);
    loosest = std::max(loosest, relative);
    Tolerance tolerance;
    tolerance.relative = 0;
    tolerance.absolute = relative * largestMagnitude(tensor.type, want.bytes());
    CompareSink sink(tensor, want.bytes().data(), tolerance);
    status = session->readResult(entry, i, sink);
    if (!status.ok())
      return status;
    comparisons.push_back(sink.comparison());
  }
  std::ostringstream within;
  within << "the unpartitioned program within " << std::setprecision(3)
         << loosest << " of each array's largest magnitude";
  return verdict(std::move(comparisons), within.str());
}

Status Run::account(const RunExtras &extras) const {
  if (!options.reportJson.empty()) {
    nlohmann::ordered_json report = planReport(session->plan(), entry);
    if (extras.report)
      for (const auto &[name, part] : extras.report->items())
        report[name] = part;
    report["measured"] = measuredReport(session->stats());
    Status status = writeReport(options.reportJson, report);
    if (!status.ok())
      return status;
  }
  if (!options.trace.empty()) {
    Status status = session->writeTrace(options.trace);
    if (!status.ok())
      return status;
  }
  return session->checkCounts();
}

Status runAll(std::shared_ptr<const plan::PlanT> plan,
              const RunOptions &options, std::ostream &out,
              const RunExtras &extras) {
  Run run(options, out);
  Status status = run.load(std::move(plan));
  if (status.ok())
    status = run.steps(!options.quiet);
  if (status.ok())
    status = run.writeOutputs();
  if (status.ok())
    status = run.account(extras);
  if (status.ok())
    status = run.compareExpected();
  if (!status.ok() || !extras.reference)
    return status;
  RunOptions plain = options;
  plain.session.faults.clear();
  plain.session.trace = false;
  Run reference(plain, out);
  status = reference.load(extras.reference);
  if (status.ok())
    status = reference.steps(false);
  if (!status.ok())
    return Status(status.code(),
                  "the unpartitioned program: " + status.message());
  return run.compareReference(reference, extras.longestReduction);
}

} // namespace

int runPlan(std::shared_ptr<const plan::PlanT> plan, const RunOptions &options,
            std::ostream &out, std::ostream &err, const RunExtras &extras) {
  Status status = runAll(std::move(plan), options, out, extras);
  if (status.ok() && !out.flush())
    status = Status::badInput("cannot write standard output");
  if (!status.ok())
    err << "error: " << status.message() << "\n";
  return static_cast<int>(status.code());
}

} // namespace partopt::rt
