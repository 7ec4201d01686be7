//===- Inputs.cpp - Arguments from files or made up -----------------------===//
//
// See Inputs.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/Inputs.h"

#include "runtime/io/RandomSource.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

namespace partopt::rt {

std::string tensorText(const plan::PlanT &plan, const char *kind,
                       const plan::TensorT &tensor) {
  std::string text = std::string(kind) + " " + tensor.index_name;
  if (tensor.name != tensor.index_name)
    text += " '" + tensor.name + "'";
  text += " of " + plan::shapeText(tensor.global_shape, tensor.type);
  if (tensor.loc > 0 && tensor.loc < plan.locations.size())
    text += " (at " + plan.locations[tensor.loc] + ")";
  return text;
}

Status matchArray(const plan::PlanT &plan, const char *kind,
                  const plan::TensorT &tensor, const SafetensorsFile &file,
                  const ArrayEntry &entry) {
  if (entry.shape == tensor.global_shape && entry.type == tensor.type)
    return Status();
  const char *what =
      entry.shape != tensor.global_shape ? "shape" : "element type";
  return Status::badInput("array '" + entry.name + "' in '" + file.path() +
                          "' is " + entry.text() + ", another " + what +
                          " than the model's " +
                          tensorText(plan, kind, tensor));
}

StatusOr<int64_t> randomSeed(const std::string &text) {
  const std::string prefix = "random:";
  if (text.compare(0, prefix.size(), prefix) != 0)
    return int64_t(-1);
  std::string digits = text.substr(prefix.size());
  bool good = !digits.empty() && digits.size() < 18 &&
              std::all_of(
                  digits.begin(), digits.end(),
                  [](unsigned char c) { return std::isdigit(c); });
  if (!good)
    return Status::badInput("cannot read the seed of '" + text +
                            "': expected random:NUMBER");
  return static_cast<int64_t>(std::stoll(digits));
}

namespace {

/// What an entry takes and gives.
struct Signature {
  Signature(const plan::PlanT &plan, size_t entry)
      : plan(plan), entry(entry), arguments(plan::argumentsOf(plan, entry)),
        results(plan::resultsOf(plan, entry)) {}

  int find(const std::string &name) const {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i]->tensor->index_name == name)
        return static_cast<int>(i);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i]->tensor->name == name)
        return static_cast<int>(i);
    return -1;
  }

  /// What --outputs wrote goes in again where a result takes the place of an
  /// argument; other results, a loss, are left out.
  const plan::ResultT *findResult(const std::string &name) const {
    for (const plan::ResultT *result : results)
      if (result->tensor->index_name == name)
        return result;
    return nullptr;
  }

  /// False when arguments are known by their numbers alone.
  bool haveNames() const {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](const plan::ArgumentT *argument) {
                         return argument->tensor->name !=
                                argument->tensor->index_name;
                       });
  }

  const plan::PlanT &plan;
  size_t entry;
  std::vector<const plan::ArgumentT *> arguments;
  std::vector<const plan::ResultT *> results;
};

bool isPerStep(const plan::TensorT &tensor) {
  return tensor.role == plan::Role::Batch || tensor.role == plan::Role::Rng ||
         tensor.role == plan::Role::Scalar;
}

} // namespace

Status matchFile(const plan::PlanT &plan, size_t entry,
                 const SafetensorsFile &file, bool perStep,
                 std::vector<const ArrayEntry *> &arrays) {
  Signature signature(plan, entry);
  arrays.assign(signature.arguments.size(), nullptr);
  for (const ArrayEntry &array : file.entries()) {
    int index = signature.find(array.name);
    if (const plan::ResultT *result =
            index < 0 ? signature.findResult(array.name) : nullptr) {
      if (result->alias < 0)
        continue;
      index = plan::argumentTakenBy(plan, entry, *result);
    }
    if (index < 0)
      return Status::badInput(
          "array '" + array.name + "' (" + array.text() + ") in '" +
          file.path() + "' is not an argument of the model, which has " +
          std::to_string(arrays.size()) +
          (signature.haveNames() ? " arguments: remove it or rename it"
                                 : " arguments without names: call "
                                   "them arg0, arg1, …, or export "
                                   "with debug information"));
    const plan::TensorT &tensor = *signature.arguments[index]->tensor;
    if (arrays[index])
      return Status::badInput(
          "arrays '" + arrays[index]->name + "' and '" + array.name + "' in '" +
          file.path() + "' are both " + tensorText(plan, "argument", tensor));
    if (perStep && !isPerStep(tensor) && tensor.role != plan::Role::Unknown)
      return Status::badInput(
          "array '" + array.name + "' in '" + file.path() +
          "' is given for each step, but the model keeps " +
          tensorText(plan, "argument", tensor) +
          " from step to step: only batch, rng and scalar arguments can "
          "be in a batch file (see --arg-role)");
    Status status = matchArray(plan, "argument", tensor, file, array);
    if (!status.ok())
      return status;
    arrays[index] = &array;
  }
  return Status();
}

Status Inputs::setFromFile(const SafetensorsFile &file, bool perStep) {
  std::vector<const ArrayEntry *> arrays;
  Status matched = matchFile(session.plan(), entry, file, perStep, arrays);
  if (!matched.ok())
    return matched;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i])
      continue;
    Status status = session.setArgument(entry, i, ArrayEntrySource(*arrays[i]));
    if (!status.ok())
      return status;
    given[i] = true;
  }
  return Status();
}

Status Inputs::setRandom(uint64_t seed, bool perStep) {
  std::set<int> fedBack;
  for (const plan::ResultT *result : session.results(entry))
    fedBack.insert(plan::argumentTakenBy(session.plan(), entry, *result));
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool skip = perStep && (!isPerStep(*arguments[i]->tensor) ||
                            fedBack.count(static_cast<int>(i)) > 0);
    if (skip)
      continue;
    Status status = session.setArgument(
        entry, i, RandomSource(seed, *arguments[i]->tensor));
    if (!status.ok())
      return status;
    given[i] = true;
  }
  return Status();
}

Status Inputs::checkComplete(const std::string &source) const {
  return checkGiven(session.plan(), entry, given, source);
}

Status checkGiven(const plan::PlanT &plan, size_t entry,
                  const std::vector<bool> &given, const std::string &source) {
  std::vector<const plan::ArgumentT *> arguments =
      plan::argumentsOf(plan, entry);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!given[i])
      return Status::badInput(
          source + " has no array for " +
          tensorText(plan, "argument", *arguments[i]->tensor) +
          ": add it under '" + arguments[i]->tensor->index_name + "' or '" +
          arguments[i]->tensor->name + "'");
  return Status();
}

/// "step9" before "step10".
static bool naturalLess(const std::string &a, const std::string &b) {
  auto isDigit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!isDigit(a[i]) || !isDigit(b[j])) {
      if (a[i] != b[j])
        return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    size_t iEnd = i, jEnd = j;
    while (iEnd < a.size() && isDigit(a[iEnd]))
      ++iEnd;
    while (jEnd < b.size() && isDigit(b[jEnd]))
      ++jEnd;
    while (i + 1 < iEnd && a[i] == '0')
      ++i;
    while (j + 1 < jEnd && b[j] == '0')
      ++j;
    if (iEnd - i != jEnd - j)
      return iEnd - i < jEnd - j;
    int order = a.compare(i, iEnd - i, b, j, jEnd - j);
    if (order != 0)
      return order < 0;
    i = iEnd, j = jEnd;
  }
  return a.size() - i < b.size() - j;
}

StatusOr<Batches> Batches::open(const std::string &text) {
  Batches batches;
  if (text.empty())
    return batches;
  StatusOr<int64_t> seed = randomSeed(text);
  if (!seed.ok())
    return seed.status();
  batches.seed = *seed;
  if (batches.seed >= 0)
    return batches;
  std::vector<std::string> paths;
  std::error_code failure;
  if (std::filesystem::is_directory(text, failure)) {
    for (std::filesystem::directory_iterator at(text, failure), end;
         !failure && at != end; at.increment(failure))
      if (at->path().extension() == ".safetensors")
        paths.push_back(at->path().string());
    std::sort(paths.begin(), paths.end(), naturalLess);
    if (failure || paths.empty())
      return Status::badInput("the batch folder '" + text +
                              "' holds no .safetensors file");
  } else {
    std::stringstream list(text);
    for (std::string path; std::getline(list, path, ',');)
      paths.push_back(path);
  }
  for (const std::string &path : paths) {
    StatusOr<std::shared_ptr<SafetensorsFile>> file =
        SafetensorsFile::open(path);
    if (!file.ok())
      return file.status();
    batches.files.push_back(*file);
  }
  return batches;
}

Status Batches::check(const plan::PlanT &plan, size_t entry,
                      std::vector<bool> &given) const {
  for (size_t i = 0; i < given.size() && seed >= 0; ++i)
    if (isPerStep(*plan::argumentsOf(plan, entry)[i]->tensor))
      given[i] = true;
  for (const auto &file : files) {
    std::vector<const ArrayEntry *> arrays;
    Status status = matchFile(plan, entry, *file, /*perStep=*/true, arrays);
    if (!status.ok())
      return status;
    for (size_t i = 0; i < given.size(); ++i)
      given[i] = given[i] || arrays[i];
  }
  return Status();
}

Status Batches::set(Inputs &inputs, uint64_t step) const {
  if (seed >= 0) // far from the seeds that a user would give to --inputs
    return inputs.setRandom(
        static_cast<uint64_t>(seed) + (step + 1) * 0x9E3779B97F4A7C15, true);
  if (files.empty())
    return Status();
  return inputs.setFromFile(*files[step % files.size()], true);
}

} // namespace partopt::rt
