// Which stage makes each value of a program whose loop has been cut, and what
// has to go from rank to rank for it.

#ifndef PARTOPT_LIB_STAGE_STAGEHOMES_H
#define PARTOPT_LIB_STAGE_STAGEHOMES_H

#include "dialects/Comm/Comm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace partopt {

/// A run of ops of one stage's part, done once per microbatch.
struct Segment {
  int64_t stage = -1;
  char part = 'F'; ///< F, I, W, or B where I and W are done in one

  /// Its place in the chain of `stages` stages: forward up, gradients down, a
  /// weight's gradient right behind the input's.
  int64_t place(int64_t stages) const;
  bool operator==(const Segment &other) const {
    return stage == other.stage && part == other.part;
  }
};

/// One value that another rank needs.
struct Transfer {
  mlir::Value value;
  int64_t from = 0, to = 0; ///< ranks
  int64_t channel = 0;      ///< numbers the transfers of a program
  /// In the loop: the first segment of the receiver that reads the value.
  Segment reader;
};

class StageHomes {
public:
  /// `rankOf[stage]` is the rank that runs a stage; `fused`: I and W are one
  /// part. Requires the attributes of partopt-cut-stages. Fails, with an error,
  /// where a value in front of the loop is made of parameters of several
  /// stages.
  static mlir::FailureOr<StageHomes>
  find(mlir::func::FuncOp func, llvm::ArrayRef<int64_t> rankOf, bool fused);

  int64_t stages() const { return int64_t(rankOf.size()); }
  /// The loop that was cut.
  comm::LoopBeginOp begin;
  comm::LoopEndOp end;

  /// Of an op: in the loop, and its stage is told; else nothing.
  std::optional<Segment> segmentOf(mlir::Operation *op) const;
  /// The stage that runs `op`, in the loop or behind it; -1: whoever needs it.
  int64_t stageOf(mlir::Operation *op) const;
  /// The rank that runs `op`; -1: whoever needs it.
  int64_t rankOfOp(mlir::Operation *op) const {
    int64_t stage = stageOf(op);
    return stage < 0 ? -1 : rankOf[stage];
  }
  /// The rank that makes `value`; -1: arguments, and what any rank can make.
  int64_t rankOfValue(mlir::Value value) const;
  /// The segment that makes what the loop carries as number `i`.
  Segment writerOf(unsigned i) const;

  llvm::ArrayRef<Transfer> transfers() const { return moves; }
  /// Whether `rank` returns a result that any rank can make: the next value of
  /// an argument that it has, or a result that is its own to return.
  bool returns(unsigned result, int64_t rank) const {
    return llvm::is_contained(resultRanks[result], rank);
  }

  /// Ranks that have the argument.
  const llvm::SmallVector<int64_t, 2> &ranksOf(mlir::BlockArgument arg) const {
    return argumentRanks[arg.getArgNumber()];
  }

private:
  void findLate();
  llvm::DenseMap<mlir::Value, llvm::BitVector>
  readers(int64_t count, llvm::function_ref<int64_t(mlir::Operation *)> of,
          mlir::Operation *madeUntil = nullptr);
  void findHomes();
  int64_t homeOf(mlir::BlockArgument argument, bool any) const;
  void takeReaders();
  void findArgumentRanks();
  void findResultRanks();
  int64_t chooseRank(mlir::Value value);
  mlir::LogicalResult checkEarly();
  void findTransfers();
  void addTransfer(mlir::Value value, int64_t to, const Segment *reader);

  mlir::func::FuncOp func;
  llvm::SmallVector<int64_t> rankOf;
  bool fused = false;
  /// Stages of ops behind the loop.
  llvm::DenseMap<mlir::Operation *, int64_t> late;
  /// Stages that read an argument which is kept from step to step.
  llvm::DenseMap<mlir::BlockArgument, llvm::BitVector> homes;
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>, 0> argumentRanks;
  /// Of results that any rank can make.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>, 0> resultRanks;
  llvm::SmallVector<Transfer, 0> moves;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, unsigned> moveOf;
};

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_STAGEHOMES_H
