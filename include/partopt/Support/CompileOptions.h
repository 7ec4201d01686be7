//===- CompileOptions.h - What a compilation is asked for -----------------===//
//
// The typed form of the options that decide the plan, checked once, here, so
// that no stage parses text.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SUPPORT_COMPILEOPTIONS_H
#define PARTOPT_SUPPORT_COMPILEOPTIONS_H

#include "partopt/Simulate/Machine.h"
#include "partopt/Support/OptionSet.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace partopt {

struct MeshAxisSize {
  std::string name;
  int64_t size;
};

/// A strategy over the data axis.
struct DataParallelOptions {
  int64_t zeroStage = 0; ///< as partopt-apply-data-parallel has it
  /// The batch is split over the replica axis too, without shards.
  bool hasReplicas = false;
};

/// The words of --strategy.
struct StrategyOptions {
  std::string name = "none"; ///< as given
  std::optional<DataParallelOptions> data;
  bool tensor = false;
  bool sequence = false;
  bool expert = false;
  bool context = false;
  bool pipeline = false;
};

struct PipelineOptions {
  /// A name, "auto", or a file of PyTorch's form.
  std::string schedule = "1f1b";
  int64_t ranks = 1;  ///< along the axis that serves "pipe"
  int64_t stages = 1; ///< in the chain
  /// --stages as it was given, where that is more than a number; then one of
  /// these says where the chain is cut.
  std::string stageList;
  std::vector<int64_t> stageLayers;     ///< how many layers each stage has
  std::vector<std::string> stageBegins; ///< what each later one begins at
  bool upAndDown = false; ///< rank r has the stages r and 2 * ranks - 1 - r
  bool fused = false;     ///< both gradients of a stage are one segment
  /// The schedule is auto and --stages says nothing: one or two stages per
  /// rank.
  bool choosesStages = false;
  /// With schedule auto, by rank: microbatches of its stages that it may keep,
  /// so that the plan fits; empty: any number.
  std::vector<int64_t> caps;
  /// Bytes that the cut gives each stage, and by stage the microbatches whose
  /// values it keeps; 0: a cut by time alone, which is tried first.
  uint64_t stageMemory = 0;
  std::vector<int64_t> kept;
};

struct CompileOptions {
  std::string entry = "main";
  /// Outermost first; empty: the model's own sdy.mesh, or one device.
  std::vector<MeshAxisSize> mesh;
  StrategyOptions strategy;
  /// What serves which purpose: "data" -> axis name, "model" -> axis name.
  std::map<std::string, std::string> axes = {
      {"context", "context"}, {"data", "data"},   {"expert", "expert"},
      {"micro", "micro"},     {"model", "model"}, {"pipe", "pipe"},
      {"replica", "replica"}};
  /// Parts of the batch that every device computes one after the other.
  int64_t microbatches = 1;
  PipelineOptions pipeline; ///< where the strategy has one
  /// How attention works over a split sequence: "ulysses" exchanges heads for
  /// positions, "gather" gathers keys and values, "auto" takes the cheaper.
  std::string contextForm = "auto";
  /// Results that count the tokens of each expert.
  bool expertLoad = false;
  /// "REGEX=ROLE", in the order given; the first match wins.
  std::vector<std::string> argRoles;
  /// "ARG=RESULT" or "ARG=none": next values of arguments.
  std::vector<std::string> carries;
  /// The loss, by name or as outN; empty: as it is found.
  std::string loss;
  /// "REGEX=NAME", in the order given; the first match wins.
  std::vector<std::string> layers;
  /// Whether an axis that a parameter shares with the batch is only how it is
  /// stored: "keep" all are, "compute" none is, "" decided by the program.
  std::string storage;
  /// Gather stored parameters again for the backward pass instead of keeping
  /// the copy of the forward pass.
  bool reshardAfterForward = false;
  /// The same, only where the plan would need more than `deviceMemory`.
  bool reshardIfShort = false;
  /// Gather activations with a split sequence again for the backward pass:
  /// "yes", "no", "auto": no, unless `deviceMemory` makes it necessary.
  std::string sequenceRegather = "auto";
  /// Statistics of a batch are over "exact" the whole batch, "local" each
  /// device's own rows, or "micro" a microbatch; "": exact, and refused where
  /// microbatches would have to keep values for it.
  std::string batchStatistics;
  /// Gradients that are kept in shards are accumulated over microbatches
  /// "full" and scattered once, "sharded" and scattered in every one, or
  /// "auto": full if that fits.
  std::string accumulate = "auto";
  /// What the backward part computes again: "none", "layer", "selective", or
  /// "auto": what `deviceMemory` makes necessary.
  std::string recompute = "none";
  /// How many groups of rows local statistics have, 0: one per device; or how
  /// many runs of rows the microbatches of one device have a part of each.
  int64_t statisticGroups = 0;
  /// Parameters that are gathered and reduced together: "auto" or "layer",
  /// "none", or a regular expression of names; `wrapBytes` > 0: by size.
  std::string wrap = "auto";
  int64_t wrapBytes = 0;
  /// Float types in which gradients are reduced and stored parameters gathered:
  /// "bf16", "f16", "f32", or empty: as they are.
  std::string gradReduceType, paramGatherType;
  /// Cut buckets by the timeline of the backward pass, not by size.
  bool bucketAuto = false;
  int64_t bucketBytes = int64_t(25) << 20;
  /// Units of stored parameters that are gathered ahead of their use.
  uint32_t prefetch = 1;
  /// What times are predicted for, and what decides which step passes which.
  simulate::MachineOptions machine;
  /// Axes on the cluster's levels, outermost first; empty: by what they send.
  std::string axisOrder;
  uint64_t deviceMemory = 0; ///< bytes; 0: no limit
  std::string targetCpu = "x86-64-v3";
  std::string keepKernels; ///< a folder, or empty
  /// Architectures of GPUs that kernels are for ("sm_90"); empty: the host.
  std::vector<std::string> gpuArchs;
  /// Ignore mesh and shardings of the file: the program of one device, which
  /// --check compares with.
  bool unpartitioned = false;

  /// "none" or the mesh in the option's own form.
  std::string meshText() const;
};

/// Errors name the option and what it takes.
llvm::Expected<CompileOptions> makeCompileOptions(const OptionSet &set);

/// Whether `name` is a published schedule, auto, or a file of one; the error
/// says which there are.
llvm::Error checkScheduleName(llvm::StringRef name);

/// The options as one line of JSON, which the plan keeps.
std::string optionsJson(const CompileOptions &options);

/// Every compile option and what was given besides: "name = value  # origin".
std::string describeConfig(const CompileOptions &options, const OptionSet &set);

/// "80GiB", "1.5GB", "4096": bytes.
llvm::Expected<uint64_t> parseBytes(llvm::StringRef text);

/// "1.5 MiB" and the like, for messages and tables.
std::string bytesText(uint64_t bytes);

} // namespace partopt

#endif // PARTOPT_SUPPORT_COMPILEOPTIONS_H
