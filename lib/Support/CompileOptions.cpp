//===- CompileOptions.cpp - What a compilation is asked for ---------------===//
//
// Each option's own small grammar, with an error that says what it takes.
//
//===----------------------------------------------------------------------===//

#include "partopt/Support/CompileOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

#include <tuple>

using namespace partopt;

/// What each word of --strategy shards; nothing where this version has it not.
struct StrategyWord {
  llvm::StringRef name;
  std::optional<DataParallelOptions> data;
  bool tensor = false;
  bool sequence = false;
};
static const StrategyWord strategyWords[] = {
    {"ddp", DataParallelOptions{0, false}},
    {"zero1", DataParallelOptions{1, false}},
    {"zero2", DataParallelOptions{2, false}},
    {"zero3", DataParallelOptions{3, false}},
    {"fsdp", DataParallelOptions{3, false}},
    {"hsdp", DataParallelOptions{3, true}},
    {"tp", std::nullopt, true},
    {"sp", std::nullopt, false, true},
    {"cp", std::nullopt},
    {"ep", std::nullopt},
    {"pp", std::nullopt},
    {"auto", std::nullopt}};
static constexpr llvm::StringLiteral availableStrategies =
    "none (the annotations in the file), ddp, zero1, zero2, zero3, fsdp, "
    "hsdp, tp, tp+sp and the former with either";
static constexpr llvm::StringRef roles[] = {"param", "opt", "state",
                                            "batch", "rng", "scalar"};

std::string CompileOptions::meshText() const {
  std::string text;
  for (const MeshAxisSize &axis : mesh)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text.empty() ? "none" : text;
}

llvm::Expected<uint64_t> partopt::parseBytes(llvm::StringRef text) {
  size_t digits = text.find_first_not_of("0123456789.");
  llvm::StringRef number = text.substr(0, digits);
  llvm::StringRef unit = text.substr(number.size()).trim();
  static const std::pair<llvm::StringRef, double> units[] = {
      {"", 1},         {"B", 1},        {"kB", 1e3},    {"KB", 1e3},
      {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10},
      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  double value;
  const auto *found = llvm::find_if(
      units, [&](const auto &entry) { return entry.first == unit; });
  if (number.empty() || number.getAsDouble(value) || found == std::end(units) ||
      value * found->second >= 0x1p63)
    return userError("'" + text +
                     "' is no amount of memory; write e.g. 80GiB or 4096");
  return uint64_t(value * found->second);
}

std::string partopt::bytesText(uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format(unit == 0 ? "%.0f " : "%.2f ", value) << units[unit];
  return text;
}

/// The compile options by their name on the command line.
static std::map<std::string, std::string>
effective(const CompileOptions &options) {
  std::string axes, roleList;
  for (const auto &[purpose, axis] : options.axes)
    axes += (axes.empty() ? "" : " ") + purpose + "=" + axis;
  for (const std::string &role : options.argRoles)
    roleList += (roleList.empty() ? "" : " ") + role;
  std::string bucket;
  llvm::raw_string_ostream(bucket)
      << llvm::format("%g", double(options.bucketBytes) / 0x1p20);
  return {{"arg-role", roleList},
          {"axis", axes},
          {"batch-statistics", options.batchStatistics},
          {"bucket-mib", bucket},
          {"device-memory", options.deviceMemory
                                ? bytesText(options.deviceMemory)
                                : "unlimited"},
          {"entry", options.entry},
          {"keep-kernels", options.keepKernels},
          {"mesh", options.mesh.empty() ? "the file's" : options.meshText()},
          {"microbatches", std::to_string(options.microbatches)},
          {"prefetch", std::to_string(options.prefetch)},
          {"reshard-after-forward", options.reshardAfterForward ? "yes" : "no"},
          {"storage", options.storage.empty() ? "auto" : options.storage},
          {"strategy", options.strategy.name},
          {"target-cpu", options.targetCpu}};
}

std::string partopt::optionsJson(const CompileOptions &options) {
  llvm::json::Object object;
  for (const auto &[name, value] : effective(options))
    if (name != "keep-kernels") // says nothing about the plan
      object[name] = value;
  // Links and device decide the order, and are the rest of the machine's.
  if (std::string machine = options.machine.text(); !machine.empty())
    object["machine"] = machine;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

std::string partopt::describeConfig(const CompileOptions &options,
                                    const OptionSet &set) {
  std::string text = set.describe();
  for (const auto &[name, value] : effective(options))
    if (!set.has(name) && !value.empty())
      text += name + " = '" + value + "'   # default\n";
  return text;
}

static bool isAxisName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static llvm::Error parseMesh(llvm::StringRef text, CompileOptions &options) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  int64_t devices = 1;
  for (llvm::StringRef part : parts) {
    llvm::StringRef name, size;
    std::tie(name, size) = part.trim().split('=');
    MeshAxisSize axis{name.str(), 0};
    if (!isAxisName(name) || size.getAsInteger(10, axis.size) || axis.size < 1)
      return userError("option '--mesh': '" + part +
                       "' is no axis; write names and sizes, outermost "
                       "first, e.g. --mesh data=2,model=4");
    if (llvm::any_of(options.mesh,
                     [&](const auto &other) { return other.name == name; }))
      return userError("option '--mesh': axis '" + name + "' is named twice");
    // Neither factor is beyond the limit, so the product does not overflow.
    devices *= std::min<int64_t>(axis.size, (1 << 20) + 1);
    if (devices > (1 << 20))
      return userError("option '--mesh': '" + text +
                       "' has more than 1048576 devices");
    options.mesh.push_back(axis);
  }
  return llvm::Error::success();
}

static const StrategyWord *findStrategyWord(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      strategyWords, [&](const auto &word) { return word.name == name; });
  return found == std::end(strategyWords) ? nullptr : found;
}

static llvm::Error unknownStrategy(llvm::StringRef word) {
  std::vector<llvm::StringRef> names = {"none"};
  for (const StrategyWord &known : strategyWords)
    names.push_back(known.name);
  std::string nearest = nearestWord(word, names);
  return userError(
      "unknown strategy '" + word + "'" +
      (nearest.empty()
           ? llvm::Twine("; this version has ") + availableStrategies
           : "; did you mean '" + llvm::Twine(nearest) + "'?"));
}

static llvm::Error parseStrategy(CompileOptions &options) {
  if (options.strategy.name == "none")
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(options.strategy.name).split(parts, '+');
  if (llvm::is_contained(parts, ""))
    return userError("option '--strategy' takes words with + between them, not "
                     "'" +
                     options.strategy.name + "'");
  for (llvm::StringRef part : parts)
    if (part == "none" || !findStrategyWord(part))
      return part == "none" ? userError("strategy 'none' (the annotations in "
                                        "the file) does not mix with others")
                            : unknownStrategy(part);
  for (llvm::StringRef part : parts) {
    const StrategyWord *word = findStrategyWord(part);
    if (!word->data && !word->tensor && !word->sequence)
      return userError("strategy '" + options.strategy.name +
                       "' is not available in this version; it has " +
                       availableStrategies);
    if ((word->data && options.strategy.data) ||
        (word->tensor && options.strategy.tensor))
      return userError("strategy '" + options.strategy.name +
                       "' says twice what the " +
                       (word->data ? "data" : "model") + " axis shards");
    if (word->data)
      options.strategy.data = word->data;
    options.strategy.tensor |= word->tensor;
    options.strategy.sequence |= word->sequence;
  }
  if (options.strategy.sequence && !options.strategy.tensor)
    return userError("strategy '" + options.strategy.name +
                     "': sp splits the sequence where tp leaves sums; write "
                     "tp+sp");
  return llvm::Error::success();
}

static llvm::Error parseAxes(const OptionSet &set, CompileOptions &options) {
  for (const std::string &text : set.getAll("axis")) {
    auto [purpose, axis] = llvm::StringRef(text).split('=');
    // The strategy's short names stand for what they shard.
    if (purpose == "ddp" || purpose == "dp" || purpose == "fsdp" ||
        purpose.starts_with("zero"))
      purpose = "data";
    else if (purpose == "hsdp")
      purpose = "replica";
    else if (purpose == "tp")
      purpose = "model";
    if (!options.axes.count(purpose.str()) || !isAxisName(axis))
      return userError("option '--axis' takes data=AXIS, replica=AXIS or "
                       "tp=AXIS, not '" +
                       llvm::Twine(text) + "'");
    options.axes[purpose.str()] = axis.str();
  }
  return llvm::Error::success();
}

/// What a strategy puts on one axis cannot be on another one's too.
static llvm::Error checkAxes(const CompileOptions &options) {
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> used;
  auto use = [&](bool isUsed, llvm::StringRef purpose, llvm::StringRef flag) {
    if (isUsed)
      used.push_back({options.axes.at(purpose.str()), flag});
  };
  use(options.strategy.data.has_value(), "data", "data");
  use(options.strategy.data && options.strategy.data->hasReplicas, "replica",
      "replica");
  use(options.strategy.tensor, "model", "tp");
  for (size_t i = 0; i < used.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (used[i].first == used[j].first)
        return userError("strategy '" + options.strategy.name +
                         "' needs an axis each for " + used[j].second +
                         " and " + used[i].second + ", and both are '" +
                         used[i].first + "'; name another with --axis " +
                         used[i].second + "=NAME");
  return llvm::Error::success();
}

static llvm::Error parseRoles(const OptionSet &set, CompileOptions &options) {
  for (const std::string &text : set.getAll("arg-role")) {
    auto [pattern, role] = llvm::StringRef(text).rsplit('=');
    std::string why;
    if (!llvm::is_contained(roles, role))
      return userError("option '--arg-role': '" + llvm::Twine(text) +
                       "' does not end in =param, =opt, =state, =batch, =rng "
                       "or =scalar");
    if (!llvm::Regex(pattern).isValid(why))
      return userError("option '--arg-role': '" + pattern +
                       "' is no regular expression: " + why);
    options.argRoles.push_back(text);
  }
  return llvm::Error::success();
}

static llvm::Error parseBatchStatistics(const OptionSet &set,
                                        CompileOptions &options) {
  options.batchStatistics =
      set.get("batch-statistics", options.batchStatistics);
  llvm::StringRef kind = options.batchStatistics;
  if (kind == "micro")
    return userError("option '--batch-statistics': 'micro' is not available in "
                     "this version; it has exact and local");
  if (kind != "exact" && kind != "local")
    return userError("option '--batch-statistics' takes exact or local, not '" +
                     kind + "'");
  if (kind == "local" &&
      (!options.strategy.data || options.strategy.data->hasReplicas))
    return userError("option '--batch-statistics local' needs --strategy ddp, "
                     "zero1, zero2 or zero3, which say whose rows are local");
  return llvm::Error::success();
}

static llvm::Error parseMachine(const OptionSet &set,
                                simulate::MachineOptions &machine) {
  for (llvm::StringRef name : {"link", "compute", "overlap", "calibration"})
    for (const std::string &value : set.getAll(name)) {
      std::string wrong = machine.set(name.str(), value);
      if (!wrong.empty())
        return userError("--" + name + " does not take the value '" +
                         llvm::Twine(value) + "': " + wrong);
    }
  return llvm::Error::success();
}

llvm::Expected<CompileOptions>
partopt::makeCompileOptions(const OptionSet &set) {
  CompileOptions options;
  options.entry = set.get("entry", options.entry);
  options.strategy.name = set.get("strategy", options.strategy.name);
  options.targetCpu = set.get("target-cpu", options.targetCpu);
  options.keepKernels = set.get("keep-kernels");
  options.storage = set.get("storage");
  if (set.has("mesh"))
    if (llvm::Error error = parseMesh(set.get("mesh"), options))
      return error;
  if (llvm::Error error = parseStrategy(options))
    return error;
  if (llvm::Error error = parseAxes(set, options))
    return error;
  if (llvm::Error error = checkAxes(options))
    return error;
  if (llvm::Error error = parseRoles(set, options))
    return error;
  if (set.has("storage") && options.storage != "keep" &&
      options.storage != "compute")
    return userError("option '--storage' takes keep or compute, not '" +
                     llvm::Twine(options.storage) + "'");
  std::string again = set.get("reshard-after-forward", "no");
  if (again != "yes" && again != "no")
    return userError("option '--reshard-after-forward' takes yes or no, not '" +
                     llvm::Twine(again) + "'");
  options.reshardAfterForward = again == "yes";
  llvm::Expected<uint64_t> microbatches = set.getCount("microbatches", 1, 1);
  if (!microbatches)
    return microbatches.takeError();
  if (*microbatches > (1 << 20))
    return userError("option '--microbatches' takes at most 1048576");
  options.microbatches = int64_t(*microbatches);
  if (llvm::Error error = parseBatchStatistics(set, options))
    return error;
  llvm::Expected<double> bucket = set.getNumber("bucket-mib", 25);
  if (!bucket)
    return bucket.takeError();
  if (*bucket > double(1 << 20))
    return userError("option '--bucket-mib' takes at most 1048576");
  options.bucketBytes = int64_t(*bucket * 0x1p20);
  llvm::Expected<uint64_t> prefetch = set.getCount("prefetch", 4, 0);
  if (!prefetch)
    return prefetch.takeError();
  if (*prefetch > (1 << 20))
    return userError("option '--prefetch' takes at most 1048576");
  options.prefetch = uint32_t(*prefetch);
  if (llvm::Error error = parseMachine(set, options.machine))
    return error;
  if (set.has("device-memory")) {
    auto bytes = parseBytes(set.get("device-memory"));
    if (!bytes)
      return userError("option '--device-memory': " +
                       llvm::toString(bytes.takeError()));
    if (*bytes == 0)
      return userError("option '--device-memory' takes at least a byte");
    options.deviceMemory = *bytes;
  }
  return options;
}
