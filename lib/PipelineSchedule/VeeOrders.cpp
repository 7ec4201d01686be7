//===- VeeOrders.cpp - Orders of stages that go down and up the ranks -----===//
//
// ZB-V and the two that trade its memory for time. Rank r has chunk 0, stage r,
// and chunk 1, stage 2p-1-r.
//
//===----------------------------------------------------------------------===//

#include "RankOrder.h"

#include <array>

namespace partopt::pipeline {

static std::vector<Chunk> veeChunks(const ScheduleShape &shape, int rank,
                                    int microbatches) {
  return {{rank, 0, microbatches},
          {2 * shape.ranks - 1 - rank, 0, microbatches}};
}

std::vector<Step> zbVOrder(const ScheduleShape &shape, int rank) {
  // Fewer microbatches than the rule needs: its order without the others.
  int count = std::max(2 * shape.ranks - 1, shape.microbatches);
  RankOrder order(veeChunks(shape, rank, count));
  int behind = shape.ranks - rank;
  auto both = [&](int chunk) {
    order.inputGrad(chunk);
    order.weightGrad(chunk);
  };
  for (int i = 0; i < 2 * behind - 1; ++i)
    order.forward(0);
  for (int i = 0; i < rank; ++i) {
    order.forward(1);
    order.forward(0);
  }
  for (int i = 0; i < behind; ++i) {
    order.forward(1);
    both(1);
  }
  while (order.hasForward(1)) {
    order.forward(0);
    both(0);
    order.forward(1);
    both(1);
  }
  for (int i = 0; i < rank; ++i) {
    order.inputGrad(0);
    order.inputGrad(1);
  }
  for (int i = 0; i < behind; ++i)
    both(0);
  for (int chunk : {1, 0})
    for (int i = 0; i < rank; ++i)
      order.weightGrad(chunk);
  std::vector<Step> steps = order.take();
  auto isSurplus = [&](const Step &step) {
    return step.action.microbatch >= shape.microbatches;
  };
  steps.erase(std::remove_if(steps.begin(), steps.end(), isSurplus),
              steps.end());
  return steps;
}

namespace {

/// The slots, of one unit of time each, of a microbatch's F0, F1, B1 and B0 on
/// one rank; the next microbatch has the same ones six later.
using Pattern = std::array<int, 4>;

} // namespace

/// What the pattern puts on a rank but for weight gradients, in its order.
static std::vector<int> patternChoices(const Pattern &pattern,
                                       int microbatches) {
  constexpr int period = 6;
  int last = *std::max_element(pattern.begin(), pattern.end());
  std::vector<int> slots(period * (microbatches - 1) + last + 1, -1);
  for (int i = 0; i < microbatches; ++i)
    for (int what = 0; what < 4; ++what)
      slots[period * i + pattern[what]] = what;
  slots.erase(std::remove(slots.begin(), slots.end(), -1), slots.end());
  return slots;
}

namespace {

/// The patterns' order, squeezed: slot after slot, each rank takes what comes
/// next as soon as its input is there, and weight gradients where it is not.
class Squeeze {
public:
  Squeeze(const ScheduleShape &shape, int cap,
          const std::vector<Pattern> &patterns)
      : shape(shape), cap(cap),
        ends(size_t(4) * shape.ranks * shape.microbatches, -1) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      choices.push_back(patternChoices(patterns[rank], shape.microbatches));
      orders.emplace_back(veeChunks(shape, rank, shape.microbatches));
    }
    position.resize(shape.ranks);
    kept.resize(shape.ranks);
    counts.resize(shape.ranks);
  }

  Schedule run() {
    int left = 6 * shape.ranks * shape.microbatches;
    for (int slot = 0; left > 0; ++slot)
      for (int rank = 0; rank < shape.ranks; ++rank)
        left -= takeSlot(rank, slot);
    Schedule schedule;
    for (RankOrder &order : orders)
      schedule.ranks.push_back(order.take());
    return schedule;
  }

private:
  /// When F or the input gradient (`pass` 0 and 1) of a stage ends; -1: not
  /// yet.
  int &end(int pass, int stage, int microbatch) {
    return ends[(size_t(pass) * 2 * shape.ranks + stage) * shape.microbatches +
                microbatch];
  }

  bool isReady(int pass, int stage, int microbatch, int slot) {
    int last = 2 * shape.ranks - 1;
    if (pass == 0 && stage == 0)
      return true;
    int ended = pass == 0       ? end(0, stage - 1, microbatch)
                : stage == last ? end(0, last, microbatch)
                                : end(1, stage + 1, microbatch);
    return ended >= 0 && ended <= slot;
  }

  /// Whether there was something to do.
  bool takeSlot(int rank, int slot) {
    if (position[rank] < choices[rank].size()) {
      int what = choices[rank][position[rank]];
      int pass = what / 2, chunk = pass == 0 ? what : 3 - what;
      int stage = chunk == 0 ? rank : 2 * shape.ranks - 1 - rank;
      int microbatch = counts[rank][what];
      if (isReady(pass, stage, microbatch, slot) &&
          (pass == 1 || kept[rank] < cap)) {
        end(pass, stage, microbatch) = slot + 1;
        ++counts[rank][what];
        ++position[rank];
        if (pass == 0) {
          ++kept[rank];
          orders[rank].forward(chunk);
        } else {
          orders[rank].inputGrad(chunk);
        }
        return true;
      }
    }
    if (!orders[rank].hasWeightGrad())
      return false;
    orders[rank].weightGrad();
    --kept[rank];
    return true;
  }

  const ScheduleShape &shape;
  int cap;
  std::vector<int> ends;
  std::vector<std::vector<int>> choices;  ///< by rank: places in the pattern
  std::vector<size_t> position;           ///< by rank, in its choices
  std::vector<std::array<int, 4>> counts; ///< by rank: issued of each place
  std::vector<int> kept;
  std::vector<RankOrder> orders;
};

} // namespace

Schedule vHalfSchedule(const ScheduleShape &shape) {
  int p = shape.ranks, gap = p % 2 == 0 ? 3 : 0;
  std::vector<Pattern> patterns;
  for (int r = 0; r < p; ++r)
    patterns.push_back(
        {2 * r, 3 * p - r - 2, 3 * p + gap + 2 * r - 1, 6 * p + gap - r - 2});
  return Squeeze(shape, 2 * ((p + 2) / 2), patterns).run();
}

Schedule vMinSchedule(const ScheduleShape &shape) {
  int p = shape.ranks, gap = p % 3 == 0 ? 2 : 0;
  std::vector<Pattern> patterns;
  for (int r = 0; r < p; ++r)
    patterns.push_back(
        {r, 2 * p - r - 1, 2 * p + gap + r, 4 * p + gap - r - 1});
  return Squeeze(shape, 2 * ((p + 4) / 3), patterns).run();
}

} // namespace partopt::pipeline
