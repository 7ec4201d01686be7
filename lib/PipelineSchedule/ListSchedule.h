//===- ListSchedule.h - Orders from priorities ----------------------------===//
//
// Every rank, when it is free, takes the best of what is there, by a rule of a
// few numbers that the synthesis tries.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINESCHEDULE_LISTSCHEDULE_H
#define PARTOPT_LIB_PIPELINESCHEDULE_LISTSCHEDULE_H

#include "FlatOrder.h"

namespace partopt::pipeline {

/// Which of several chunks goes first.
enum class ChunkOrder : unsigned char {
  Deepest, ///< the one nearest to the end of its pass
  Oldest   ///< that of the earliest microbatch
};

/// How one rank chooses.
struct RankRule {
  int keep = 1; ///< chunks that it keeps at most, within the memory cap
  /// Of each of its chunks (in the order of FlatProblem), so many microbatches.
  std::vector<int> keepOfChunk;
  /// Between a forward and an input gradient that are both there.
  bool forwardFirst = true;
  /// The part of a weight gradient's time that it waits for another action that
  /// is to come, rather than begin the weight gradient and be late.
  double patience = 0;
  /// Weight gradients that may be left over; with more, one goes first.
  int spareWeights = 0;
};

struct ListRule {
  std::vector<RankRule> ranks;
  ChunkOrder forwards = ChunkOrder::Deepest;
  ChunkOrder backwards = ChunkOrder::Deepest;
};

/// An order by the rule. It never comes to a stop: the oldest microbatch always
/// finds the memory that it needs, where `keep` is at least the chunks that one
/// microbatch passes on the rank, and `keepOfChunk` at least 1.
FlatOrder listSchedule(const FlatProblem &flat, const ListRule &rule);

} // namespace partopt::pipeline

#endif // PARTOPT_LIB_PIPELINESCHEDULE_LISTSCHEDULE_H
