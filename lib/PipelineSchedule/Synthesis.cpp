//===- Synthesis.cpp - An order made for the stages' own times ------------===//
//
// Starts (named schedules, list schedules by a grid of rules), then the best
// list rule changed rank by rank, then the best orders improved op by op.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/Synthesis.h"

#include "partopt/PipelineSchedule/LowerBound.h"
#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/SimulateSchedule.h"

#include "ImproveOrder.h"
#include "ListSchedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace partopt::pipeline {

/// Ops that one problem's synthesis times; at some 15 ns for each, a third of a
/// second.
static constexpr long opBudget = 24'000'000;

namespace {

struct Candidate {
  FlatOrder order;
  double makespan = never;
  int peak = 0; ///< chunks that its ranks keep, at most

  bool operator<(const Candidate &other) const {
    return std::tie(makespan, peak) < std::tie(other.makespan, other.peak);
  }
};

/// The search for one problem.
class Search {
public:
  explicit Search(const Problem &problem)
      : problem(problem), flat(problem), timer(flat),
        bound(makespanBound(problem)),
        runs(opBudget / std::max<long>(1, long(flat.duration.size()))) {}

  /// The order, and its makespan.
  std::pair<Schedule, double> run();

private:
  void tryNamed();
  void tryRules();
  void changeRules();
  void improve();
  double timeRule(const ListRule &rule);
  void keep(FlatOrder order, double makespan);
  /// Numbers of chunks that ranks keep at most, worth trying.
  std::vector<std::vector<RankRule>> keepLevels() const;
  bool isDone() const {
    return !best.empty() && best.front().makespan <= bound;
  }

  const Problem &problem;
  FlatProblem flat;
  FlatTimer timer;
  double bound;
  long runs;                   ///< orders that can be timed within the budget
  std::vector<Candidate> best; ///< the shortest first
  ListRule bestRule;
  double bestRuleTime = never;
  Schedule named; ///< the best one as it is, with its pairs
  double namedTime = never;
};

} // namespace

void Search::keep(FlatOrder order, double makespan) {
  constexpr size_t kept = 3;
  Candidate candidate{std::move(order), makespan, 0};
  if (best.size() == kept && makespan > best.back().makespan)
    return;
  for (const std::vector<int> &ops : candidate.order)
    candidate.peak = std::max(candidate.peak, peakOf(flat, ops));
  auto place = std::lower_bound(best.begin(), best.end(), candidate);
  // Starts for the local search should differ.
  if (place != best.end() && !(candidate < *place))
    return;
  best.insert(place, std::move(candidate));
  if (best.size() > kept)
    best.pop_back();
}

void Search::tryNamed() {
  ScheduleShape shape;
  shape.ranks = problem.ranks();
  shape.microbatches = problem.microbatches;
  for (const std::string &name : scheduleNames()) {
    shape.chunks.reset();
    if (chunksOf(name, shape) * shape.ranks != problem.stages())
      shape.chunks = problem.stages() / shape.ranks;
    if (isForwardOnly(name) || !checkShape(name, shape).empty() ||
        placementOf(name, shape).stagesOfRanks() !=
            problem.placement.stagesOfRanks())
      continue;
    Schedule schedule = makeSchedule(name, shape);
    Timing timing = simulateSchedule(problem, schedule);
    if (!std::equal(timing.peak.begin(), timing.peak.end(), flat.caps.begin(),
                    std::less_equal<>()))
      continue;
    if (timing.makespan < namedTime) {
      namedTime = timing.makespan;
      named = schedule;
    }
    FlatOrder order = flatten(flat, schedule);
    double makespan = timer.run(order);
    keep(std::move(order), makespan);
  }
}

double Search::timeRule(const ListRule &rule) {
  FlatOrder order = listSchedule(flat, rule);
  double makespan = timer.run(order);
  if (makespan < bestRuleTime) {
    bestRuleTime = makespan;
    bestRule = rule;
  }
  keep(std::move(order), makespan);
  return makespan;
}

std::vector<std::vector<RankRule>> Search::keepLevels() const {
  std::vector<std::vector<RankRule>> levels;
  auto round = [](double value, int least, int most) {
    value = std::min(std::ceil(value - 1e-9), double(most));
    return std::max(static_cast<int>(value), least);
  };
  // All chunks of a rank together.
  auto add = [&](auto &&chunksOfRank) {
    std::vector<RankRule> level(flat.ranks);
    for (int rank = 0; rank < flat.ranks; ++rank) {
      level[rank].keep = round(chunksOfRank(rank),
                               flat.chunksOfMicrobatch(rank), flat.caps[rank]);
      level[rank].keepOfChunk.assign(flat.chunks[rank].size(), flat.caps[rank]);
    }
    levels.push_back(std::move(level));
  };
  // As many of each as begin while one is on its way there and back.
  for (double factor : {1.0, 1.3, 0.85, 1.15, 1.5, 2.0, 0.7, 1.75, 2.5}) {
    add([&](int rank) { return double(flat.caps[rank]); });
    for (int rank = 0; rank < flat.ranks; ++rank) {
      double work = 0;
      for (const FlatChunk &chunk : flat.chunks[rank]) {
        const StageTimes &times = problem.times[chunk.stage];
        work += times.forward + times.backward();
      }
      std::vector<int> &most = levels.back()[rank].keepOfChunk;
      for (size_t c = 0; c < most.size(); ++c)
        most[c] = work > 0 ? round(factor * flat.chunks[rank][c].hold / work, 1,
                                   flat.caps[rank])
                           : flat.caps[rank];
    }
  }
  int ranks = flat.ranks;
  int largestCap = *std::max_element(flat.caps.begin(), flat.caps.end());
  double chunks = flat.chunksOfMicrobatch(0);
  for (double factor : {1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0}) {
    if (chunks * factor * ranks < largestCap)
      add([&](int) { return chunks * factor * ranks; });
    add([&](int rank) { return chunks * factor * (ranks - rank); });
  }
  add([&](int rank) { return double(flat.caps[rank]); });
  return levels;
}

void Search::tryRules() {
  bool hasChunks = flat.chunks[0].size() > 1;
  std::vector<std::pair<ChunkOrder, ChunkOrder>> orders = {
      {ChunkOrder::Deepest, ChunkOrder::Deepest}};
  if (hasChunks)
    orders = {{ChunkOrder::Deepest, ChunkOrder::Deepest},
              {ChunkOrder::Deepest, ChunkOrder::Oldest},
              {ChunkOrder::Oldest, ChunkOrder::Oldest}};
  long left = std::max(1L, runs / 8);
  for (const std::vector<RankRule> &level : keepLevels())
    for (const auto &[forwards, backwards] : orders)
      for (bool forwardFirst : {true, false})
        for (bool spares : {true, false})
          for (double patience : {0.0, 0.5, 1.0}) {
            if ((!spares && patience > 0) || isDone() || --left < 0)
              continue;
            ListRule rule{level, forwards, backwards};
            for (int rank = 0; rank < flat.ranks; ++rank) {
              RankRule &own = rule.ranks[rank];
              own.forwardFirst = forwardFirst;
              own.patience = patience;
              own.spareWeights = spares ? flat.caps[rank] : 0;
            }
            timeRule(rule);
          }
}

/// One number of one rank at a time, as long as that helps.
void Search::changeRules() {
  long left = runs / 32;
  bool changed = true;
  while (changed && left > 0 && !isDone()) {
    changed = false;
    for (int rank = 0; rank < flat.ranks; ++rank) {
      RankRule own = bestRule.ranks[rank];
      int least = flat.chunksOfMicrobatch(rank);
      std::vector<RankRule> others(6, own);
      others[0].keep = std::min(own.keep + 1, flat.caps[rank]);
      others[1].keep = std::max(own.keep - 1, least);
      others[2].forwardFirst = !own.forwardFirst;
      others[3].patience = own.patience > 0 ? own.patience - 0.5 : 1;
      others[4].spareWeights = own.spareWeights > 0 ? 0 : 1;
      others[5].spareWeights = rank;
      for (size_t c = 0; c < own.keepOfChunk.size(); ++c)
        for (int change : {1, -1}) {
          others.push_back(own);
          int &keep = others.back().keepOfChunk[c];
          keep = std::clamp(keep + change, 1, flat.caps[rank]);
        }
      for (const RankRule &other : others) {
        if (--left < 0 || isDone())
          return;
        ListRule rule = bestRule;
        rule.ranks[rank] = other;
        double before = bestRuleTime;
        changed |= timeRule(rule) < before;
      }
    }
  }
}

void Search::improve() {
  if (best.empty())
    return;
  std::vector<Candidate> starts = best;
  long rounds = runs / 2 / static_cast<long>(starts.size());
  for (Candidate &start : starts) {
    if (isDone())
      return;
    double makespan = improveOrder(flat, start.order, rounds, bound);
    keep(std::move(start.order), makespan);
  }
}

std::pair<Schedule, double> Search::run() {
  tryNamed();
  tryRules();
  if (bestRuleTime < never)
    changeRules();
  improve();
  // A named order's pairs may gain what gradients apart do not have.
  if (best.empty() || namedTime < best.front().makespan)
    return {named, namedTime};
  return {unflatten(flat, best.front().order), best.front().makespan};
}

std::vector<Problem> placementsOf(const ScheduleShape &shape,
                                  std::optional<int> memoryCap) {
  ScheduleShape complete = shape;
  complete.chunks = shape.chunks.value_or(1);
  std::vector<Placement> placements = {
      Placement::loop(shape.ranks, *complete.chunks)};
  if (complete.chunks == 2)
    placements.push_back(Placement::vee(shape.ranks));
  if (complete.chunks == 1 && checkShape("dualpipe", complete).empty() &&
      memoryCap.value_or(shape.ranks + 1) > shape.ranks)
    placements.push_back(
        Placement::bidirectional(shape.ranks, shape.microbatches));
  std::vector<Problem> problems;
  for (Placement &placement : placements) {
    Problem problem;
    problem.placement = std::move(placement);
    problem.microbatches = shape.microbatches;
    problem.memoryCap = memoryCap;
    problems.push_back(std::move(problem));
  }
  return problems;
}

int smallestCap(const Problem &problem) {
  FlatProblem flat(problem);
  int smallest = 1;
  for (int rank = 0; rank < flat.ranks; ++rank)
    smallest = std::max(smallest, flat.chunksOfMicrobatch(rank));
  return smallest;
}

/// Of all ranks; absent: there is no cap.
static std::optional<int> smallestOfCaps(const Problem &problem) {
  std::optional<int> smallest;
  for (int rank = 0; rank < problem.ranks(); ++rank)
    if (std::optional<int> cap = problem.capOf(rank))
      smallest = std::min(*cap, smallest.value_or(*cap));
  return smallest;
}

std::string synthesize(const std::vector<Problem> &problems,
                       Synthesis &result) {
  result.makespan = result.lowerBound = never;
  int smallest = 1 << 30;
  for (const Problem &problem : problems) {
    int least = smallestCap(problem);
    smallest = std::min(smallest, least);
    if (smallestOfCaps(problem).value_or(least) < least)
      continue;
    auto [schedule, makespan] = Search(problem).run();
    result.lowerBound = std::min(result.lowerBound, makespanBound(problem));
    if (makespan < result.makespan) {
      result.makespan = makespan;
      result.problem = problem;
      result.schedule = std::move(schedule);
    }
  }
  if (result.makespan < never)
    return "";
  int cap = smallestOfCaps(problems.front()).value_or(0);
  return "no schedule fits a memory cap of " + std::to_string(cap) +
         (cap == 1 ? " chunk" : " chunks") +
         "; the smallest cap that works is " + std::to_string(smallest);
}

} // namespace partopt::pipeline
