//===- FittingSchedule.cpp - What lets a pipeline fit -------------------===//
//
// See describeFittingSchedule and describeFittingOptions in ChoosePipeline.h.
//
//===----------------------------------------------------------------------===//

#include "ChoosePipeline.h"

#include "partopt/PipelineSchedule/ChooseSchedule.h"
#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/SimulateSchedule.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace partopt;

namespace {

/// A named schedule, by the time that it takes where all stages are alike.
struct NamedChoice {
  std::string name;
  pipeline::ScheduleChoice choice;
  double makespan = 0; ///< of as much work, however many stages share it
  double peak = 0;     ///< of a rank, in microbatches of all its stages
};

} // namespace

static pipeline::ScheduleRequest requestOf(const CompileOptions &options,
                                           const std::string &name) {
  pipeline::ScheduleRequest request;
  request.name = name;
  request.ranks = int(options.pipeline.ranks);
  request.microbatches = int(options.microbatches);
  return request;
}

/// False where the schedule cannot take the shape.
static bool measure(const CompileOptions &options, NamedChoice &named) {
  std::string wrong =
      chooseSchedule(requestOf(options, named.name), named.choice);
  if (!wrong.empty() || !named.choice.order)
    return false;
  pipeline::Problem problem;
  problem.placement = named.choice.placement;
  problem.microbatches = int(options.microbatches);
  problem.times.assign(size_t(problem.stages()), {});
  pipeline::Timing timing = simulateSchedule(problem, *named.choice.order);
  double chunks = problem.stages() / double(problem.ranks());
  named.makespan = timing.makespan / chunks;
  named.peak =
      *std::max_element(timing.peak.begin(), timing.peak.end()) / chunks;
  return true;
}

/// Those that keep less than the refused one, the fastest first.
static std::vector<NamedChoice> smaller(const CompileOptions &options) {
  NamedChoice refused{options.pipeline.schedule, {}};
  bool isKnown = measure(options, refused);
  std::vector<NamedChoice> list;
  for (const std::string &name : pipeline::scheduleNames()) {
    NamedChoice named{name, {}};
    if (name != refused.name && !pipeline::isForwardOnly(name) &&
        measure(options, named) && (!isKnown || named.peak <= refused.peak))
      list.push_back(std::move(named));
  }
  llvm::sort(list, [](const NamedChoice &a, const NamedChoice &b) {
    return std::tie(a.makespan, a.name) < std::tie(b.makespan, b.name);
  });
  return list;
}

std::string partopt::describeFittingSchedule(const CompileOptions &options,
                                             TryPipeline compile) {
  // Stages that were given by hand are the user's.
  for (const NamedChoice &named : smaller(options)) {
    CompileOptions other = options;
    other.pipeline.schedule = named.name;
    other.pipeline.stages = named.choice.placement.stages();
    other.pipeline.upAndDown = named.choice.upAndDown;
    other.pipeline.fused = named.choice.fused;
    if (!options.pipeline.stageList.empty() &&
        other.pipeline.stages != options.pipeline.stages)
      continue;
    CompileOutcome outcome = compile(other);
    if (outcome.status == CompileStatus::Done && outcome.plan)
      return "\n  --schedule " + named.name + " fits: it needs " +
             bytesText(peakOf(*outcome.plan));
  }
  return "\n  no other schedule by its name fits";
}

/// `bytes` as --device-memory takes it, rounded up.
static std::string memoryOption(uint64_t bytes) {
  constexpr uint64_t kKib = 1024, kMib = 1024 * kKib, kEnough = 64;
  auto upTo = [&](uint64_t unit) {
    return std::to_string((bytes + unit - 1) / unit);
  };
  return bytes >= kEnough * kMib ? upTo(kMib) + "MiB" : upTo(kKib) + "KiB";
}

std::string partopt::describeFittingOptions(const CompileOptions &options,
                                            uint64_t peak,
                                            TryPipeline compile) {
  auto fits = [&](const CompileOptions &other) {
    return compile(other).status == CompileStatus::Done;
  };
  std::string text = "\n  with --device-memory " + memoryOption(peak);
  CompileOptions other = options;
  other.microbatches *= 2;
  if (fits(other))
    text += " or --microbatches " + std::to_string(other.microbatches);
  other = options;
  other.recompute = "layer";
  if (options.recompute == "none" && fits(other))
    text += " or --recompute layer";
  return text + " it fits";
}
