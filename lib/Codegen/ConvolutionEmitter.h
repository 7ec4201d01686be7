// The loops of one convolution: what they run over and what is fixed at the
// place where the emitter stands.
#ifndef PARTOPT_LIB_CODEGEN_CONVOLUTIONEMITTER_H
#define PARTOPT_LIB_CODEGEN_CONVOLUTIONEMITTER_H

#include "ConvolutionLoops.h"
#include "EmitKernel.h"

namespace partopt::codegen {

/// Bytes of one vector: a register of x86-64-v3, where 6 rows of 2 vectors,
/// the kernel's 2 and the spread input take 15 of 16.
inline constexpr int64_t kVectorBytes = 32;
/// Sums over more points than this are cut at their outer dimensions, so that
/// what several tiles read stays in the cache; partial sums go through memory.
inline constexpr int64_t kPointsInCache = 4096;
/// Bodies that the border along the rows may cost.
inline constexpr int64_t kBorderBodies = 48;

/// `var + constant`; a counter or an offset in elements.
struct Offset {
  mlir::Value var;
  int64_t constant = 0;
};

/// A dimension of the outputs: its size and what a step moves.
struct FreeDim {
  int64_t size, inStride, outStride;
  int spatial; ///< -1: the batch
};

/// A dimension of the sum.
struct SumDim {
  int64_t size, inStride, kernelStride;
  int spatial; ///< -1: the input features
};

/// Rows of a tile that are computed alike: `count` tiles of `rows` rows from
/// `begin` on.
struct RowRun {
  int64_t begin, count, rows;
  /// Per tap of the rows' dimension which rows have it; empty: all.
  llvm::SmallVector<uint64_t, 4> valid;
  /// Rows of one whose taps end at the border, found when running.
  bool isBorder = false;
};

class ConvolutionEmitter {
public:
  ConvolutionEmitter(KernelEmitter &emitter, stablehlo::ConvolutionOp op,
                     const Buffer &result);

  /// Writes every element of the result.
  void run();

private:
  using Values = llvm::SmallVector<mlir::Value, 12>;
  using Body = llvm::function_ref<void(Offset, Values &)>;

  void analyse();
  void findStrides();
  mlir::Value index(int64_t value);
  mlir::Value valueOf(const Offset &offset);
  Offset moved(Offset offset, const Offset &counter, int64_t step);
  void loop(Offset low, Offset high, int64_t step, Values &carried, Body body);
  /// The counters of a loop for which the input coordinate, `open * perOpen`
  /// from the beginning, is inside.
  std::pair<Offset, Offset> insideRange(const SpatialLoop &loop, Offset open,
                                        int64_t perOpen, int64_t perCounter,
                                        int64_t size);

  void emitPhase(unsigned dim);
  void describePhase();
  int chooseRows() const;
  bool hasPaddedRows() const;
  void emitZeros();
  void emitOuterSums(unsigned level);
  void emitBatch();
  void emitPanels();
  void emitOutputs(unsigned dim);
  void emitRows();
  llvm::SmallVector<RowRun> runs() const;
  void addRuns(int64_t begin, int64_t end,
               llvm::SmallVector<RowRun> &list) const;
  bool addStaticRuns(llvm::SmallVector<RowRun> &list) const;
  int64_t rowsFor(int64_t size) const;
  void emitTile(const RowRun &run);
  void sum(unsigned level, const RowRun &run, Values &sums);
  void multiply(const RowRun &run, uint64_t valid, Values &sums);
  mlir::Value load(mlir::Value memref, mlir::Type element, Offset at,
                   bool isVector);
  mlir::Value multiplyAdd(mlir::Value sum, mlir::Value x, mlir::Value y);
  void store(mlir::Value sum, Offset at);
  mlir::Type sumType() const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  stablehlo::ConvolutionOp op;
  stablehlo::ConvDimensionNumbersAttr numbers;
  mlir::Value lhs, rhs, out; ///< one-dimensional
  mlir::Type lhsElement, rhsElement, element;

  // One group's sizes; strides in elements.
  int64_t groups = 1, batch = 1, inFeatures = 1, features = 1;
  int64_t lhsGroup = 0, rhsGroup = 0, outGroup = 0;
  int64_t lhsBatch = 0, lhsFeature = 0, rhsIn = 0, outBatch = 0;
  /// What a step of the output feature moves; the input moves only where every
  /// feature is a group of its own.
  int64_t lhsOut = 0, rhsOut = 1, outFeature = 1;
  llvm::SmallVector<int64_t, 3> lhsSpatial, rhsSpatial, outSpatial;
  bool canBeVectors = false;

  // The phase at hand.
  llvm::SmallVector<SpatialLoop, 3> spatial;
  FreeDim batchDim{1, 0, 0, -1};
  llvm::SmallVector<FreeDim, 3> outputs;
  llvm::SmallVector<SumDim, 4> sums; ///< outermost first
  unsigned numOuterSums = 0;
  int rowDim = -1; ///< into outputs; outputs.size(): the batch; -1: none

  // What the loops around have fixed.
  Offset lhsAt, rhsAt, outAt;
  llvm::SmallVector<std::optional<Offset>, 3> openOutput, openTap;
  int64_t width = 1, vectors = 1;

  const FreeDim *rows() const {
    return rowDim < 0                      ? nullptr
           : rowDim == int(outputs.size()) ? &batchDim
                                           : &outputs[rowDim];
  }
};

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_CONVOLUTIONEMITTER_H
