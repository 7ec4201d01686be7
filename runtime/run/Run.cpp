//===- Run.cpp - One run of a plan ----------------------------------------===//
//
// See Run.h; the comparisons are in RunChecks.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Run.h"

#include "runtime/io/ElementValue.h"
#include "runtime/run/Report.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/NearestWord.h"
#include "partopt/Plan/PlanFile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace partopt::rt {

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
      words::Words known;
      for (const auto &one : session->plan().entries) {
        names += (names.empty() ? "" : ", ") + one->name;
        known.push_back(one->name);
      }
      return Status::badInput("the plan has no entry '" + options.entry +
                              "', only: " + names +
                              words::didYouMean(options.entry, known));
    }
    entry = static_cast<size_t>(found);
  }
  results = session->results(entry);
  return Status();
}

void Run::printMachine() const {
  if (std::string text = session->machineText(); !text.empty())
    out << text << "\n" << std::flush;
}

bool Run::feedsBack() const {
  return std::any_of(
      results.begin(), results.end(),
      [](const plan::ResultT *result) { return result->alias >= 0; });
}

Status Run::giveInputs() {
  inputs = std::make_unique<Inputs>(*session, entry);
  loss = lossIndex();
  StatusOr<Batches> opened = Batches::open(options.batches);
  if (!opened.ok())
    return opened.status();
  batches = std::move(*opened);
  if (options.inputs.empty())
    return Status();
  StatusOr<int64_t> seed = randomSeed(options.inputs);
  if (!seed.ok())
    return seed.status();
  if (*seed >= 0)
    return inputs->setRandom(static_cast<uint64_t>(*seed), false);
  std::stringstream list(options.inputs);
  for (std::string path; std::getline(list, path, ',');) {
    StatusOr<std::shared_ptr<SafetensorsFile>> file =
        SafetensorsFile::open(path);
    if (!file.ok())
      return file.status();
    Status status = inputs->setFromFile(**file, false);
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
  if (loss >= 0 && !options.session.machine.skipKernels)
    out << "  loss " << std::setprecision(9) << readLoss(loss);
  out << "  " << std::setprecision(4) << seconds * 1e3 << " ms";
  if (seconds > 0)
    out << "  " << std::setprecision(4) << 1 / seconds << " steps/s";
  out << "\n" << std::flush;
}

Status Run::checkComplete() const {
  if (options.inputs.empty() && batches.empty() &&
      !session->arguments(entry).empty())
    return Status::badInput(
        "no inputs given, but the model takes " +
        std::to_string(session->arguments(entry).size()) +
        " arrays, the first for " +
        tensorText(session->plan(), "argument",
                   *session->arguments(entry).front()->tensor) +
        "; give --inputs FILE.safetensors with all of them, by name or as "
        "arg0, arg1, …, or --inputs random:SEED");
  std::string source =
      "'" + (options.inputs.empty() ? options.batches : options.inputs) + "'";
  return inputs->checkComplete(source);
}

namespace {
/// An array, or one with the last bit of its numbers changed, up and down in an
/// order without a pattern; zeros stay.
class CopySource : public ArraySource {
public:
  CopySource(plan::ElementType type, const std::vector<uint8_t> &array,
             double change, uint64_t seed)
      : type(type), array(array), change(change), seed(seed) {}
  void read(uint64_t first, uint64_t count, uint8_t *out) const override {
    uint64_t size = plan::elementSize(type);
    if (change == 0) {
      std::memcpy(out, &array[first * size], count * size);
      return;
    }
    for (uint64_t i = first; i < first + count; ++i, out += size) {
      ElementValue value = readElement(type, &array[i * size]);
      uint64_t mixed = (i + 1 + (seed << 24)) * 0x9E3779B97F4A7C15;
      bool up = ((mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9) >> 63 != 0;
      long double factor = 1 + (up ? change : -change);
      writeElement(type, {value.real * factor, value.imaginary * factor}, out);
    }
  }

private:
  plan::ElementType type;
  const std::vector<uint8_t> &array;
  double change;
  uint64_t seed;
};
} // namespace

Status Run::takeArguments(const Run &other, double change, double least,
                          uint64_t seed) {
  std::vector<const plan::ArgumentT *> arguments = session->arguments(entry);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const plan::TensorT &tensor = *arguments[i]->tensor;
    double epsilon = epsilonOf(tensor.type);
    double fraction = epsilon > 0 ? std::max(change * epsilon, least) : 0;
    ArrayCopy copy(tensor);
    Status status = other.session->readArgument(other.entry, i, copy);
    if (status.ok() && !copy.bytes().empty())
      status = session->setArgument(
          entry, i, CopySource(tensor.type, copy.bytes(), fraction, seed + i));
    if (!status.ok())
      return status;
  }
  return Status();
}

Status Run::prepare(uint64_t index) {
  Status status;
  if (index == 0)
    status = giveInputs();
  if (status.ok())
    status = batches.set(*inputs, index);
  if (status.ok() && index == 0)
    status = checkComplete();
  return status;
}

Status Run::execute(uint64_t index, bool print) {
  Status status = session->step(entry);
  if (status.ok() && print)
    printStep(index, loss, session->stats().stepSeconds.back());
  return status;
}

Status Run::steps(bool print) {
  Status status;
  for (uint64_t index = 0; index < options.steps && status.ok(); ++index) {
    status = prepare(index);
    if (status.ok())
      status = execute(index, print);
  }
  return status;
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

nlohmann::ordered_json Run::expertLoad() const {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const plan::TensorT &tensor = *results[i]->tensor;
    if (!plan::isExpertLoad(tensor.name))
      continue;
    ArrayCopy copy(tensor);
    if (!session->readResult(entry, i, copy).ok())
      continue;
    std::vector<int32_t> tokens(copy.bytes().size() / sizeof(int32_t));
    std::memcpy(tokens.data(), copy.bytes().data(), copy.bytes().size());
    int64_t sum = std::accumulate(tokens.begin(), tokens.end(), int64_t(0));
    int32_t most = *std::max_element(tokens.begin(), tokens.end());
    double mean = static_cast<double>(sum) / static_cast<double>(tokens.size());
    layers.push_back({{"layer", layers.size()},
                      {"tokens", tokens},
                      {"max", most},
                      {"mean", mean},
                      {"imbalance", sum > 0 ? most / mean : 1.0}});
  }
  return layers;
}

Status Run::account(const RunExtras &extras) const {
  if (!options.reportJson.empty()) {
    simulate::Machine machine;
    std::string wrong =
        options.session.machine.resolve(session->plan(), machine);
    if (!wrong.empty())
      return Status::badInput(wrong);
    nlohmann::ordered_json report = planReport(session->plan(), entry, machine);
    if (extras.report)
      for (const auto &[name, part] : extras.report->items())
        report[name] = part;
    report["measured"] = measuredReport(session->stats());
    if (nlohmann::ordered_json layers = expertLoad(); !layers.empty())
      report["measured"]["expert_load"] = layers;
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

} // namespace partopt::rt
