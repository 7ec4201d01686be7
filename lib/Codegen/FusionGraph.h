// Which ops of a local program share a kernel. Ops start alone; producers are
// merged into consumers while the merged kernel still is one family of loops
// and no cycle arises.
#ifndef PARTOPT_LIB_CODEGEN_FUSIONGRAPH_H
#define PARTOPT_LIB_CODEGEN_FUSIONGRAPH_H

#include "KernelPlan.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace partopt::codegen {

/// Ops of up to this cost are computed again rather than kept in memory.
inline constexpr unsigned kCheapCost = 2;

/// One kernel to be: `ops` in program order, and `clones`, cheap ops of other
/// clusters that it computes again instead of reading their results.
struct Cluster {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::Operation *> clones;
};

class FusionGraph {
public:
  FusionGraph(mlir::Block &block, const KernelTarget &target);

  /// Merges along edges in program order, then clusters that read the same
  /// large values.
  void fuse();
  /// Replaces reads of values that are cheap to compute from what a cluster
  /// reads anyway; drops ops that nothing reads any more.
  void cloneCheapProducers();

  /// The clusters in the order of their last op. Stable across runs.
  llvm::SmallVector<const Cluster *> clusters() const;
  /// True for ops that stay in the program: products in BLAS form, comm ops,
  /// the terminator.
  static bool isBarrier(mlir::Operation *op);
  /// True for ops that every kernel computes for itself: constants, iota and
  /// cheap functions of them.
  bool isFree(mlir::Operation *op) const { return freeOps.contains(op); }
  /// The values that `cluster` must write: read by barriers or by clusters that
  /// do not compute them again.
  llvm::SmallVector<mlir::Value> outputs(const Cluster &cluster) const;
  /// The values that `cluster` reads, in the order of their first use.
  llvm::SmallVector<mlir::Value> inputs(const Cluster &cluster) const;
  /// The cluster's ops, its clones and the free ops that they read, in program
  /// order.
  llvm::SmallVector<mlir::Operation *> allOps(const Cluster &cluster) const;
  /// Position of an op in the program before anything was moved.
  unsigned positionOf(mlir::Operation *op) const { return position.lookup(op); }
  /// Ops before, in and behind each loop of an axis in time stay apart; numbers
  /// grow along the program.
  unsigned sectionOf(mlir::Operation *op) const { return section.lookup(op); }

private:
  using Id = unsigned;

  Id idOf(mlir::Operation *op) const { return owner.lookup(op); }
  void findSections();
  void findFreeOps();
  void separateBroadcasts();
  bool tryMerge(Id producer, Id consumer);
  std::optional<llvm::SmallVector<Id>> behind(Id first, Id last) const;
  llvm::SmallVector<Id> before(Id first, Id last) const;
  void placeMerged(Id first, Id last, llvm::SmallVector<Id> behind);
  bool hidesOperand(const Cluster &merged) const;
  bool pays(const Cluster &merged, Id producer, Id consumer) const;
  bool isSameSpace(const Cluster &merged) const;
  void mergeSiblings();
  bool cloneInto(Cluster &cluster, mlir::Operation *op,
                 const llvm::SetVector<mlir::Value> &read) const;
  void addOwner(mlir::Operation *op, Id except,
                llvm::SmallVectorImpl<Id> &out) const;
  void successors(Id id, llvm::SmallVectorImpl<Id> &out) const;
  void predecessors(Id id, llvm::SmallVectorImpl<Id> &out) const;
  /// Outputs of a cluster by the graph as it was before cloning.
  llvm::SmallVector<mlir::Value> liveOut(const Cluster &cluster) const;

  mlir::Block &block;
  const KernelTarget target;
  llvm::DenseMap<mlir::Operation *, unsigned> position, section;
  llvm::DenseSet<mlir::Operation *> freeOps;
  /// The node of each op that is not free; barriers have one each.
  llvm::DenseMap<mlir::Operation *, Id> owner;
  std::vector<Cluster> nodes;
  /// Of each cluster: grows along every path through the graph of clusters.
  std::vector<unsigned> rank;
  /// The clusters that have a clone of the op.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Id>> clonedBy;
  std::vector<bool> isDead;
  /// The next op that must stay after this one (collectives).
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> orderedNext, orderedLast;
};

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_FUSIONGRAPH_H
