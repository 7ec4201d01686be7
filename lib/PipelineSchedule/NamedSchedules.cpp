//===- NamedSchedules.cpp - Published schedules by their names ------------===//
//
// The table of names, and what each needs of ranks, chunks and microbatches.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/NamedSchedules.h"

#include "Numbers.h"
#include "RankOrder.h"

#include <limits>

namespace partopt::pipeline {

namespace {

enum class Ways { Loop, Vee, Bidirectional };

/// Empty, or why this number of microbatches is not possible.
using NeedOfMicrobatches = std::string (*)(const ScheduleShape &shape);

struct NamedSchedule {
  const char *name;
  Ways ways;
  int chunks; ///< per rank; 0: any number
  NeedOfMicrobatches need;
  Schedule (*orders)(const ScheduleShape &shape);
};

} // namespace

static std::string needNothing(const ScheduleShape &) { return ""; }

/// At least `least`, which `why` explains.
static std::string needAtLeast(const ScheduleShape &shape, int least,
                               const char *why) {
  if (shape.microbatches >= least)
    return "";
  return std::string("needs ") + why + ", at least " + std::to_string(least);
}

static std::string needRanks(const ScheduleShape &shape) {
  return needAtLeast(shape, shape.ranks, "a microbatch per rank");
}

static std::string needTwiceRanksLessOne(const ScheduleShape &shape) {
  return needAtLeast(shape, 2 * shape.ranks - 1,
                     "two microbatches per rank less one");
}

static std::string needTwiceRanks(const ScheduleShape &shape) {
  return needAtLeast(shape, 2 * shape.ranks, "two microbatches per rank");
}

static std::string needEvenPairs(const ScheduleShape &shape) {
  if (shape.microbatches % 2 != 0)
    return "needs an even number of them, half for each way";
  return needTwiceRanks(shape);
}

/// PyTorch's rule, or Megatron's where the group is given.
static std::string needGroups(const ScheduleShape &shape) {
  int p = shape.ranks, m = shape.microbatches;
  if (shape.groupSize) {
    int rest = m % *shape.groupSize;
    if (m >= *shape.groupSize && (rest == 0 || rest >= p))
      return "";
    return "needs whole groups of " + std::to_string(*shape.groupSize) +
           ", or a last one of at least " + count(p, "rank");
  }
  int rounds = std::max(1, m / p);
  if (m % rounds == 0)
    return "";
  return "needs a multiple of its " + count(rounds, "round") + " of at least " +
         count(p, "rank");
}

/// Of a rule that looks at one rank alone.
template <std::vector<Step> (*rule)(const ScheduleShape &, int)>
static Schedule eachRank(const ScheduleShape &shape) {
  Schedule schedule;
  for (int rank = 0; rank < shape.ranks; ++rank)
    schedule.ranks.push_back(rule(shape, rank));
  return schedule;
}

static const NamedSchedule table[] = {
    {"gpipe", Ways::Loop, 1, needNothing, eachRank<gpipeOrder>},
    {"1f1b", Ways::Loop, 1, needNothing, eachRank<oneFOneBOrder>},
    {"eager-1f1b", Ways::Loop, 1, needNothing, eachRank<eagerOneFOneBOrder>},
    {"interleaved", Ways::Loop, 0, needGroups, eachRank<interleavedOrder>},
    {"looped-bfs", Ways::Loop, 0, needRanks, eachRank<loopedBfsOrder>},
    {"zb-h1", Ways::Loop, 1, needRanks, eachRank<zbH1Order>},
    {"zb-h2", Ways::Loop, 1, needTwiceRanksLessOne, eachRank<zbH2Order>},
    {"interleaved-zb", Ways::Loop, 0, needGroups, eachRank<interleavedZbOrder>},
    {"zb-v", Ways::Vee, 2, needNothing, eachRank<zbVOrder>},
    {"v-half", Ways::Vee, 2, needNothing, vHalfSchedule},
    {"v-min", Ways::Vee, 2, needNothing, vMinSchedule},
    {"dualpipe", Ways::Bidirectional, 1, needEvenPairs,
     eachRank<dualPipeOrder>},
    {"dualpipev", Ways::Vee, 2, needTwiceRanks, eachRank<dualPipeVOrder>},
    {"inference", Ways::Loop, 0, needNothing, eachRank<inferenceOrder>},
};

const std::vector<std::string> &scheduleNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const NamedSchedule &entry : table)
      list.push_back(entry.name);
    return list;
  }();
  return names;
}

static const NamedSchedule &find(const std::string &name) {
  const NamedSchedule *found = std::begin(table);
  while (name != found->name)
    ++found;
  return *found;
}

/// The chunks filled in.
static ScheduleShape completed(const NamedSchedule &entry,
                               ScheduleShape shape) {
  shape.chunks = shape.chunks.value_or(std::max(1, entry.chunks));
  return shape;
}

int chunksOf(const std::string &name, const ScheduleShape &shape) {
  return *completed(find(name), shape).chunks;
}

bool isForwardOnly(const std::string &name) { return name == "inference"; }

bool takesChunks(const std::string &name, int chunks) {
  const NamedSchedule &entry = find(name);
  // Both chunks of a rank may be meant, or the one of the chain that they are.
  bool isOfBothWays = entry.ways == Ways::Bidirectional && chunks == 2;
  return chunks >= 1 &&
         (entry.chunks == 0 || chunks == entry.chunks || isOfBothWays);
}

static std::string nearestMicrobatches(const NamedSchedule &entry,
                                       ScheduleShape shape) {
  return nearestThatWork(shape.microbatches, std::numeric_limits<int>::max(),
                         [&](int count) {
                           shape.microbatches = count;
                           return entry.need(shape).empty();
                         });
}

/// Options that only interleaving has.
static std::string checkInterleaving(const std::string &name,
                                     const ScheduleShape &shape) {
  bool isGrouped = find(name).need == needGroups;
  if (shape.groupSize && !isGrouped)
    return name + " has no groups of microbatches; interleaved and "
                  "interleaved-zb have";
  if (shape.groupSize && *shape.groupSize < shape.ranks)
    return name + " takes groups of at least " + count(shape.ranks, "rank") +
           ", not of " + count(*shape.groupSize, "microbatch") +
           "; the nearest that works is " + std::to_string(shape.ranks);
  if (shape.extraWarmup != 0 && name != "interleaved")
    return name + " has no extra warm-up; interleaved has";
  return "";
}

std::string checkShape(const std::string &name, const ScheduleShape &shape) {
  const NamedSchedule &entry = find(name);
  if (shape.ranks < 1)
    return "the number of ranks is at least 1, not " +
           std::to_string(shape.ranks);
  if (shape.microbatches < 1)
    return "the number of microbatches is at least 1, not " +
           std::to_string(shape.microbatches);
  if (shape.chunks && entry.chunks != 0 && !takesChunks(name, *shape.chunks))
    return name + " has " + count(entry.chunks, "chunk") + " per rank, not " +
           std::to_string(*shape.chunks) +
           (name == "1f1b" ? "; interleaved is 1f1b with more" : "");
  if (shape.chunks && *shape.chunks < 1)
    return "the number of chunks per rank is at least 1, not " +
           std::to_string(*shape.chunks);
  if (entry.ways == Ways::Bidirectional && shape.ranks % 2 != 0)
    return name + " needs an even number of ranks, not " +
           std::to_string(shape.ranks) +
           "; the nearest numbers that work are " +
           (shape.ranks > 1 ? std::to_string(shape.ranks - 1) + " and " : "") +
           std::to_string(shape.ranks + 1);
  std::string wrong = checkInterleaving(name, shape);
  if (!wrong.empty())
    return wrong;
  std::string need = entry.need(shape);
  if (need.empty())
    return "";
  return name + " cannot take " + count(shape.microbatches, "microbatch") +
         " on " + count(shape.ranks, "rank") + ": it " + need + "; " +
         nearestMicrobatches(entry, shape);
}

Placement placementOf(const std::string &name, const ScheduleShape &shape) {
  const NamedSchedule &entry = find(name);
  switch (entry.ways) {
  case Ways::Vee:
    return Placement::vee(shape.ranks);
  case Ways::Bidirectional:
    return Placement::bidirectional(shape.ranks, shape.microbatches);
  case Ways::Loop:
    break;
  }
  return Placement::loop(shape.ranks, *completed(entry, shape).chunks);
}

Schedule makeSchedule(const std::string &name, const ScheduleShape &shape) {
  const NamedSchedule &entry = find(name);
  return entry.orders(completed(entry, shape));
}

} // namespace partopt::pipeline
