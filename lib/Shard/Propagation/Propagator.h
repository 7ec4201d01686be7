// Runs propagation over a graph to its fixed point, in rounds: by the user's
// priorities, and within each by kinds of ops.

#ifndef PARTOPT_LIB_SHARD_PROPAGATION_PROPAGATOR_H
#define PARTOPT_LIB_SHARD_PROPAGATION_PROPAGATOR_H

#include "lib/Shard/Propagation/Graph.h"

namespace partopt::shard {

struct PropagationOptions {
  /// Each tensor takes what fits it, instead of what fits all.
  bool aggressive = true;
  /// Rounds by kinds of ops: elementwise first.
  bool opPriorities = true;
  /// Rounds by the priorities of dimensions (`{"x"}p1`).
  bool userPriorities = true;
  /// With some: only (parts of) these axes spread, each minor to what a
  /// dimension has.
  llvm::SmallVector<unsigned, 1> onlyAxes;
};

class Propagator {
public:
  Propagator(Graph &graph, const PropagationOptions &options)
      : graph(graph), options(options) {}
  void run();

private:
  void runOpRounds();
  void runToFixedPoint(int round);
  void pushResults();
  /// Returns true if it changed a slot; changed slots' nodes are queued.
  bool visit(const Node &node, int round);
  void push(unsigned node);
  bool restrict(const TensorState &before, TensorState &state) const;
  void hideLaterPriorities();
  void reveal(int64_t priority);
  void hideStorage();
  void revealStorage();

  Graph &graph;
  PropagationOptions options;
  /// Last in, first out, each node once.
  llvm::SmallVector<unsigned, 0> worklist;
  llvm::SmallVector<bool, 0> queued;
  /// Slots as the user wrote them, for those with priorities.
  llvm::SmallVector<std::pair<unsigned, TensorState>, 0> prioritised;
  /// The same for slots with storage axes.
  llvm::SmallVector<std::pair<unsigned, TensorState>, 0> stored;
};

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_PROPAGATION_PROPAGATOR_H
