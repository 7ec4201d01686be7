//===- ListSchedule.cpp - Orders from priorities --------------------------===//
//
// Events in the order of time: the rank that can decide first does. Within a
// list (one stage's forwards, say) microbatches go in their order, which costs
// nothing since they are alike.
//
//===----------------------------------------------------------------------===//

#include "ListSchedule.h"

#include <algorithm>

namespace partopt::pipeline {

namespace {

/// What has been issued of a chunk, in microbatches of its way.
struct Progress {
  int forwards = 0, inputGrads = 0, weightGrads = 0;
};

struct RankState {
  double free = 0;
  int kept = 0;
  int spare = 0; ///< weight gradients that could run
  std::vector<Progress> chunks;
};

/// An op that a rank may run next, and from when.
struct Choice {
  int op = -1;
  int chunk = -1;
  double time = never;
};

class ListScheduler {
public:
  ListScheduler(const FlatProblem &flat, const ListRule &rule);
  FlatOrder run();

private:
  /// When the input of the op is there.
  double arrival(int op) const {
    int input = flat.input[op];
    return input < 0 ? 0 : end[input] + flat.delay[op];
  }
  bool fitsMemory(int rank, int chunk) const;
  /// `otherwise`, or this op if it is there earlier or, by `now`, is preferred.
  void consider(Choice &best, const Choice &other, double now,
                ChunkOrder prefer) const;
  Choice nextForward(int rank, double now) const;
  Choice nextInputGrad(int rank, double now) const;
  Choice nextWeightGrad(int rank) const;
  /// The rank's next op; its time is when the rank begins it, or has to look
  /// again (op -1), or never.
  Choice decide(int rank);
  void issue(int rank, const Choice &choice);

  const FlatProblem &flat;
  const ListRule &rule;
  std::vector<RankState> states;
  std::vector<double> end; ///< by op; never: not yet
  FlatOrder order;
};

} // namespace

ListScheduler::ListScheduler(const FlatProblem &flat, const ListRule &rule)
    : flat(flat), rule(rule), states(flat.ranks),
      end(flat.duration.size(), never), order(flat.ranks) {
  for (int rank = 0; rank < flat.ranks; ++rank)
    states[rank].chunks.resize(flat.chunks[rank].size());
}

/// Whether every older microbatch could still be finished, the oldest first,
/// each with what those before it have given back: the banker's rule. Without
/// it the chunks of younger ones fill the memory and nothing ends.
bool ListScheduler::fitsMemory(int rank, int chunk) const {
  const RankState &state = states[rank];
  const std::vector<FlatChunk> &chunks = flat.chunks[rank];
  const Progress &own = state.chunks[chunk];
  int room = rule.ranks[rank].keep - state.kept - 1;
  if (room < 0 ||
      own.forwards - own.weightGrads >= rule.ranks[rank].keepOfChunk[chunk])
    return false;
  int most = static_cast<int>(chunks.size());
  int key = own.forwards * flat.ways + chunks[chunk].way;
  int oldest = key;
  for (int c = 0; c < most; ++c)
    if (state.chunks[c].weightGrads < chunks[c].count)
      oldest = std::min(oldest, state.chunks[c].weightGrads * flat.ways +
                                    chunks[c].way);
  for (; oldest < key && room < most; ++oldest) {
    int microbatch = oldest / flat.ways, way = oldest % flat.ways;
    int held = 0, toCome = 0;
    for (int c = 0; c < most; ++c) {
      const Progress &progress = state.chunks[c];
      if (chunks[c].way != way || microbatch >= chunks[c].count)
        continue;
      toCome += progress.forwards <= microbatch;
      held +=
          progress.forwards > microbatch && progress.weightGrads <= microbatch;
    }
    if (toCome > room)
      return false;
    room += held;
  }
  return true;
}

void ListScheduler::consider(Choice &best, const Choice &other, double now,
                             ChunkOrder prefer) const {
  double bestTime = std::max(best.time, now);
  double otherTime = std::max(other.time, now);
  if (otherTime != bestTime) {
    if (otherTime < bestTime)
      best = other;
    return;
  }
  if (best.op < 0 || other.op < 0)
    return;
  // Deeper means later among forwards, earlier among gradients.
  Action mine = flat.actionOf(best.op), its = flat.actionOf(other.op);
  bool deeper = its.kind == ActionKind::Forward ? its.stage > mine.stage
                                                : its.stage < mine.stage;
  bool older = its.microbatch < mine.microbatch;
  bool same = its.microbatch == mine.microbatch;
  if (prefer == ChunkOrder::Deepest ? deeper : older || (same && deeper))
    best = other;
}

Choice ListScheduler::nextForward(int rank, double now) const {
  Choice best;
  const std::vector<FlatChunk> &chunks = flat.chunks[rank];
  for (size_t c = 0; c < chunks.size(); ++c) {
    int done = states[rank].chunks[c].forwards;
    if (done == chunks[c].count || !fitsMemory(rank, static_cast<int>(c)))
      continue;
    int op =
        flat.id(ActionKind::Forward, chunks[c].stage, chunks[c].first + done);
    consider(best, {op, static_cast<int>(c), arrival(op)}, now, rule.forwards);
  }
  return best;
}

Choice ListScheduler::nextInputGrad(int rank, double now) const {
  Choice best;
  const std::vector<FlatChunk> &chunks = flat.chunks[rank];
  for (size_t c = 0; c < chunks.size(); ++c) {
    const Progress &progress = states[rank].chunks[c];
    if (progress.inputGrads == progress.forwards)
      continue;
    int op = flat.id(ActionKind::InputGrad, chunks[c].stage,
                     chunks[c].first + progress.inputGrads);
    consider(best, {op, static_cast<int>(c), arrival(op)}, now, rule.backwards);
  }
  return best;
}

Choice ListScheduler::nextWeightGrad(int rank) const {
  Choice best;
  const std::vector<FlatChunk> &chunks = flat.chunks[rank];
  for (size_t c = 0; c < chunks.size(); ++c) {
    const Progress &progress = states[rank].chunks[c];
    if (progress.weightGrads == progress.inputGrads)
      continue;
    int op = flat.id(ActionKind::WeightGrad, chunks[c].stage,
                     chunks[c].first + progress.weightGrads);
    if (best.op < 0 || op % flat.microbatches < best.op % flat.microbatches)
      best = {op, static_cast<int>(c), 0};
  }
  return best;
}

Choice ListScheduler::decide(int rank) {
  RankState &state = states[rank];
  const RankRule &own = rule.ranks[rank];
  double now = state.free;
  Choice forward = nextForward(rank, now), gradient = nextInputGrad(rank, now);
  forward.time = std::max(forward.time, now);
  gradient.time = std::max(gradient.time, now);
  Choice best = gradient;
  if (forward.time < gradient.time ||
      (forward.time == gradient.time && own.forwardFirst))
    best = forward;
  if (state.spare == 0)
    return best;
  Choice weight = nextWeightGrad(rank);
  weight.time = now;
  if (state.spare > own.spareWeights)
    return weight;
  if (best.time <= now)
    return best;
  double wait = own.patience * flat.duration[weight.op];
  return best.time - now < wait ? best : weight;
}

void ListScheduler::issue(int rank, const Choice &choice) {
  RankState &state = states[rank];
  Progress &progress = state.chunks[choice.chunk];
  switch (flat.kindOf(choice.op)) {
  case ActionKind::Forward:
    ++progress.forwards;
    ++state.kept;
    break;
  case ActionKind::InputGrad:
    ++progress.inputGrads;
    ++state.spare;
    break;
  default:
    ++progress.weightGrads;
    --state.spare;
    --state.kept;
    break;
  }
  order[rank].push_back(choice.op);
  state.free = choice.time + flat.duration[choice.op];
  end[choice.op] = state.free;
}

FlatOrder ListScheduler::run() {
  // A decision stands until its rank or a neighbour has issued something.
  std::vector<Choice> decisions;
  for (int rank = 0; rank < flat.ranks; ++rank)
    decisions.push_back(decide(rank));
  for (size_t left = end.size(); left > 0; --left) {
    auto earliest = [](const Choice &a, const Choice &b) {
      return a.time < b.time;
    };
    auto first = std::min_element(decisions.begin(), decisions.end(), earliest);
    int rank = static_cast<int>(first - decisions.begin());
    Choice choice = *first;
    issue(rank, choice);
    decisions[rank] = decide(rank);
    int output = flat.output[choice.op];
    if (output >= 0 && flat.rank[output] != rank)
      decisions[flat.rank[output]] = decide(flat.rank[output]);
  }
  return order;
}

FlatOrder listSchedule(const FlatProblem &flat, const ListRule &rule) {
  return ListScheduler(flat, rule).run();
}

} // namespace partopt::pipeline
