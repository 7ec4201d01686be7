//===- PipelineOptions.cpp - What a pipeline's options mean ---------------===//
//
// Schedule and stages are checked together before anything is compiled.
//
//===----------------------------------------------------------------------===//

#include "PipelineOptions.h"

#include "StageList.h"

#include "partopt/PipelineSchedule/ChooseSchedule.h"
#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace partopt;

llvm::Error partopt::checkScheduleName(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> names(pipeline::scheduleNames().begin(),
                                           pipeline::scheduleNames().end());
  names.push_back("auto");
  if (name.ends_with(".csv") || llvm::is_contained(names, name))
    return llvm::Error::success();
  return userError("there is no schedule '" + name + "'" +
                   didYouMean(name, names,
                              "there are " + llvm::join(names, ", ") +
                                  ", and files that end in .csv"));
}

static llvm::Error refuseWithoutPipeline(const OptionSet &set) {
  for (const char *name : {"schedule", "stages"})
    if (set.has(name))
      return userError("option '--" + llvm::Twine(name) +
                       "' is of a pipeline: add pp to --strategy");
  return llvm::Error::success();
}

/// Ranks along the pipeline's axis; 1 where the mesh has no such axis.
static int64_t ranksOf(const CompileOptions &options) {
  for (const MeshAxisSize &axis : options.mesh)
    if (axis.name == options.axes.at("pipe"))
      return axis.size;
  return 1;
}

llvm::Error partopt::parsePipeline(const OptionSet &set,
                                   CompileOptions &options) {
  if (!options.strategy.pipeline)
    return refuseWithoutPipeline(set);
  PipelineOptions &pipeline = options.pipeline;
  pipeline.schedule = set.get("schedule", pipeline.schedule);
  if (llvm::Error error = checkScheduleName(pipeline.schedule))
    return error;
  pipeline.ranks = ranksOf(options);
  if (pipeline.ranks < 2)
    return userError("strategy '" + options.strategy.name +
                     "' needs an axis of at least 2 ranks in --mesh: "
                     "pipe=RANKS, or another name with --axis pp=NAME");
  pipeline::ScheduleRequest request;
  request.name = pipeline.schedule;
  request.ranks = int(pipeline.ranks);
  request.microbatches = int(options.microbatches);
  std::string list = set.get("stages");
  llvm::StringRef given = list;
  if (given.contains(',') || given.contains(':')) {
    if (llvm::Error wrong = parseStageList(given, pipeline))
      return wrong;
    request.stages = int(pipeline.stages);
  } else if (set.has("stages")) {
    llvm::Expected<uint64_t> stages = set.getCount("stages", 1, 1);
    if (!stages)
      return stages.takeError();
    request.stages = int(std::min<uint64_t>(*stages, 1 << 20));
  }
  if (std::string wrong = readScheduleFile(request); !wrong.empty())
    return userError("--schedule '" + pipeline.schedule + "': " + wrong);
  pipeline::ScheduleChoice choice;
  if (std::string wrong = chooseSchedule(request, choice); !wrong.empty())
    return userError("--schedule " + pipeline.schedule + ": " + wrong);
  pipeline.choosesStages = pipeline.schedule == "auto" && !request.stages;
  pipeline.stages = choice.placement.stages();
  pipeline.upAndDown = choice.upAndDown;
  pipeline.fused = choice.fused;
  return llvm::Error::success();
}
