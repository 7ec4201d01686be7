// See RingLoop.h. In each of as many steps as there are devices, a device has
// the keys and values of another block, sends them on, and adds what they
// contribute; with the softmax's running maximum and sums, as in Milakov and
// Gimelshein's online softmax and Liu et al.'s ring attention. The last step
// has nothing to send and stands behind the loop. Gradients of keys and values
// go around with their block and come home with one more move.

#include "RingLoop.h"

#include "RowSlices.h"

#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType partopt::accumulatorOf(RankedTensorType type) {
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element || element.getWidth() >= 32)
    return type;
  return type.clone(Float32Type::get(type.getContext()));
}

static void forEach(RingState &state, llvm::function_ref<void(Value &)> visit) {
  for (RingState::Slots *slots : {&state.blocks, &state.rows, &state.grads})
    for (auto &slot : *slots)
      llvm::for_each(slot, visit);
}

SmallVector<Value> RingState::flat() const {
  SmallVector<Value> values;
  forEach(const_cast<RingState &>(*this),
          [&](Value &value) { values.push_back(value); });
  return values;
}

void RingState::assign(ValueRange values) {
  auto next = values.begin();
  forEach(*this, [&](Value &value) { value = *next++; });
}

Zigzag::Halves SplitValues::get(OpBuilder &b, Location loc, Value value,
                                int64_t dim) {
  auto key = std::make_pair(value.getAsOpaquePointer(), dim);
  if (auto at = halves.find(key); at != halves.end())
    return at->second;
  return halves[key] = zigzag.split(b, loc, value, dim);
}

Value SplitValues::join(OpBuilder &b, Location loc, const Zigzag::Halves &parts,
                        int64_t dim) {
  Value value = zigzag.join(b, loc, parts, dim);
  halves[{value.getAsOpaquePointer(), dim}] = parts;
  return value;
}

RingLoop::RingLoop(OpBuilder &b, const RingCore &core, SplitValues &split,
                   ArrayRef<Operation *> sums)
    : b(b), core(core), split(split), loc(core.max->getLoc()), sums(sums),
      parts(core.isCausal() ? 2 : 1) {
  findGathers();
  place = b.create<comm::AxisIndexOp>(
      loc, RankedTensorType::get({}, b.getI32Type()), core.axes);
  front = place.getDefiningOp();
}

/// Only what the sums are made of goes around.
void RingLoop::findGathers() {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open;
  for (Operation *op : sums)
    llvm::append_range(open, core.sourcesOf(op));
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!core.keyDim.contains(value) || !seen.insert(value).second)
      continue;
    auto isWhole = [&](const RingCore::Gather &g) { return g.whole == value; };
    if (llvm::none_of(core.gathers, isWhole))
      llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
  for (auto [i, gather] : llvm::enumerate(core.gathers))
    if (seen.contains(gather.whole))
      gathers.push_back(i);
}

Value RingLoop::plus(Value lhs, Value rhs) {
  return b.create<stablehlo::AddOp>(loc, lhs.getType(), lhs, rhs);
}
Value RingLoop::minus(Value lhs, Value rhs) {
  return b.create<stablehlo::SubtractOp>(loc, lhs.getType(), lhs, rhs);
}
Value RingLoop::times(Value index, int64_t count) {
  return b.create<stablehlo::MulOp>(loc, index.getType(), index,
                                    indexConstant(b, loc, count));
}
Value RingLoop::choose(Value pick, Value yes, Value no) {
  return b.create<stablehlo::SelectOp>(loc, pick, yes, no);
}

/// An index of a device that may be below 0.
Value RingLoop::wrapped(Value index) {
  Value count = indexConstant(b, loc, core.devices);
  return b.create<stablehlo::RemOp>(loc, index.getType(), plus(index, count),
                                    count);
}

Value RingLoop::permute(Value value) {
  SmallVector<int64_t> next;
  for (int64_t i = 0; i < core.devices; ++i)
    next.push_back((i + 1) % core.devices);
  auto op = b.create<comm::PermuteOp>(loc, value.getType(), core.axes,
                                      b.getDenseI64ArrayAttr(next), value);
  op->setAttr("partopt.why",
              b.getStringAttr("passes a block of keys around the ring"));
  return op.getResult();
}

/// The blocks that the device starts with; what lies behind the last key is
/// zero.
void RingLoop::start(RingState &state) {
  state.blocks.resize(parts);
  state.rows.resize(parts);
  state.grads.resize(parts);
  for (unsigned i : gathers) {
    const RingCore::Gather &gather = core.gathers[i];
    Value block = gather.block;
    if (core.isCausal()) {
      Zigzag::Halves halves = split.get(b, loc, block, gather.dim);
      state.blocks[0].push_back(halves[0]);
      state.blocks[1].push_back(halves[1]);
      continue;
    }
    if (core.isUneven())
      block =
          keepBelow(b, loc, block, gather.dim, times(place, core.width),
                    core.keys, b.getZeroAttr(typeOf(block).getElementType()));
    state.blocks[0].push_back(block);
  }
}

/// The dimension of a sum's result that has the queries.
std::optional<int64_t> RingLoop::queryDimOf(Operation *sum) {
  auto rule = getShardingRule(sum);
  for (auto [i, operand] : llvm::enumerate(sum->getOperands()))
    if (auto at = core.queryDim.find(operand); at != core.queryDim.end())
      return dimAcross(rule->operands[i], rule->results[0], at->second);
  return std::nullopt;
}

/// A sum by query, for each part of the queries.
void RingLoop::addRow(RingState &state, Operation *sum, Attribute init,
                      bool isWide) {
  RankedTensorType type = typeOf(sum->getResult(0));
  if (isWide)
    type = accumulatorOf(type);
  SmallVector<int64_t> shape(type.getShape());
  if (core.isCausal())
    shape[*queryDimOf(sum)] /= 2;
  if (!init)
    init = b.getZeroAttr(type.getElementType());
  for (auto &slot : state.rows)
    slot.push_back(splatOf(b, loc, type.clone(shape), init));
}

Value RingLoop::joinRows(RingState &state, unsigned i, Operation *sum) {
  if (!core.isCausal())
    return state.rows[0][i];
  return split.join(b, loc, {state.rows[0][i], state.rows[1][i]},
                    *queryDimOf(sum));
}

/// The first position of a part of device `block`'s in zigzag order.
Value RingLoop::first(Value block, const Tile &tile, unsigned part) {
  int64_t half = core.width / 2;
  Value front = times(block, half);
  if (!tile.pick && part == 0)
    return front;
  Value back =
      minus(indexConstant(b, loc, (2 * core.devices - 1) * half), front);
  return tile.pick ? choose(tile.pick, front, back) : back;
}

TileRange RingLoop::rangeOf(Value block, const Tile &tile) {
  TileRange range;
  if (!core.isCausal()) {
    range.keys = core.width;
    range.keyStart = times(block, core.width);
    return range;
  }
  range.keys = range.queries = core.width / 2;
  range.keyStart = first(block, tile, tile.key);
  range.queryStart =
      minus(first(place, tile, tile.query), times(place, core.width));
  return range;
}

SmallVector<Value> RingLoop::taken(const RingState::Slots &slots, unsigned part,
                                   Value pick) {
  if (!pick)
    return slots[part];
  SmallVector<Value> values;
  for (auto [yes, no] : llvm::zip(slots[0], slots[1]))
    values.push_back(choose(pick, yes, no));
  return values;
}

void RingLoop::put(RingState::Slots &slots, unsigned part, Value pick,
                   ArrayRef<Value> values) {
  if (!pick) {
    slots[part].assign(values.begin(), values.end());
    return;
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    slots[0][i] = choose(pick, value, slots[0][i]);
    slots[1][i] = choose(pick, slots[1][i], value);
  }
}

namespace {
/// The part of the queries that a tile is about.
class TileRows : public QueryRows {
public:
  TileRows(SplitValues &split,
           std::function<Value(Value value, int64_t dim)> fetch)
      : split(split), fetch(std::move(fetch)) {}
  bool has(Value value, int64_t dim) override { return split.has(value, dim); }
  Value get(Value value, int64_t dim) override { return fetch(value, dim); }

private:
  SplitValues &split;
  std::function<Value(Value, int64_t)> fetch;
};
} // namespace

/// Adds what `tile` of device `block`'s keys contributes.
void RingLoop::visit(RingState &state, Value block, const Tile &tile,
                     TileFn add) {
  TileRows tileRows(split, [&](Value value, int64_t dim) {
    Zigzag::Halves halves;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfter(front);
      halves = split.get(b, loc, value, dim);
    }
    return tile.pick ? choose(tile.pick, halves[0], halves[1])
                     : halves[tile.query];
  });
  BlockClones clones(b, loc, core, rangeOf(block, tile), &tileRows);
  for (auto [i, value] :
       llvm::zip(gathers, taken(state.blocks, tile.key, tile.pick)))
    clones.set(core.gathers[i].whole, value);
  SmallVector<Value> rows = taken(state.rows, tile.query, tile.pick),
                     grads = taken(state.grads, tile.key, tile.pick);
  add(rows, grads, clones);
  put(state.rows, tile.query, tile.pick, rows);
  put(state.grads, tile.key, tile.pick, grads);
}

/// What the block of device `block` contributes. Under a causal mask two of
/// four pairs of parts: the queries' second part sees the keys' first. Of an
/// earlier device's block the queries' first part sees the keys' first as well,
/// of another the second the second.
void RingLoop::step(RingState &state, Value block, TileFn tile) {
  if (!core.isCausal())
    return visit(state, block, Tile(), tile);
  visit(state, block, {1, 0, Value()}, tile);
  Value isEarlier = b.create<stablehlo::CompareOp>(
      loc, block, place, stablehlo::ComparisonDirection::LT,
      stablehlo::ComparisonType::SIGNED);
  visit(state, block, {0, 0, isEarlier}, tile);
}

void RingLoop::run(RingState &state, TileFn tile) {
  // A device's own first parts see each other as well.
  if (core.isCausal())
    visit(state, place, Tile(), tile);
  SmallVector<Value> inits = state.flat();
  SmallVector<Type> types{RankedTensorType::get({}, b.getI32Type())};
  llvm::append_range(types, ValueRange(inits).getTypes());
  auto begin =
      b.create<comm::LoopBeginOp>(loc, types, core.axes.getNames()[0],
                                  b.getI64IntegerAttr(core.devices - 1), inits);
  state.assign(begin.getCarried());
  auto move = [&](RingState::Slots &slots) {
    for (auto &slot : slots)
      for (Value &value : slot)
        value = permute(value);
  };
  RingState::Slots next = state.blocks;
  move(next);
  step(state, wrapped(minus(place, begin.getIndex())), tile);
  move(state.grads);
  state.blocks = next;
  SmallVector<Value> nexts = state.flat();
  auto end =
      b.create<comm::LoopEndOp>(loc, ValueRange(nexts).getTypes(), nexts);
  state.assign(end.getFinals());
  Value last = indexConstant(b, loc, core.devices - 1);
  step(state, wrapped(minus(place, last)), tile);
  move(state.grads);
}

//===--- Forward and backward ---------------------------------------------===//

RingLoop::Forward RingLoop::forward() {
  RingState state;
  start(state);
  Type element = typeOf(core.max->getResult(0)).getElementType();
  addRow(state, core.max, combinerIdentity(element, Combiner::Max),
         /*isWide=*/false);
  for (const RingCore::Linear &output : core.outputs)
    addRow(state, output.op, Attribute(), /*isWide=*/true);
  run(state, [&](SmallVector<Value> &rows, SmallVector<Value> &,
                 BlockClones &clones) { forwardTile(rows, clones); });
  Forward result;
  result.max = joinRows(state, 0, core.max);
  for (auto [i, output] : llvm::enumerate(core.outputs))
    result.outputs.push_back(joinRows(state, 1 + i, output.op));
  return result;
}

//===--- Backward
//----------------------------------------------------------===//

SmallVector<Value> RingLoop::backward() {
  RingState state;
  start(state);
  SmallVector<Operation *> rowSums;
  SmallVector<const RingCore::Scatter *> scatters;
  for (Operation *op : sums) {
    auto isIt = [&](const RingCore::Scatter &s) { return s.op == op; };
    const auto *scatter = llvm::find_if(core.scatters, isIt);
    if (scatter == core.scatters.end()) {
      rowSums.push_back(op);
      addRow(state, op, Attribute(), /*isWide=*/true);
      continue;
    }
    scatters.push_back(scatter);
    RankedTensorType type = typeOf(op->getResult(0));
    SmallVector<int64_t> shape(type.getShape());
    shape[scatter->dim] /= parts;
    for (auto &slot : state.grads)
      slot.push_back(splatOf(b, loc, type.clone(shape),
                             b.getZeroAttr(type.getElementType())));
  }
  run(state, [&](SmallVector<Value> &rows, SmallVector<Value> &grads,
                 BlockClones &clones) {
    for (auto [grad, scatter] : llvm::zip(grads, scatters))
      grad = accumulate(grad, clones.get(scatter->sum));
    for (auto [row, op] : llvm::zip(rows, rowSums))
      row = accumulate(row, clones.clone(op));
  });
  SmallVector<Value> results;
  unsigned row = 0, grad = 0;
  for (Operation *op : sums) {
    if (row < rowSums.size() && rowSums[row] == op) {
      results.push_back(joinRows(state, row++, op));
      continue;
    }
    Value value = state.grads[0][grad];
    if (core.isCausal())
      value = split.join(b, loc, {value, state.grads[1][grad]},
                         scatters[grad]->dim);
    results.push_back(value);
    ++grad;
  }
  return results;
}
