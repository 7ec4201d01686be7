// How one kernel becomes loops: which values get a buffer, which loops they
// share, and in which order. A plan is made without touching the IR.
#ifndef PARTOPT_LIB_CODEGEN_KERNELPLAN_H
#define PARTOPT_LIB_CODEGEN_KERNELPLAN_H

#include "Rules.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace partopt::codegen {

/// What a kernel is planned for.
struct KernelTarget {
  bool isGpu = false;
  /// What the temporaries of one kernel may take, in bytes: of the stack, or of
  /// the memory that the threads of a block share.
  int64_t temporaryBytes = 128 * 1024;
  /// A value that later loops need again is kept rather than recomputed when
  /// one row of it takes at most this many bytes and costs more than kKeepCost.
  int64_t keepBytes = 16 * 1024;

  static KernelTarget host() { return {}; }
  static KernelTarget gpu() { return {true, 40 * 1024, 16 * 1024}; }
};
inline constexpr unsigned kKeepCost = 8;

/// Something that is stored: a value computed point by point, a fold, or an op
/// with loops of its own.
struct Item {
  enum class Kind { Map, Fold, Loops };
  Kind kind = Kind::Map;
  mlir::Operation *op = nullptr; ///< null: a kernel input that is returned
  mlir::Value value;             ///< of a Map
  Fold fold;                     ///< of a Fold
  llvm::SmallVector<int64_t> space;
  unsigned level = 0;

  llvm::SmallVector<mlir::Value, 2> results() const;
  mlir::Location loc() const { return op ? op->getLoc() : value.getLoc(); }
  /// First folded dimension, or the rank of the space.
  int64_t firstFolded() const;
  /// The dimension from which on all are folded.
  int64_t trailingFolded() const;
};

/// Items that share one body of loops over the dimensions after the rows.
struct Group {
  llvm::SmallVector<unsigned> items;
};

/// Groups that run one after the other inside shared outer loops, the rows: the
/// first `rowRank` dimensions of every item's space.
struct Nest {
  int64_t rowRank = 0;
  llvm::SmallVector<int64_t> rowShape;
  unsigned numItems = 1;
  bool isClosed = false; ///< an op with loops of its own: nothing joins it
  llvm::SmallVector<Group> groups;
};

struct KernelPlan {
  std::vector<Item> items;
  llvm::SmallVector<Nest> nests;
  /// The nest of each item.
  llvm::SmallVector<unsigned> nestOf;
  /// Stored values that are no output: true when a buffer of one row is enough.
  llvm::MapVector<mlir::Value, bool> temporaries;
  /// Constants that are not splats: read from static memory.
  llvm::SmallVector<mlir::Operation *> tables;
  int64_t stackBytes = 0;
  /// The largest temporary, to name when the stack does not suffice.
  mlir::Value largest;
};

/// Plans the kernel that computes `outputs` with `ops` (in program order; what
/// other ops define is an input). Fails, with an error at the op, for an op or
/// an element type without a kernel form. Does not fail when stackBytes exceeds
/// the target's temporaryBytes; callers decide.
mlir::FailureOr<KernelPlan> planKernel(llvm::ArrayRef<mlir::Operation *> ops,
                                       llvm::ArrayRef<mlir::Value> outputs,
                                       const KernelTarget &target);
/// The same for a kernel function's body.
mlir::FailureOr<KernelPlan> planKernel(mlir::Block &body,
                                       const KernelTarget &target);
/// Reports an error when `op` has no kernel form.
mlir::LogicalResult checkKernelOp(mlir::Operation *op);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_KERNELPLAN_H
