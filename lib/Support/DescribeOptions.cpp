//===- DescribeOptions.cpp - Compile options as text ----------------------===//
//
// What --print-config, reports and messages show of options.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Quantities.h"
#include "partopt/Support/CompileOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace partopt;

std::string CompileOptions::meshText() const {
  std::string text;
  for (const MeshAxisSize &axis : mesh)
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text.empty() ? "none" : text;
}

llvm::Expected<uint64_t> partopt::parseBytes(llvm::StringRef text) {
  std::optional<double> bytes = simulate::parseByteCount(text.str());
  if (!bytes || *bytes >= 0x1p63)
    return userError("'" + text +
                     "' is no amount of memory; write e.g. 80GiB or 4096");
  return uint64_t(*bytes);
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
  std::string axes, roleList, carryList, layerList;
  for (const auto &[purpose, axis] : options.axes)
    axes += (axes.empty() ? "" : " ") + purpose + "=" + axis;
  for (const std::string &role : options.argRoles)
    roleList += (roleList.empty() ? "" : " ") + role;
  for (const std::string &carry : options.carries)
    carryList += (carryList.empty() ? "" : " ") + carry;
  for (const std::string &layer : options.layers)
    layerList += (layerList.empty() ? "" : " ") + layer;
  std::string bucket;
  llvm::raw_string_ostream(bucket)
      << llvm::format("%g", double(options.bucketBytes) / 0x1p20);
  return {
      {"arg-role", roleList},
      {"axis", axes},
      {"axis-order", options.axisOrder},
      {"accumulate", options.accumulate},
      {"batch-statistics",
       options.batchStatistics.empty() ? "exact" : options.batchStatistics},
      {"bucket", options.bucketAuto ? "auto" : "by size"},
      {"bucket-mib", options.bucketAuto ? "" : bucket},
      {"carry", carryList},
      {"cp-form", options.contextForm},
      {"driver", options.gpuArchs.empty() ? "host" : "cuda"},
      {"expert-load", options.expertLoad ? "yes" : "no"},
      {"device-memory",
       options.deviceMemory ? bytesText(options.deviceMemory) : "unlimited"},
      {"entry", options.entry},
      {"gpu-arch", llvm::join(options.gpuArchs, ",")},
      {"grad-reduce-dtype", options.gradReduceType},
      {"keep-kernels", options.keepKernels},
      {"layer", layerList},
      {"mesh", options.mesh.empty() ? "the file's" : options.meshText()},
      {"microbatches", std::to_string(options.microbatches)},
      {"param-gather-dtype", options.paramGatherType},
      {"prefetch", std::to_string(options.prefetch)},
      {"recompute", options.recompute},
      {"reshard-after-forward", options.reshardIfShort        ? "auto"
                                : options.reshardAfterForward ? "yes"
                                                              : "no"},
      {"schedule", options.strategy.pipeline ? options.pipeline.schedule : ""},
      {"sp-regather", options.sequenceRegather},
      {"stages", !options.strategy.pipeline ? ""
                 : options.pipeline.stageList.empty()
                     ? std::to_string(options.pipeline.stages)
                     : options.pipeline.stageList},
      {"storage", options.storage.empty() ? "auto" : options.storage},
      {"strategy", options.strategy.name},
      {"target-cpu", options.targetCpu},
      {"wrap", options.wrap}};
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
