// A planned kernel as grids of threads. What a nest's rules compute of an
// element is the same as on the host; here is who computes it.
//
// The kernel is built as one function, in which every grid is a region (an
// scf.execute_region with kGridAttr and kBlockAttr); what stands between grids
// is cheap and reads memory only. SplitLaunches.cpp makes a function of each.
#ifndef PARTOPT_LIB_CODEGEN_EMITGPU_H
#define PARTOPT_LIB_CODEGEN_EMITGPU_H

#include "EmitKernel.h"

namespace partopt::codegen {

inline constexpr llvm::StringLiteral kGridAttr = "partopt.grid";
inline constexpr llvm::StringLiteral kBlockAttr = "partopt.block";

inline constexpr int64_t kWarp = 32;
/// Threads of a block where nothing asks for others.
inline constexpr int64_t kBlock = 256;
/// Threads that keep a large GPU busy; with fewer, work is divided further.
inline constexpr int64_t kBusyThreads = 128 * 1024;
/// Bytes that one thread reads or writes at once.
inline constexpr int64_t kVectorAccess = 16;
/// LLVM's number of the memory that the threads of a block share.
inline constexpr unsigned kSharedSpace = 3;

/// Who computes a fold: every point (the kept coordinates) is computed by
/// `threads` threads of each of `slices` blocks.
struct FoldShape {
  llvm::SmallVector<int64_t> kept, folded; ///< sizes
  int64_t points = 1, terms = 1;
  /// Neighbouring threads take neighbouring terms, not neighbouring points.
  bool isAlongTerms = false;
  /// Each thread takes consecutive terms: the order of terms matters.
  bool isInOrder = false;
  int64_t threads = 1, slices = 1, pointsPerBlock = 1;
  /// Consecutive terms that a thread reads at once.
  int64_t vector = 1;
  /// Of one thread's accumulators.
  int64_t bytes = 0;

  int64_t block() const { return threads * pointsPerBlock; }
  int64_t pointBlocks() const {
    return (points + pointsPerBlock - 1) / pointsPerBlock;
  }
};

class GpuEmitter : public KernelEmitter {
public:
  using KernelEmitter::KernelEmitter;

  mlir::LogicalResult run() override;
  mlir::LogicalResult parallel(ElementScope &scope,
                               llvm::ArrayRef<int64_t> shape,
                               BodyFn body) override;
  using ScopeFn = llvm::function_ref<mlir::LogicalResult(ElementScope &)>;
  /// A grid of `grid` blocks of `block` threads that all run `body`.
  mlir::LogicalResult launch(mlir::Location loc, int64_t grid, int64_t block,
                             ScopeFn body);

  /// A tensor in the kernel's scratch memory.
  Buffer scratch(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  int64_t scratchBytes() const { return scratchSize; }
  /// A tensor in the memory of a block, inside of a launch.
  Buffer shared(ElementScope &scope, llvm::ArrayRef<int64_t> shape,
                mlir::Type elementType);
  /// The coordinates of element number `linear` of a tensor of `shape`.
  IndexVector coordinates(ElementScope &scope, mlir::Value linear,
                          llvm::ArrayRef<int64_t> shape);
  /// Runs `body` if `condition` holds.
  mlir::LogicalResult when(ElementScope &scope, mlir::Value condition,
                           ScopeFn body);

  // Inside of a launch.
  mlir::Value threadId(ElementScope &scope);
  mlir::Value blockId(ElementScope &scope);
  /// All threads of the block come here before one goes on.
  void barrier(ElementScope &scope);

private:
  using Values = llvm::SmallVector<mlir::Value, 4>;
  using Items = llvm::ArrayRef<unsigned>;
  using TermsFn = llvm::function_ref<mlir::LogicalResult(
      ElementScope &, llvm::ArrayRef<Index> kept, llvm::ArrayRef<Index> folded,
      Values &accumulators)>;

  void createBuffers();
  mlir::LogicalResult emitNest(unsigned nest);
  mlir::LogicalResult emitLoops(const Item &item);

  // Points without a sum (GpuMaps.cpp).
  mlir::LogicalResult emitMaps(Items items);
  mlir::LogicalResult emitPoint(ElementScope &scope, Items items,
                                llvm::ArrayRef<Index> at);
  mlir::LogicalResult emitTransposes(Items items, int64_t dim);
  int64_t transposedDim(Items items);
  /// An element that is read across the grain, from a tile in shared memory;
  /// null where that does not apply.
  mlir::Value loadFromTile(ElementScope &scope, const Buffer &buffer,
                           llvm::ArrayRef<Index> at);
  int64_t smallestBytes(Items items) const;
  /// Elements of the innermost dimension that a thread takes at once.
  int64_t vectorOf(Items items, int64_t innermost) const;

  // Folds (GpuFolds.cpp).
  FoldShape foldShape(Items items);
  mlir::LogicalResult emitFolds(Items items);
  mlir::LogicalResult emitFold(Items items, const FoldShape &shape,
                               TermsFn terms, llvm::ArrayRef<Buffer> partials);
  mlir::LogicalResult startValues(ElementScope &scope, Items items,
                                  Values &out);
  mlir::LogicalResult addTerms(ElementScope &scope, Items items,
                               llvm::ArrayRef<Index> at, Values &accumulators);
  mlir::LogicalResult merge(ElementScope &scope, Items items,
                            mlir::ValueRange accumulators,
                            mlir::ValueRange others, Values &out);
  mlir::LogicalResult finish(ElementScope &scope, Items items,
                             llvm::ArrayRef<Index> kept,
                             mlir::ValueRange accumulators);
  mlir::LogicalResult foldTerms(ElementScope &scope, const FoldShape &shape,
                                llvm::ArrayRef<Index> kept, mlir::Value part,
                                mlir::Value slice, mlir::Value lane,
                                mlir::Value isValid, TermsFn terms,
                                Values &accumulators);
  /// The accumulators of all threads of a point in the one with lane 0.
  mlir::LogicalResult reduce(ElementScope &scope, Items items,
                             const FoldShape &shape, mlir::Value lane,
                             mlir::Value slot, Values &accumulators);
  mlir::LogicalResult reduceWarps(ElementScope &scope, Items items,
                                  int64_t threads, int64_t points,
                                  mlir::Value lane, mlir::Value slot,
                                  Values &accumulators);
  mlir::LogicalResult reduceColumns(ElementScope &scope, Items items,
                                    const FoldShape &shape, mlir::Value lane,
                                    mlir::Value slot, Values &accumulators);
  mlir::LogicalResult shuffleSteps(ElementScope &scope, Items items,
                                   int64_t threads, Values &accumulators);

  // Rows whose groups wait for each other (GpuRows.cpp).
  struct Rows;
  mlir::LogicalResult emitRows(const Nest &nest);
  llvm::SmallVector<mlir::Value> placeRowValues(const Nest &nest, Items items,
                                                int64_t perBlock);
  mlir::LogicalResult emitRowGroup(const Rows &rows, ElementScope &scope,
                                   const Group &group);
  mlir::LogicalResult emitRowMaps(const Rows &rows, ElementScope &scope,
                                  Items maps, Items folds, bool isOrdered);
  mlir::LogicalResult emitInnerFold(const Rows &rows, ElementScope &scope,
                                    unsigned item);

  // Threads.
  void syncWarp(ElementScope &scope);
  /// The value of the thread `offset` lanes on.
  mlir::Value shuffleDown(ElementScope &scope, mlir::Value value,
                          int64_t offset);

  int64_t scratchSize = 0;
  unsigned numShared = 0;
  TransposedReads transposed;
  int64_t tileRoom = 0; ///< bytes left for the tiles of the block at hand
};

/// Arithmetic of coordinates, which never overflows.
struct IndexMath {
  ElementScope &scope;

  mlir::Value constant(int64_t value) { return scope.indexConstant(value); }
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value div(mlir::Value x, int64_t y);
  mlir::Value rem(mlir::Value x, int64_t y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, int64_t y) { return less(x, constant(y)); }
  mlir::Value equals(mlir::Value x, int64_t y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);
};

/// Products of sizes.
int64_t productOf(llvm::ArrayRef<int64_t> sizes);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_EMITGPU_H
