// An attention as a loop over blocks of keys that go around the devices.

#ifndef PARTOPT_LIB_PARTITION_RINGLOOP_H
#define PARTOPT_LIB_PARTITION_RINGLOOP_H

#include "BlockClones.h"
#include "Zigzag.h"

namespace partopt {

/// What goes around and what each device adds up, by part of the block ("slot")
/// and number.
struct RingState {
  using Slots = llvm::SmallVector<llvm::SmallVector<mlir::Value>, 2>;
  Slots blocks; ///< keys and values, by slot of keys and gather
  Slots rows;   ///< by slot of queries
  Slots grads;  ///< of keys and values, by slot of keys and scatter

  llvm::SmallVector<mlir::Value> flat() const;
  void assign(mlir::ValueRange values);
};

/// Values of which both parts in zigzag order are known.
class SplitValues {
public:
  explicit SplitValues(comm::AxesAttr axes) : zigzag(axes) {}

  bool has(mlir::Value value, int64_t dim) const {
    return halves.count({value.getAsOpaquePointer(), dim}) > 0;
  }
  /// Moves the parts at `b` where they are not known.
  Zigzag::Halves get(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                     int64_t dim);
  mlir::Value join(mlir::OpBuilder &b, mlir::Location loc,
                   const Zigzag::Halves &parts, int64_t dim);

private:
  Zigzag zigzag;
  std::map<std::pair<const void *, int64_t>, Zigzag::Halves> halves;
};

/// Emits the loops of one attention. `b` stands where the loop goes.
class RingLoop {
public:
  RingLoop(mlir::OpBuilder &b, const RingCore &core, SplitValues &split,
           llvm::ArrayRef<mlir::Operation *> sums);

  /// The largest scores, and the sums of exponentials as far as they do not
  /// depend on them: the outputs, not yet divided.
  struct Forward {
    mlir::Value max;
    llvm::SmallVector<mlir::Value> outputs;
  };
  Forward forward();

  /// The sums that the loop is for, gradients of keys among them, in order.
  llvm::SmallVector<mlir::Value> backward();

private:
  /// Queries and keys that meet: all of a block's, or one part of each. With
  /// `pick`, parts 0 where it is true, else parts 1.
  struct Tile {
    unsigned query = 0, key = 0;
    mlir::Value pick;
  };
  /// Adds what a tile contributes to sums by query and to gradients of keys.
  using TileFn = llvm::function_ref<void(llvm::SmallVector<mlir::Value> &rows,
                                         llvm::SmallVector<mlir::Value> &grads,
                                         BlockClones &clones)>;

  void findGathers();
  void start(RingState &state);
  void addRow(RingState &state, mlir::Operation *sum, mlir::Attribute init,
              bool isWide);
  void run(RingState &state, TileFn tile);
  void step(RingState &state, mlir::Value block, TileFn tile);
  void visit(RingState &state, mlir::Value block, const Tile &tile, TileFn add);
  TileRange rangeOf(mlir::Value block, const Tile &tile);
  mlir::Value first(mlir::Value block, const Tile &tile, unsigned part);
  llvm::SmallVector<mlir::Value> taken(const RingState::Slots &slots,
                                       unsigned part, mlir::Value pick);
  void put(RingState::Slots &slots, unsigned part, mlir::Value pick,
           llvm::ArrayRef<mlir::Value> values);
  std::optional<int64_t> queryDimOf(mlir::Operation *sum);
  mlir::Value joinRows(RingState &state, unsigned i, mlir::Operation *sum);
  mlir::Value permute(mlir::Value value);
  void forwardTile(llvm::SmallVector<mlir::Value> &rows, BlockClones &clones);
  mlir::Value linear(mlir::Value value, mlir::Value exponential,
                     BlockClones &clones);
  mlir::Value spread(mlir::Value row, mlir::RankedTensorType type,
                     const RingCore::Linear &output);
  mlir::Value accumulate(mlir::Value sum, mlir::Value part);
  mlir::Value wrapped(mlir::Value index);
  mlir::Value times(mlir::Value index, int64_t count);
  mlir::Value plus(mlir::Value lhs, mlir::Value rhs);
  mlir::Value minus(mlir::Value lhs, mlir::Value rhs);
  mlir::Value choose(mlir::Value pick, mlir::Value yes, mlir::Value no);

  mlir::OpBuilder &b;
  const RingCore &core;
  SplitValues &split;
  mlir::Location loc;
  llvm::SmallVector<mlir::Operation *> sums;
  llvm::SmallVector<unsigned> gathers; ///< those that the sums need
  mlir::Value place;                   ///< of the device in the ring
  mlir::Operation *front;              ///< in front of the loop
  unsigned parts;                      ///< of a block
};

/// What the sums of exponentials are still to be multiplied with to be
/// `output`, by row of the exponentials and in f32 or wider; null: nothing.
mlir::Value ringFactor(mlir::OpBuilder &b, const RingCore &core,
                       const RingCore::Linear &output);
/// `output` from its sum of exponentials.
mlir::Value finishOutput(mlir::OpBuilder &b, const RingCore &core,
                         const RingCore::Linear &output, mlir::Value sum);
/// A sum over keys as one over the width of values.
mlir::Value rowSum(mlir::OpBuilder &b, const RingCore &core,
                   const RingCore::RowSum &sum);

/// The type that sums of `type` are kept in.
mlir::RankedTensorType accumulatorOf(mlir::RankedTensorType type);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_RINGLOOP_H
