//===- CompileOptions.cpp - What a compilation is asked for ---------------===//
//
// Each option's own small grammar, with an error that says what it takes.
//
//===----------------------------------------------------------------------===//

#include "partopt/Support/CompileOptions.h"

#include "PipelineOptions.h"
#include "StrategyOptions.h"

#include "partopt/Simulate/AxisOrder.h"
#include "partopt/Support/TargetCpu.h"
#include "partopt/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <algorithm>

#include <tuple>

using namespace partopt;

static constexpr llvm::StringRef roles[] = {"param", "opt", "state",
                                            "batch", "rng", "scalar"};

/// Sets `value` to the option's, where it is given.
static llvm::Error readWord(const OptionSet &set, llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> words,
                            std::string &value) {
  llvm::Expected<std::string> word = set.getWord(name, words, value);
  if (!word)
    return word.takeError();
  value = *word;
  return llvm::Error::success();
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

static llvm::Error parseRoles(const OptionSet &set, CompileOptions &options) {
  for (const std::string &text : set.getAll("arg-role")) {
    auto [pattern, role] = llvm::StringRef(text).rsplit('=');
    std::string why;
    if (!llvm::is_contained(roles, role))
      return userError("option '--arg-role': '" + llvm::Twine(text) +
                       "' does not end in =param, =opt, =state, =batch, =rng "
                       "or =scalar" +
                       didYouMean(role, roles));
    if (!llvm::Regex(pattern).isValid(why))
      return userError("option '--arg-role': '" + pattern +
                       "' is no regular expression: " + why);
    options.argRoles.push_back(text);
  }
  return llvm::Error::success();
}

static llvm::Error parseCarries(const OptionSet &set, CompileOptions &options) {
  for (const std::string &text : set.getAll("carry")) {
    auto [argument, result] = llvm::StringRef(text).rsplit('=');
    if (argument.empty() || result.empty())
      return userError("option '--carry': '" + llvm::Twine(text) +
                       "' is not ARG=RESULT, such as 'arg0=out1', or ARG=none");
    options.carries.push_back(text);
  }
  return llvm::Error::success();
}

static llvm::Error parseLayers(const OptionSet &set, CompileOptions &options) {
  for (const std::string &text : set.getAll("layer")) {
    auto [pattern, name] = llvm::StringRef(text).rsplit('=');
    std::string why;
    if (pattern.empty() || name.empty())
      return userError("option '--layer': '" + llvm::Twine(text) +
                       "' is not REGEX=NAME, such as 'block_[01]/=first'");
    if (!llvm::Regex(pattern).isValid(why))
      return userError("option '--layer': '" + pattern +
                       "' is no regular expression: " + why);
    options.layers.push_back(text);
  }
  return llvm::Error::success();
}

/// "-1KiB", "+64": no size, and hardly meant as a regular expression.
static bool isSignedSize(llvm::StringRef text) {
  if (!text.consume_front("-") && !text.consume_front("+"))
    return false;
  if (llvm::Expected<uint64_t> bytes = parseBytes(text.trim()))
    return true;
  else
    llvm::consumeError(bytes.takeError());
  return false;
}

static llvm::Error parseWrap(const OptionSet &set, CompileOptions &options) {
  options.wrap = set.get("wrap", options.wrap);
  if (options.wrap == "auto" || options.wrap == "layer" ||
      options.wrap == "none")
    return llvm::Error::success();
  if (isSignedSize(options.wrap))
    return userError("option '--wrap' takes a size without a sign, such as "
                     "64MiB, not '" +
                     llvm::Twine(options.wrap) + "'");
  std::string why;
  if (llvm::Expected<uint64_t> bytes = parseBytes(options.wrap)) {
    if (*bytes == 0)
      return userError("option '--wrap' takes at least a byte");
    options.wrapBytes = int64_t(*bytes);
  } else {
    llvm::consumeError(bytes.takeError());
    if (options.wrap.empty() || !llvm::Regex(options.wrap).isValid(why))
      return userError("option '--wrap' takes auto, layer, none, a size such "
                       "as 64MiB, or a regular expression of names, not '" +
                       llvm::Twine(options.wrap) + "'" +
                       (why.empty() ? "" : ": " + why));
  }
  return llvm::Error::success();
}

static llvm::Error parseTypes(const OptionSet &set, CompileOptions &options) {
  for (auto [name, type] :
       {std::pair("grad-reduce-dtype", &options.gradReduceType),
        std::pair("param-gather-dtype", &options.paramGatherType)}) {
    if (llvm::Error error = readWord(set, name, {"bf16", "f16", "f32"}, *type))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error parseBatchStatistics(const OptionSet &set,
                                        CompileOptions &options) {
  if (llvm::Error error =
          readWord(set, "batch-statistics", {"exact", "local", "micro"},
                   options.batchStatistics))
    return error;
  if (options.batchStatistics == "local" &&
      (!options.strategy.data || options.strategy.data->hasReplicas))
    return userError("option '--batch-statistics local' needs --strategy ddp, "
                     "zero1, zero2 or zero3, which say whose rows are local");
  return llvm::Error::success();
}

static llvm::Error parseAccumulate(const OptionSet &set,
                                   CompileOptions &options) {
  if (llvm::Error error = readWord(
          set, "accumulate", {"full", "sharded", "auto"}, options.accumulate))
    return error;
  if (options.accumulate == "sharded" && options.strategy.data &&
      options.strategy.data->zeroStage < 2)
    return userError("option '--accumulate sharded' needs gradients that are "
                     "kept in shards, which strategy '" +
                     options.strategy.name +
                     "' has not; use zero2, zero3 (fsdp) or hsdp");
  return llvm::Error::success();
}

static llvm::Error parseMachine(const OptionSet &set,
                                simulate::MachineOptions &machine) {
  std::string overlap;
  if (llvm::Error error =
          readWord(set, "overlap", {"on", "off", "late"}, overlap))
    return error;
  for (llvm::StringRef name :
       {"link", "compute", "overlap", "calibration", "cluster"})
    for (const std::string &value : set.getAll(name)) {
      std::string wrong = machine.set(name.str(), value);
      if (!wrong.empty())
        return userError("--" + name + " does not take the value '" +
                         llvm::Twine(value) + "': " + wrong);
    }
  return llvm::Error::success();
}

/// Where the mesh is known already.
static llvm::Error checkLinks(const OptionSet &set, CompileOptions &options) {
  words::Words axes;
  for (const MeshAxisSize &axis : options.mesh)
    axes.push_back(axis.name);
  std::string wrong;
  if (set.has("mesh"))
    wrong = options.machine.links.checkAxes(axes);
  return wrong.empty() ? llvm::Error::success() : userError("--link: " + wrong);
}

/// What kernels for the host are compiled for.
static llvm::Error parseTargetCpu(const OptionSet &set,
                                  CompileOptions &options) {
  options.targetCpu = set.get("target-cpu", options.targetCpu);
  std::string wrong;
  if (set.has("target-cpu"))
    wrong = checkTargetCpu(options.targetCpu);
  return wrong.empty() ? llvm::Error::success()
                       : userError("option '--target-cpu': " + wrong);
}

/// Where the mesh is known already, what does not fit is said before anything
/// is compiled.
static llvm::Error parseAxisOrder(const OptionSet &set,
                                  CompileOptions &options) {
  options.axisOrder = set.get("axis-order");
  const simulate::Cluster &cluster = options.machine.cluster;
  if (set.has("axis-order") && cluster.empty())
    return userError("option '--axis-order' lays the mesh's axes on the levels "
                     "of a cluster; give --cluster NAME|FILE with it");
  if (options.mesh.empty())
    return llvm::Error::success();
  uint64_t places = 1;
  std::vector<std::string> names;
  for (const MeshAxisSize &axis : options.mesh) {
    places *= uint64_t(axis.size);
    names.push_back(axis.name);
  }
  if (std::string wrong = cluster.checkSize(places); !wrong.empty())
    return userError("option '--cluster': " + llvm::Twine(wrong));
  std::vector<size_t> order;
  if (!set.has("axis-order"))
    return llvm::Error::success();
  std::string wrong = simulate::parseOrder(options.axisOrder, names, order);
  if (!wrong.empty())
    return userError("option '--axis-order' does not take '" +
                     options.axisOrder + "': " + wrong);
  return llvm::Error::success();
}

static llvm::Error parseContextForm(const OptionSet &set,
                                    CompileOptions &options) {
  options.expertLoad = set.has("expert-load");
  return readWord(set, "cp-form", {"auto", "ulysses", "gather", "ring"},
                  options.contextForm);
}

static llvm::Error parseSequenceRegather(const OptionSet &set,
                                         CompileOptions &options) {
  return readWord(set, "sp-regather", {"yes", "no", "auto"},
                  options.sequenceRegather);
}

static llvm::Error parseRecompute(const OptionSet &set,
                                  CompileOptions &options) {
  return readWord(set, "recompute", {"none", "selective", "layer", "auto"},
                  options.recompute);
}

static llvm::Error parseStorage(const OptionSet &set, CompileOptions &options) {
  if (llvm::Error error =
          readWord(set, "storage", {"keep", "compute"}, options.storage))
    return error;
  std::string again = "no";
  if (llvm::Error error =
          readWord(set, "reshard-after-forward", {"yes", "no", "auto"}, again))
    return error;
  options.reshardAfterForward = again == "yes";
  options.reshardIfShort = again == "auto";
  return llvm::Error::success();
}

static llvm::Error parseCounts(const OptionSet &set, CompileOptions &options) {
  llvm::Expected<uint64_t> microbatches = set.getCount("microbatches", 1, 1);
  if (!microbatches)
    return microbatches.takeError();
  if (*microbatches > (1 << 20))
    return userError("option '--microbatches' takes at most 1048576");
  options.microbatches = int64_t(*microbatches);
  llvm::Expected<uint64_t> prefetch = set.getCount("prefetch", 1, 0);
  if (!prefetch)
    return prefetch.takeError();
  if (*prefetch > (1 << 20))
    return userError("option '--prefetch' takes at most 1048576");
  options.prefetch = uint32_t(*prefetch);
  return llvm::Error::success();
}

static llvm::Error parseSizes(const OptionSet &set, CompileOptions &options) {
  llvm::Expected<double> bucket = set.getNumber("bucket-mib", 25);
  if (!bucket)
    return bucket.takeError();
  if (*bucket > double(1 << 20))
    return userError("option '--bucket-mib' takes at most 1048576");
  options.bucketBytes = int64_t(*bucket * 0x1p20);
  if (set.has("bucket")) {
    if (set.has("bucket-mib"))
      return userError("options '--bucket' and '--bucket-mib' say the same; "
                       "give one of them");
    std::string text = set.get("bucket");
    options.bucketAuto = text == "auto";
    auto size = parseBytes(options.bucketAuto ? "25MiB" : text);
    if (!size)
      return userError("option '--bucket' takes auto or a size such as 25MiB, "
                       "not '" +
                       llvm::Twine(text) +
                       "': " + llvm::toString(size.takeError()) +
                       didYouMean(text, {"auto"}));
    options.bucketBytes = int64_t(*size);
  }
  options.deviceMemory = uint64_t(options.machine.cluster.memory);
  if (!set.has("device-memory"))
    return llvm::Error::success();
  auto bytes = parseBytes(set.get("device-memory"));
  if (!bytes)
    return userError("option '--device-memory': " +
                     llvm::toString(bytes.takeError()));
  if (*bytes == 0)
    return userError("option '--device-memory' takes at least a byte");
  options.deviceMemory = *bytes;
  return llvm::Error::success();
}

/// From sm_80 on, as CUDA 12.8 to 13 have them; a newer toolkit may have others
/// behind the last.
static constexpr llvm::StringRef knownGpuArchs[] = {
    "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",  "sm_90",
    "sm_100", "sm_101", "sm_103", "sm_110", "sm_120", "sm_121"};
static constexpr unsigned newestGpuArch = 121;

/// What the kernels are for: the host, or GPUs.
static llvm::Error parseDriver(const OptionSet &set, CompileOptions &options) {
  std::string driver = "host";
  if (llvm::Error error = readWord(set, "driver", {"host", "cuda"}, driver))
    return error;
  if (driver == "host")
    return set.has("gpu-arch")
               ? userError("option '--gpu-arch' belongs to '--driver cuda'")
               : llvm::Error::success();
  std::string list = set.get("gpu-arch", "sm_80,sm_90,sm_100");
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(list).split(names, ',');
  for (llvm::StringRef name : names) {
    llvm::StringRef digits = name;
    unsigned number = 0;
    bool isNumber = digits.consume_front("sm_") &&
                    !digits.consumeInteger(10, number) && digits.empty();
    bool isKnown = isNumber && (llvm::is_contained(knownGpuArchs, name) ||
                                number > newestGpuArch);
    bool isEmulated = name == "emulated" && names.size() == 1;
    if (!isKnown && !isEmulated)
      return userError("option '--gpu-arch' takes architectures such as "
                       "sm_80,sm_90,sm_100, none before sm_80, not '" +
                       name + "'" + didYouMean(name, knownGpuArchs));
    options.gpuArchs.push_back(name.str());
  }
  return llvm::Error::success();
}

llvm::Expected<CompileOptions>
partopt::makeCompileOptions(const OptionSet &set) {
  CompileOptions options;
  options.entry = set.get("entry", options.entry);
  options.strategy.name = set.get("strategy", options.strategy.name);
  options.loss = set.get("loss");
  options.keepKernels = set.get("keep-kernels");
  if (set.has("mesh"))
    if (llvm::Error error = parseMesh(set.get("mesh"), options))
      return error;
  if (llvm::Error error = parseMachine(set, options.machine))
    return error;
  for (auto parse :
       {parseStrategy, parseRoles, parseCarries, parseLayers, parseStorage,
        parseCounts, parseWrap, parseRecompute, parseSequenceRegather,
        parseTypes, parseContextForm, parseBatchStatistics, parseAccumulate,
        parseSizes, checkLinks, parseAxisOrder, parsePipeline, parseDriver,
        parseTargetCpu})
    if (llvm::Error error = parse(set, options))
      return error;
  return options;
}
