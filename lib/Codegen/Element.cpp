// Elements on demand: look in the cache, load from a buffer, or ask the op's
// rule.
#include "Element.h"
#include "Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace partopt::codegen {

bool ElementScope::KeyLess::operator()(const Key &a, const Key &b) const {
  auto rank = [](const Key &key, size_t i) {
    const Index &index = key.second[i];
    return std::make_pair(index.var.getAsOpaquePointer(), index.offset);
  };
  if (a.first != b.first)
    return a.first.getAsOpaquePointer() < b.first.getAsOpaquePointer();
  for (size_t i = 0, e = a.second.size(); i < e; ++i)
    if (rank(a, i) != rank(b, i))
      return rank(a, i) < rank(b, i);
  return false;
}

const Value *ElementScope::lookup(const Key &key) const {
  for (const ElementScope *scope = this; scope; scope = scope->parent) {
    auto it = scope->cache.find(key);
    if (it != scope->cache.end())
      return &it->second;
  }
  return nullptr;
}

void ElementScope::define(Value value, ArrayRef<Index> at, Value scalar) {
  cache[{value, IndexVector(at)}] = scalar;
}

Value ElementScope::element(Value value, ArrayRef<Index> at) {
  Key key(value, IndexVector(at));
  if (const Value *known = lookup(key))
    return *known;
  Value result;
  auto buffer = buffers ? buffers->find(value) : decltype(buffers->end())();
  if (buffers && buffer != buffers->end()) {
    result = load(buffer->second, tensorOf(value).getElementType(), at);
  } else {
    Operation *op = value.getDefiningOp();
    const OpRule *rule = op ? RuleTable::get().lookup(op) : nullptr;
    if (!rule || !rule->element) {
      if (op)
        op->emitError("'") << op->getName()
                           << "' has no form as an element of a kernel";
      else
        emitError(value.getLoc(), "this value has no buffer in its kernel");
      return {};
    }
    Location outer = loc;
    loc = op->getLoc();
    result = rule->element(*this, op, at);
    loc = outer;
  }
  if (result)
    cache[key] = result;
  return result;
}

Value ElementScope::indexConstant(int64_t value) {
  return builder.create<arith::ConstantIndexOp>(loc, value);
}

Value ElementScope::materialize(const Index &index) {
  if (index.isConstant())
    return indexConstant(index.offset);
  if (index.offset == 0)
    return index.var;
  std::pair<void *, int64_t> key(index.var.getAsOpaquePointer(), index.offset);
  for (ElementScope *scope = this; scope; scope = scope->parent) {
    auto it = scope->indices.find(key);
    if (it != scope->indices.end())
      return it->second;
  }
  Value result = builder.create<arith::AddIOp>(loc, index.var,
                                               indexConstant(index.offset));
  indices[key] = result;
  return result;
}

Index ElementScope::opaque(Value value, int64_t low, int64_t high) {
  return {value, 0, low, high};
}

Index ElementScope::scaled(const Index &index, int64_t factor) {
  if (factor == 1)
    return index;
  if (index.isConstant())
    return Index::constant(index.offset * factor);
  Value product = builder.create<arith::MulIOp>(loc, materialize(index),
                                                indexConstant(factor));
  int64_t a = index.low * factor, b = index.high * factor;
  return opaque(product, std::min(a, b), std::max(a, b));
}

Index ElementScope::sum(const Index &a, const Index &b) {
  if (b.isConstant())
    return a.plus(b.offset);
  if (a.isConstant())
    return b.plus(a.offset);
  Value total =
      builder.create<arith::AddIOp>(loc, materialize(a), materialize(b));
  return opaque(total, a.low + b.low, a.high + b.high);
}

Value ElementScope::inBounds(const Index &index, int64_t low, int64_t high) {
  if (splits) {
    if (index.low < low)
      splits->push_back({index.var, low - index.offset});
    if (index.high >= high)
      splits->push_back({index.var, high - index.offset});
  }
  Value at = materialize(index);
  Value result;
  if (index.low < low)
    result = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, at,
                                           indexConstant(low));
  if (index.high >= high) {
    Value below = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                                at, indexConstant(high));
    result = result ? builder.create<arith::AndIOp>(loc, result, below) : below;
  }
  return result;
}

void ElementScope::splitAt(const Index &index, int64_t position) {
  if (splits && !index.isConstant() && position > index.low &&
      position <= index.high)
    splits->push_back({index.var, position - index.offset});
}

Index ElementScope::clamped(const Index &index, int64_t low, int64_t high) {
  if (index.low >= low && index.high <= high)
    return index;
  Value value = materialize(index);
  if (index.low < low)
    value = builder.create<arith::MaxSIOp>(loc, value, indexConstant(low));
  if (index.high > high)
    value = builder.create<arith::MinSIOp>(loc, value, indexConstant(high));
  return opaque(value, low, high);
}

SmallVector<Value> Buffer::place(ElementScope &scope,
                                 ArrayRef<Index> at) const {
  SmallVector<Value> indices;
  if (slot)
    indices.push_back(slot);
  for (const Index &index : at.drop_front(rowRank))
    indices.push_back(scope.materialize(index));
  return indices;
}

Value ElementScope::load(const Buffer &buffer, Type elementType,
                         ArrayRef<Index> at) {
  noteTransposedRead(buffer, at);
  Value stored;
  if (transposed && transposed->load && buffer.rowRank == 0)
    stored = transposed->load(*this, buffer, at);
  if (!stored)
    stored = builder.create<memref::LoadOp>(loc, buffer.memref,
                                            buffer.place(*this, at));
  return toCompute(builder, loc, elementType, stored);
}

LogicalResult evaluateRegion(ElementScope &scope, Region &region,
                             ValueRange arguments,
                             SmallVectorImpl<Value> &out) {
  ElementScope inner(&scope);
  Block &block = region.front();
  for (auto [argument, scalar] : llvm::zip(block.getArguments(), arguments))
    inner.define(argument, {}, scalar);
  for (Value result : block.getTerminator()->getOperands()) {
    Value scalar = inner.element(result, {});
    if (!scalar)
      return failure();
    out.push_back(scalar);
  }
  return success();
}

bool readsMemory(Operation *op) {
  const OpRule *rule = RuleTable::get().lookup(op);
  return rule && rule->readsMemory;
}

const RuleTable &RuleTable::get() {
  static const RuleTable table = [] {
    RuleTable built;
    addElementwiseRules(built);
    addMovementRules(built);
    addIndexingRules(built);
    addFoldRules(built);
    addScatterRules(built);
    addWindowRules(built);
    addSortRules(built);
    addTopKRules(built);
    addFourierRules(built);
    addCholeskyRules(built);
    addTriangularSolveRules(built);
    addRngRules(built);
    addConvolutionRules(built);
    addSelectAndScatterRules(built);
    return built;
  }();
  return table;
}

} // namespace partopt::codegen
