//===- Stages.cpp - The stages of a pipeline, and its bubble --------------===//
//
// See Stages.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Report/Stages.h"

#include "Activity.h"
#include "Html.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/PlanText.h"
#include "partopt/Plan/TextTable.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace partopt::report {

using plan::Segment;

namespace {

/// Stages of one class of ranks.
class ClassStages {
public:
  ClassStages(const plan::PlanT &plan, const plan::ProgramT &program,
              size_t classIndex)
      : plan(plan), program(program), segments(plan::segmentsOf(plan, program)),
        classIndex(classIndex) {}

  std::vector<Stage> stages(const simulate::Timeline &timeline);

private:
  Stage &at(const Segment &segment);
  void takeParameters();
  void takeTimes(const simulate::Timeline &timeline);

  const plan::PlanT &plan;
  const plan::ProgramT &program;
  std::vector<Segment> segments;
  size_t classIndex;
  std::map<int, Stage> byNumber;
};

} // namespace

Stage &ClassStages::at(const Segment &segment) {
  auto [found, isNew] = byNumber.try_emplace(segment.stage);
  Stage &stage = found->second;
  if (isNew) {
    stage.number = segment.stage;
    stage.classIndex = classIndex;
    stage.stash = plan::stashOf(program, segments, segment.stage);
  }
  if (isNew || segment.action == 'F')
    stage.source = plan::locationText(plan, segment.location);
  return stage;
}

/// By buffer: the parameters' buffers that it is made of in front of the
/// segments, such as one row of several, or what was gathered.
static std::map<uint32_t, std::set<uint32_t>>
parameterSources(const plan::ProgramT &program) {
  std::map<uint32_t, std::set<uint32_t>> sources;
  for (const auto &argument : program.arguments)
    if (argument->tensor->role == plan::Role::Param)
      sources[argument->buffer] = {argument->buffer};
  uint32_t segmentsBegin = program.turns ? program.turns->first : 0;
  for (uint32_t i = 0; i < segmentsBegin; ++i) {
    const plan::InstructionT &instruction = *program.instructions[i];
    std::set<uint32_t> read;
    for (uint32_t buffer : instruction.reads)
      if (auto found = sources.find(buffer); found != sources.end())
        read.insert(found->second.begin(), found->second.end());
    for (uint32_t buffer : instruction.writes)
      if (!read.empty())
        sources[buffer].insert(read.begin(), read.end());
  }
  return sources;
}

/// A parameter is the first stage's whose segments read it, or what is made of
/// it in front of them.
void ClassStages::takeParameters() {
  std::map<uint32_t, const plan::TensorT *> parameters; // by buffer
  for (const auto &argument : program.arguments)
    if (argument->tensor->role == plan::Role::Param)
      parameters[argument->buffer] = argument->tensor.get();
  std::map<uint32_t, std::set<uint32_t>> sources = parameterSources(program);
  for (const Segment &segment : segments) {
    if (segment.stage < 0)
      continue;
    Stage &stage = at(segment);
    std::set<std::string> layers(stage.layers.begin(), stage.layers.end());
    for (uint32_t i = segment.begin; i <= segment.end; ++i)
      for (uint32_t read : program.instructions[i]->reads)
        for (uint32_t buffer : sources[read]) {
          auto found = parameters.find(buffer);
          if (found == parameters.end())
            continue;
          stage.parameterBytes += program.buffers[buffer]->bytes;
          const std::string &layer = found->second->layer;
          if (!layer.empty() && layers.insert(layer).second)
            stage.layers.push_back(layer);
          parameters.erase(found);
        }
  }
}

void ClassStages::takeTimes(const simulate::Timeline &timeline) {
  Activities activities(plan, program);
  std::map<uint32_t, const Segment *> byLoop;
  for (const Segment &segment : segments)
    byLoop[segment.loop] = &segment;
  for (const simulate::Interval &step : timeline.steps) {
    if (step.turn == plan::WalkStep::none)
      continue;
    Activity activity = activities.of(step);
    const Segment &segment = *byLoop.at(program.turns->turns[step.turn].loop());
    if (segment.stage >= 0 && activity != Activity::Wait &&
        activity != Activity::Idle)
      byNumber.at(segment.stage).share += step.seconds();
  }
}

std::vector<Stage> ClassStages::stages(const simulate::Timeline &timeline) {
  takeParameters();
  takeTimes(timeline);
  for (const auto &[number, kept] : predictStash(plan, program).stages)
    byNumber.at(number).predicted = kept;
  std::vector<Stage> list;
  for (auto &[number, stage] : byNumber)
    list.push_back(std::move(stage));
  return list;
}

std::vector<Stage> stagesOf(const plan::PlanT &plan, size_t entry,
                            const std::vector<simulate::Timeline> &timelines) {
  std::vector<Stage> stages;
  for (size_t i = 0; i < plan.classes.size(); ++i)
    if (const plan::ProgramT *program =
            plan::programOf(*plan.classes[i], entry))
      for (Stage &stage : ClassStages(plan, *program, i).stages(timelines[i]))
        stages.push_back(std::move(stage));
  std::sort(stages.begin(), stages.end(), [](const Stage &a, const Stage &b) {
    return std::tie(a.number, a.classIndex) < std::tie(b.number, b.classIndex);
  });
  double total = 0;
  for (const Stage &stage : stages)
    total += stage.share;
  for (Stage &stage : stages)
    stage.share = total > 0 ? stage.share / total : 0;
  return stages;
}

std::string layersText(const Stage &stage) {
  constexpr size_t shown = 3;
  std::string text;
  for (size_t i = 0; i < stage.layers.size() && i < shown; ++i)
    text += (i ? ", " : "") + stage.layers[i];
  if (stage.layers.size() > shown)
    text += " and " + std::to_string(stage.layers.size() - shown) + " more";
  return text;
}

std::string stageTable(const plan::PlanT &plan, size_t entry,
                       const std::vector<simulate::Timeline> &timelines) {
  std::vector<Stage> stages = stagesOf(plan, entry, timelines);
  if (stages.empty())
    return "";
  plan::Table table({"stage", "ranks", "time", "parameters", "stash", "kept",
                     "stash slots", "peak", "layers", "begins at"},
                    {0, 2, 3, 4, 5, 6, 7});
  for (const Stage &stage : stages) {
    const plan::ProgramT &program =
        *plan::programOf(*plan.classes[stage.classIndex], entry);
    table.add({std::to_string(stage.number),
               plan::ranksText(plan::ranksOf(plan, stage.classIndex)),
               percentText(stage.share), std::to_string(stage.parameterBytes),
               std::to_string(stage.stash.bytes),
               std::to_string(stage.predicted.microbatches),
               std::to_string(stage.stash.slots),
               std::to_string(program.peak_bytes), layersText(stage),
               stage.source});
  }
  return table.text() + "  bubble " +
         percentText(bubbleFraction(plan, entry, timelines)) +
         ": what a rank waits for messages of other stages, of the time "
         "between its first and\n  last segment, on average\n";
}

double idleFraction(const plan::PlanT &plan, const plan::ProgramT &program,
                    const simulate::Timeline &timeline) {
  Activities activities(plan, program);
  uint32_t firstTurn = plan::WalkStep::none;
  double begin = 0, end = 0, idle = 0;
  bool hasBegun = false;
  for (const simulate::Interval &step : timeline.steps) {
    if (step.turn == plan::WalkStep::none)
      continue;
    if (firstTurn == plan::WalkStep::none)
      firstTurn = step.turn;
    Activity activity = activities.of(step);
    if (activity == Activity::Idle && step.turn == firstTurn) {
      begin = step.end; // what its first segment waits for
      hasBegun = true;
    } else if (activity == Activity::Idle) {
      idle += step.seconds();
    } else if (step.seconds() > 0) {
      if (!hasBegun)
        begin = step.start;
      hasBegun = true;
    }
    end = step.end;
  }
  return end > begin ? idle / (end - begin) : 0;
}

double bubbleFraction(const plan::PlanT &plan, size_t entry,
                      const std::vector<simulate::Timeline> &timelines) {
  double sum = 0;
  size_t ranks = 0;
  for (size_t i = 0; i < plan.classes.size(); ++i) {
    const plan::ProgramT *program = plan::programOf(*plan.classes[i], entry);
    if (!program || !program->turns)
      continue;
    size_t count = plan::ranksOf(plan, i).size();
    sum +=
        static_cast<double>(count) * idleFraction(plan, *program, timelines[i]);
    ranks += count;
  }
  return ranks ? sum / static_cast<double>(ranks) : 0;
}

} // namespace partopt::report
