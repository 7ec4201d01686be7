//===- ChooseSchedule.cpp - From a word to an order -----------------------===//
//
// See ChooseSchedule.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/ChooseSchedule.h"

#include "Numbers.h"

#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/ScheduleFile.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

namespace partopt::pipeline {

std::string readScheduleFile(ScheduleRequest &request) {
  constexpr std::string_view ending = ".csv";
  const std::string &name = request.name;
  if (name.size() < ending.size() ||
      name.compare(name.size() - ending.size(), ending.size(), ending) != 0)
    return "";
  std::ifstream in(name, std::ios::binary);
  std::ostringstream text;
  if (in)
    text << in.rdbuf();
  if (!in)
    return std::generic_category().message(errno);
  request.file = text.str();
  return "";
}

static bool samePlaces(const Placement &a, const Placement &b) {
  if (a.ranks() != b.ranks() || a.stages() != b.stages() || a.hasTwoWays() ||
      b.hasTwoWays())
    return false;
  for (int stage = 0; stage < a.stages(); ++stage)
    if (a.rank(stage, 0) != b.rank(stage, 0))
      return false;
  return true;
}

static bool hasWeightGrads(const Schedule &order) {
  auto is = [](const Action &action) {
    return action.kind == ActionKind::WeightGrad;
  };
  for (const auto &rank : order.ranks)
    for (const Step &step : rank)
      if (is(step.action) || (step.overlapped && is(*step.overlapped)))
        return true;
  return false;
}

/// Chunks per rank that the stages make, or the schedule's own number.
static std::string countChunks(const ScheduleRequest &request, int &chunks) {
  if (!request.stages)
    return "";
  auto works = [&](int stages) {
    return stages % request.ranks == 0 &&
           (request.name == "auto"
                ? stages > 0
                : takesChunks(request.name, stages / request.ranks));
  };
  if (works(*request.stages)) {
    chunks = *request.stages / request.ranks;
    return "";
  }
  // Schedules of one number of chunks have at most two.
  int most = *request.stages + 2 * request.ranks;
  return request.name + " cannot have " + count(*request.stages, "stage") +
         " on " + count(request.ranks, "rank") + "; " +
         nearestThatWork(*request.stages, most, works) +
         (request.name == "1f1b" && *request.stages > request.ranks
              ? ", and interleaved is 1f1b with more stages per rank"
              : "");
}

/// Empty, or where a file's order is not one that loops over microbatches can
/// run: of each stage and kind, they ascend.
static std::string findDescent(const Schedule &order) {
  std::map<std::pair<int, ActionKind>, Action> last;
  for (const auto &rank : order.ranks)
    for (const Step &step : rank)
      for (const Action *action :
           {&step.action, step.overlapped ? &*step.overlapped : nullptr}) {
        if (!action)
          continue;
        auto [before, isFirst] =
            last.try_emplace({action->stage, action->kind}, *action);
        if (!isFirst && before->second.microbatch > action->microbatch)
          return actionText(before->second) + " comes before " +
                 actionText(*action) +
                 "; a stage takes its microbatches in ascending order";
        before->second = *action;
      }
  return "";
}

static std::string chooseFile(const ScheduleRequest &request,
                              ScheduleChoice &choice) {
  ScheduleFile file;
  std::string wrong = parseScheduleCsv(*request.file, file);
  if (!wrong.empty())
    return request.name + ":" + wrong;
  auto differs = [&](const char *what, int has, int asked) {
    return request.name + " has " + std::to_string(has) + " " + what +
           ", not " + std::to_string(asked);
  };
  const Placement &given = file.placement;
  if (given.ranks() != request.ranks)
    return differs("ranks", given.ranks(), request.ranks);
  if (file.microbatches != request.microbatches)
    return differs("microbatches", file.microbatches, request.microbatches);
  if (request.stages && given.stages() != *request.stages)
    return differs("stages", given.stages(), *request.stages);
  bool isEven = given.stages() % given.ranks() == 0;
  choice.upAndDown = samePlaces(given, Placement::vee(given.ranks()));
  if (!choice.upAndDown &&
      !(isEven &&
        samePlaces(given, Placement::loop(given.ranks(),
                                          given.stages() / given.ranks()))))
    return request.name +
           " has its stages on other ranks than stage s on rank s % ranks, or "
           "the stages r and 2 * ranks - 1 - r on rank r";
  if (std::string descent = findDescent(file.schedule); !descent.empty())
    return request.name + ": " + descent;
  choice.placement = given;
  choice.fused = !hasWeightGrads(file.schedule);
  choice.order = std::move(file.schedule);
  return "";
}

std::string chooseSchedule(const ScheduleRequest &request,
                           ScheduleChoice &choice) {
  if (request.file)
    return chooseFile(request, choice);
  bool isAuto = request.name == "auto";
  const std::vector<std::string> &names = scheduleNames();
  if (!isAuto &&
      std::find(names.begin(), names.end(), request.name) == names.end()) {
    std::string list;
    for (const std::string &name : names)
      list += name + ", ";
    return "there is no schedule '" + request.name + "'; there are " + list +
           "auto, and files that end in .csv";
  }
  ScheduleShape shape;
  shape.ranks = request.ranks;
  shape.microbatches = request.microbatches;
  int chunks = isAuto ? 1 : chunksOf(request.name, shape);
  for (const char *name : {"interleaved", "looped-bfs", "interleaved-zb"})
    if (request.name == name)
      chunks = 2; // what they are for
  if (std::string wrong = countChunks(request, chunks); !wrong.empty())
    return wrong;
  shape.chunks = chunks;
  if (isAuto) {
    choice.placement = Placement::loop(shape.ranks, chunks);
    return "";
  }
  if (std::string wrong = checkShape(request.name, shape); !wrong.empty())
    return wrong;
  choice.placement = placementOf(request.name, shape);
  if (choice.placement.hasTwoWays())
    return "'" + request.name +
           "' needs two copies of the parameters; dualpipev is its form with "
           "one";
  choice.upAndDown =
      samePlaces(choice.placement, Placement::vee(shape.ranks)) &&
      !samePlaces(choice.placement, Placement::loop(shape.ranks, chunks));
  choice.order = makeSchedule(request.name, shape);
  choice.fused = !hasWeightGrads(*choice.order);
  return "";
}

} // namespace partopt::pipeline
