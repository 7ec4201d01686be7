//===- DualOrders.cpp - DualPipe and DualPipeV ----------------------------===//
//
// The eight steps of both. In DualPipeV the two phases of a rank are its stages
// r and 2p-1-r; in DualPipe they are the two ways that microbatches take, and
// the ranks of each half are as the ranks of a pipeline of half the length.
//
//===----------------------------------------------------------------------===//

#include "RankOrder.h"

namespace partopt::pipeline {

namespace {

/// Rank `rank` of `ranks` in the steps' own count, `microbatches` per phase.
struct DualShape {
  int ranks, rank, microbatches;
};

} // namespace

/// Step 6: both backwards in turn; from one place on they are input gradients,
/// whose weights wait for the ranks that still need the former.
static void cooldown(RankOrder &order, int rank) {
  int switchAt = (rank + 1) / 2;
  bool before = rank % 2 == 1;
  for (int i = 0; i <= rank; ++i)
    for (int chunk : {1, 0}) {
      bool split = i > switchAt || (i == switchAt && (before || chunk == 0));
      if (split)
        order.inputGrad(chunk);
      else
        order.backward(chunk);
    }
}

static std::vector<Step> dualOrder(RankOrder order, const DualShape &shape) {
  int rank = shape.rank, behind = shape.ranks - 1 - rank;
  for (int i = 0; i < 2 * behind; ++i)
    order.forward(0);
  for (int i = 0; i <= rank; ++i) {
    order.forward(0);
    order.forward(1);
  }
  for (int i = 0; i < behind; ++i) {
    order.inputGrad(1);
    order.weightGrad();
    order.forward(1);
  }
  for (int i = 0; i < shape.microbatches - 2 * shape.ranks + rank + 1; ++i) {
    if (i == 0 && behind == 0) {
      // Nothing of the first pair is there yet but the forward.
      order.forward(0);
      order.backward(1);
    } else {
      order.overlap(0, 1);
    }
    order.overlap(1, 0);
  }
  for (int i = 0; i < behind; ++i) {
    order.backward(1);
    order.overlap(1, 0);
  }
  cooldown(order, rank);
  for (int i = 0; i < behind; ++i) {
    order.weightGrad();
    order.inputGrad(0);
  }
  for (int i = 0; i <= rank; ++i)
    order.weightGrad();
  return order.take();
}

std::vector<Step> dualPipeVOrder(const ScheduleShape &shape, int rank) {
  std::vector<Chunk> chunks = {
      {rank, 0, shape.microbatches},
      {2 * shape.ranks - 1 - rank, 0, shape.microbatches}};
  return dualOrder(RankOrder(std::move(chunks)),
                   {shape.ranks, rank, shape.microbatches});
}

std::vector<Step> dualPipeOrder(const ScheduleShape &shape, int rank) {
  int mirrored = shape.ranks - 1 - rank, half = shape.microbatches / 2;
  Chunk forth = {rank, 0, half}, back = {mirrored, half, half};
  bool isFirstHalf = rank < shape.ranks / 2;
  std::vector<Chunk> chunks = {isFirstHalf ? forth : back,
                               isFirstHalf ? back : forth};
  return dualOrder(RankOrder(std::move(chunks)),
                   {shape.ranks / 2, std::min(rank, mirrored), half});
}

} // namespace partopt::pipeline
