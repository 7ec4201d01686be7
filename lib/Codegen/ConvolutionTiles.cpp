// The innermost part of a convolution: one tile of outputs in registers, and
// the loops of its sum.
//
// Padding is never multiplied: loops over taps end at the border. Along the
// rows the border is known when compiling, so such taps are not emitted.
//
// Order of a sum: input features and taps as they lie in the input, outermost
// first, one by one; the same in every run.
#include "ConvolutionEmitter.h"
#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace partopt::codegen {

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

Value ConvolutionEmitter::index(int64_t value) {
  return b.create<arith::ConstantIndexOp>(loc, value);
}

Value ConvolutionEmitter::valueOf(const Offset &offset) {
  if (!offset.var)
    return index(offset.constant);
  return offset.constant == 0 ? offset.var
                              : Value(b.create<arith::AddIOp>(
                                    loc, offset.var, index(offset.constant)));
}

/// `offset + counter * step`.
Offset ConvolutionEmitter::moved(Offset offset, const Offset &counter,
                                 int64_t step) {
  offset.constant += counter.constant * step;
  if (!counter.var || step == 0)
    return offset;
  Value var = counter.var;
  if (step != 1)
    var = b.create<arith::MulIOp>(loc, var, index(step));
  offset.var =
      offset.var ? Value(b.create<arith::AddIOp>(loc, offset.var, var)) : var;
  return offset;
}

void ConvolutionEmitter::loop(Offset low, Offset high, int64_t step,
                              Values &carried, Body body) {
  if (!low.var && !high.var && high.constant <= low.constant + step) {
    if (high.constant > low.constant)
      body(low, carried);
    return;
  }
  auto created = b.create<scf::ForOp>(loc, valueOf(low), valueOf(high),
                                      index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  Values inner(created.getRegionIterArgs().begin(),
               created.getRegionIterArgs().end());
  body({created.getInductionVar(), 0}, inner);
  if (!carried.empty())
    b.create<scf::YieldOp>(loc, inner);
  carried.assign(created.getResults().begin(), created.getResults().end());
}

std::pair<Offset, Offset>
ConvolutionEmitter::insideRange(const SpatialLoop &loop, Offset open,
                                int64_t perOpen, int64_t perCounter,
                                int64_t size) {
  Offset at = moved({{}, loop.inBegin}, open, perOpen);
  // ceil(max(0, distance) / perCounter)
  auto steps = [&](Offset distance, int64_t limit) -> Offset {
    if (!distance.var)
      return {{},
              std::min(limit, (std::max<int64_t>(0, distance.constant) +
                               perCounter - 1) /
                                  perCounter)};
    Value count = b.create<arith::MaxSIOp>(loc, valueOf(distance), index(0));
    if (perCounter != 1)
      count = b.create<arith::DivUIOp>(
          loc, b.create<arith::AddIOp>(loc, count, index(perCounter - 1)),
          index(perCounter));
    return {b.create<arith::MinSIOp>(loc, count, index(limit)), 0};
  };
  Offset negated = moved({}, at, -1);
  Offset rest = moved({{}, loop.inSize}, at, -1);
  return {steps(negated, size), steps(rest, size)};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Cycles of one step of a tile, counted in issues of two per cycle: products,
/// loads, and the latency of four cycles that each sum waits for itself.
static double stepCost(int64_t rows, int64_t vectors) {
  return std::max({rows * vectors / 2.0, (rows + vectors) / 2.0, 4.0});
}

/// Rows of a tile for `size` outputs: what leaves the least idle.
int64_t ConvolutionEmitter::rowsFor(int64_t size) const {
  int64_t most = std::min<int64_t>(size, vectors == 2 ? 6 : 8), best = 1;
  double bestCost = std::numeric_limits<double>::infinity();
  for (int64_t rows = most; rows >= 1; --rows) {
    int64_t whole = size / rows;
    double cost = stepCost(rows, vectors) * double(whole);
    if (size % rows)
      cost += stepCost(size % rows, vectors);
    if (cost < bestCost) {
      bestCost = cost;
      best = rows;
    }
  }
  return best;
}

void ConvolutionEmitter::addRuns(int64_t begin, int64_t end,
                                 SmallVector<RowRun> &list) const {
  if (begin >= end)
    return;
  int64_t rows = rowsFor(end - begin), count = (end - begin) / rows;
  list.push_back({begin, count, rows, {}, false});
  int64_t done = begin + count * rows;
  if (done < end)
    list.push_back({done, 1, end - done, {}, false});
}

/// Tiles whose taps at the border are known; false when that takes too many
/// bodies.
bool ConvolutionEmitter::addStaticRuns(SmallVector<RowRun> &list) const {
  const SpatialLoop &loop = spatial[rows()->spatial];
  if (loop.taps > kBorderBodies)
    return false;
  int64_t size = rows()->size, step = rowsFor(size);
  for (int64_t begin = 0; begin < size; begin += step) {
    RowRun run{begin, 1, std::min(step, size - begin), {}, false};
    for (int64_t tap = 0; tap < loop.taps; ++tap) {
      uint64_t mask = 0;
      for (int64_t row = 0; row < run.rows; ++row)
        mask |= uint64_t(loop.isInside(begin + row, tap)) << row;
      run.valid.push_back(mask);
    }
    if (!list.empty() && list.back().rows == run.rows &&
        list.back().valid == run.valid)
      ++list.back().count;
    else
      list.push_back(run);
    if (int64_t(list.size()) * loop.taps > kBorderBodies)
      return false;
  }
  return true;
}

SmallVector<RowRun> ConvolutionEmitter::runs() const {
  SmallVector<RowRun> list;
  if (!rows()) {
    list.push_back({0, 1, 1, {}, false});
    return list;
  }
  int64_t size = rows()->size;
  if (!hasPaddedRows()) {
    addRuns(0, size, list);
    return list;
  }
  if (addStaticRuns(list))
    return list;
  list.clear();
  const SpatialLoop &loop = spatial[rows()->spatial];
  auto isWhole = [&](int64_t q) {
    return loop.isInside(q, 0) && loop.isInside(q, loop.taps - 1);
  };
  int64_t low = 0, high = size;
  while (low < size && !isWhole(low))
    ++low;
  while (high > low && !isWhole(high - 1))
    --high;
  if (low > 0)
    list.push_back({0, low, 1, {}, true});
  addRuns(low, high, list);
  if (high < size)
    list.push_back({high, size - high, 1, {}, true});
  return list;
}

void ConvolutionEmitter::emitRows() {
  for (const RowRun &run : runs()) {
    Values none;
    loop({{}, run.begin}, {{}, run.begin + run.count * run.rows}, run.rows,
         none, [&](Offset at, Values &) {
           Offset lhsBefore = lhsAt, outBefore = outAt;
           if (rows()) {
             lhsAt = moved(lhsAt, at, rows()->inStride);
             outAt = moved(outAt, at, rows()->outStride);
             if (rows()->spatial >= 0)
               openOutput[rows()->spatial] = at;
           }
           emitTile(run);
           if (rows() && rows()->spatial >= 0)
             openOutput[rows()->spatial] = std::nullopt;
           lhsAt = lhsBefore;
           outAt = outBefore;
         });
  }
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

Type ConvolutionEmitter::sumType() const {
  Type type = computeType(element);
  return width == 1 ? type : Type(VectorType::get({width}, type));
}

void ConvolutionEmitter::emitTile(const RowRun &run) {
  auto place = [&](int64_t row, int64_t vector) {
    Offset at = outAt;
    at.constant +=
        (rows() ? row * rows()->outStride : 0) + vector * width * outFeature;
    return at;
  };
  Values tile;
  Value zero;
  if (numOuterSums == 0)
    zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(sumType()));
  for (int64_t row = 0; row < run.rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector)
      tile.push_back(zero ? zero
                          : load(out, element, place(row, vector), width > 1));
  sum(numOuterSums, run, tile);
  size_t next = 0;
  for (int64_t row = 0; row < run.rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector)
      store(tile[next++], place(row, vector));
}

/// The loops of the sum from `level` on.
void ConvolutionEmitter::sum(unsigned level, const RowRun &run, Values &tile) {
  uint64_t all = (uint64_t(1) << run.rows) - 1;
  // Which rows have the tap at hand, where the loop over taps is unrolled.
  uint64_t valid = all;
  if (!run.valid.empty())
    for (const SumDim &dim : ArrayRef(sums).take_front(level))
      if (dim.spatial == rows()->spatial)
        valid = run.valid[openTap[dim.spatial]->constant];
  if (level == sums.size())
    return multiply(run, valid, tile);
  const SumDim &dim = sums[level];
  auto at = [&](Offset counter, Values &inner) {
    Offset lhsBefore = lhsAt, rhsBefore = rhsAt;
    std::optional<Offset> tapBefore;
    lhsAt = moved(lhsAt, counter, dim.inStride);
    rhsAt = moved(rhsAt, counter, dim.kernelStride);
    if (dim.spatial >= 0) {
      tapBefore = openTap[dim.spatial];
      openTap[dim.spatial] = counter;
    }
    sum(level + 1, run, inner);
    if (dim.spatial >= 0)
      openTap[dim.spatial] = tapBefore;
    lhsAt = lhsBefore;
    rhsAt = rhsBefore;
  };
  bool isOfRows = rows() && dim.spatial >= 0 && dim.spatial == rows()->spatial;
  if (isOfRows && !run.valid.empty()) {
    for (int64_t tap = 0; tap < dim.size; ++tap)
      if (run.valid[tap])
        at({{}, tap}, tile);
    return;
  }
  Offset low, high{{}, dim.size};
  if (dim.spatial >= 0 && !spatial[dim.spatial].isInside() &&
      (!isOfRows || run.isBorder)) {
    const SpatialLoop &loop = spatial[dim.spatial];
    std::tie(low, high) = insideRange(loop, *openOutput[dim.spatial],
                                      loop.inByOut, loop.inByTap, dim.size);
  }
  loop(low, high, 1, tile, at);
}

void ConvolutionEmitter::multiply(const RowRun &run, uint64_t valid,
                                  Values &tile) {
  SmallVector<Value, 2> kernel;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Offset at = rhsAt;
    at.constant += vector * width * rhsOut;
    kernel.push_back(load(rhs, rhsElement, at, width > 1));
  }
  for (int64_t row = 0; row < run.rows; ++row) {
    if (!(valid >> row & 1))
      continue;
    Offset at = lhsAt;
    at.constant += rows() ? row * rows()->inStride : 0;
    Value spread;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value x = spread;
      if (lhsOut != 0) {
        Offset own = at;
        own.constant += vector * width * lhsOut;
        x = load(lhs, lhsElement, own, width > 1);
      } else if (!x) {
        x = load(lhs, lhsElement, at, false);
        if (width > 1)
          x = b.create<vector::SplatOp>(loc, sumType(), x);
        spread = x;
      }
      Value &sum = tile[row * vectors + vector];
      sum = multiplyAdd(sum, x, kernel[vector]);
    }
  }
}

/// In the type of the sum.
Value ConvolutionEmitter::load(Value memref, Type from, Offset at,
                               bool isVector) {
  Value place = valueOf(at);
  if (isVector)
    return b.create<vector::LoadOp>(loc, cast<VectorType>(sumType()), memref,
                                    place);
  Value stored = b.create<memref::LoadOp>(loc, memref, place);
  return widened(b, loc, from, computeType(element),
                 toCompute(b, loc, from, stored));
}

Value ConvolutionEmitter::multiplyAdd(Value sum, Value x, Value y) {
  Type type = getElementTypeOrSelf(sum.getType());
  if (isa<VectorType>(sum.getType()) && isa<FloatType>(type))
    return b.create<vector::FMAOp>(loc, x, y, sum);
  if (isa<FloatType>(type)) {
    auto fused = arith::FastMathFlags::contract;
    Value product = b.create<arith::MulFOp>(loc, x, y, fused);
    return b.create<arith::AddFOp>(loc, sum, product, fused);
  }
  if (type.isInteger(1))
    return b.create<arith::OrIOp>(loc, sum, b.create<arith::AndIOp>(loc, x, y));
  return b.create<arith::AddIOp>(loc, sum, b.create<arith::MulIOp>(loc, x, y));
}

void ConvolutionEmitter::store(Value sum, Offset at) {
  Value place = valueOf(at);
  if (isa<VectorType>(sum.getType())) {
    b.create<vector::StoreOp>(loc, sum, out, place);
    return;
  }
  Value stored =
      toStorage(b, loc, element, roundToElement(b, loc, element, sum));
  b.create<memref::StoreOp>(loc, stored, out, place);
}

} // namespace partopt::codegen
