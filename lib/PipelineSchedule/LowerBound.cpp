//===- LowerBound.cpp - What no order can beat ----------------------------===//
//
// See docs/RationaleSchedules.md for the derivation of each bound.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/LowerBound.h"

#include <algorithm>

namespace partopt::pipeline {

namespace {

/// One stage with the microbatches of one way.
struct BoundChunk {
  int stage, count;
  double head;     ///< before its first forward can begin
  double gradHead; ///< before its first input gradient can begin
  double tail;     ///< after its last input gradient, until the end of all
  double hold;     ///< from a forward's start to its weight gradient's end
};

class BoundOfRanks {
public:
  explicit BoundOfRanks(const Problem &problem);
  double bound() const;

private:
  void addWay(int microbatch, int count);
  double rankBound(int rank) const;
  double holdBound(int rank) const;
  double chainedHoldBound(int rank) const;

  const Problem &problem;
  std::vector<std::vector<BoundChunk>> ranks;
};

} // namespace

BoundOfRanks::BoundOfRanks(const Problem &problem)
    : problem(problem), ranks(problem.ranks()) {
  int first = problem.placement.firstOfOtherWay();
  addWay(0, std::min(first, problem.microbatches));
  if (first < problem.microbatches)
    addWay(first, problem.microbatches - first);
}

void BoundOfRanks::addWay(int microbatch, int count) {
  int stages = problem.stages();
  std::vector<BoundChunk> chain(stages);
  double time = 0;
  for (int stage = 0; stage < stages; ++stage) {
    if (stage > 0)
      time += problem.transfer(stage - 1, microbatch);
    chain[stage].stage = stage;
    chain[stage].count = count;
    chain[stage].head = time;
    time += problem.times[stage].forward;
  }
  if (!problem.forwardOnly)
    for (int stage = stages; stage-- > 0;) {
      if (stage + 1 < stages)
        time += problem.transfer(stage, microbatch);
      chain[stage].gradHead = time;
      time += problem.times[stage].inputGrad;
      chain[stage].hold =
          time + problem.times[stage].weightGrad - chain[stage].head;
    }
  double tail = problem.times[0].weightGrad;
  for (int stage = 0; stage < stages; ++stage) {
    chain[stage].tail = tail;
    if (stage + 1 < stages)
      tail +=
          problem.times[stage].inputGrad + problem.transfer(stage, microbatch);
    ranks[problem.placement.rank(stage, microbatch)].push_back(chain[stage]);
  }
}

/// The `most` largest of count copies of each value.
static double largestSum(std::vector<std::pair<double, int>> values, int most) {
  std::sort(values.rbegin(), values.rend());
  double sum = 0;
  for (const auto &[value, count] : values) {
    int taken = std::min(count, most);
    sum += value * taken;
    most -= taken;
  }
  return sum;
}

/// Work, begun late and ended early: before the first gradient arrives there
/// are only forwards to do, as many as memory takes; after the last one only
/// weight gradients.
double BoundOfRanks::rankBound(int rank) const {
  const std::vector<BoundChunk> &chunks = ranks[rank];
  double head = 1e300, gradHead = 1e300, tail = 1e300;
  double forwardWork = 0, backwardWork = 0;
  std::vector<std::pair<double, int>> forwards, weightGrads;
  int count = 0;
  for (const BoundChunk &chunk : chunks) {
    const StageTimes &times = problem.times[chunk.stage];
    head = std::min(head, chunk.head);
    forwardWork += chunk.count * times.forward;
    if (problem.forwardOnly)
      continue;
    gradHead = std::min(gradHead, chunk.gradHead);
    tail = std::min(tail, chunk.tail);
    backwardWork += chunk.count * times.backward();
    forwards.push_back({times.forward, chunk.count});
    weightGrads.push_back({times.weightGrad, chunk.count});
    count += chunk.count;
  }
  if (problem.forwardOnly)
    return head + forwardWork;
  double hidden = problem.overlapGain * std::min(forwardWork, backwardWork);
  double work = forwardWork + backwardWork - hidden;
  int kept = std::min(count, problem.capOf(rank).value_or(count));
  double start = std::max(head, gradHead - largestSum(forwards, kept));
  return start + work + std::max(0.0, tail - largestSum(weightGrads, kept));
}

/// Chunks that are kept take room for a time; with room for so many, all of
/// them take at least their sum divided by it. Room fills one forward after the
/// other and empties one weight gradient after the other.
double BoundOfRanks::holdBound(int rank) const {
  const std::vector<BoundChunk> &chunks = ranks[rank];
  int count = 0;
  double area = 0, head = 1e300, forward = 1e300, weightGrad = 1e300;
  for (const BoundChunk &chunk : chunks) {
    count += chunk.count;
    area += chunk.count * chunk.hold;
    head = std::min(head, chunk.head);
    forward = std::min(forward, problem.times[chunk.stage].forward);
    weightGrad = std::min(weightGrad, problem.times[chunk.stage].weightGrad);
  }
  int room = problem.capOf(rank).value_or(count);
  if (room >= count)
    return 0;
  double ramp = (forward + weightGrad) * room * (room - 1) / 2;
  return head + (area + ramp) / room;
}

/// The same where a rank has one chunk: microbatch i + room begins when i is
/// through, and the last one has to go all the way.
double BoundOfRanks::chainedHoldBound(int rank) const {
  const BoundChunk &chunk = ranks[rank].front();
  int room = problem.capOf(rank).value_or(chunk.count);
  const StageTimes &times = problem.times[chunk.stage];
  int turns = (chunk.count - 1) / room, rest = (chunk.count - 1) % room;
  double last = chunk.head + turns * chunk.hold + rest * times.forward;
  return last + chunk.hold + std::max(0.0, chunk.tail - times.weightGrad);
}

double BoundOfRanks::bound() const {
  double bound = 0;
  for (int rank = 0; rank < problem.ranks(); ++rank) {
    bound = std::max(bound, rankBound(rank));
    if (problem.forwardOnly)
      continue;
    bound = std::max(bound, holdBound(rank));
    if (ranks[rank].size() == 1)
      bound = std::max(bound, chainedHoldBound(rank));
  }
  return bound;
}

double makespanBound(const Problem &problem) {
  return BoundOfRanks(problem).bound();
}

} // namespace partopt::pipeline
