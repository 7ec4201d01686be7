// rng_bit_generator: counters through a block cipher, Threefry-2x32-20 or
// Philox-4x32-10. Which counter makes which element, and the state afterwards,
// are those of XLA's CPU backend, bit for bit. Every block is computed once and
// stores all of its elements.
#include "EmitKernel.h"
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// Operators on words of 32 and 64 bits, which wrap around.
struct Word {
  OpBuilder *b;
  Location loc;
  Value value;

  Word of(Value other) const { return {b, loc, other}; }
  Word constant(uint64_t number) const {
    Type type = value.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    return of(b->create<arith::ConstantOp>(
        loc, b->getIntegerAttr(type, APInt(64, number).trunc(width))));
  }
  template <typename Op> Word apply(Word y) const {
    return of(b->create<Op>(loc, value, y.value));
  }
  Word extended() const {
    return of(b->create<arith::ExtUIOp>(loc, b->getI64Type(), value));
  }
  Word low() const {
    return of(b->create<arith::TruncIOp>(loc, b->getI32Type(), value));
  }
  Word high() const { return apply<arith::ShRUIOp>(constant(32)).low(); }
  Word rotatedLeft(unsigned bits) const {
    return apply<arith::ShLIOp>(constant(bits))
        .apply<arith::OrIOp>(apply<arith::ShRUIOp>(constant(32 - bits)));
  }
};
Word operator+(Word x, Word y) { return x.apply<arith::AddIOp>(y); }
Word operator^(Word x, Word y) { return x.apply<arith::XOrIOp>(y); }
Word operator*(Word x, Word y) { return x.apply<arith::MulIOp>(y); }

using Words = SmallVector<Word, 4>;

Words threefry(Word key, Word counter) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Word k0 = key.low(), k1 = key.high();
  Word keys[3] = {k0, k1, k0 ^ k1 ^ k0.constant(0x1BD11BDA)};
  Word x = counter.low() + keys[0], y = counter.high() + keys[1];
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned bits : rotations[group % 2]) {
      x = x + y;
      y = x ^ y.rotatedLeft(bits);
    }
    x = x + keys[(group + 1) % 3];
    y = y + keys[(group + 2) % 3] + y.constant(group + 1);
  }
  return {x, y};
}

Words philox(Word key, Word counterLow, Word counterHigh) {
  Word k0 = key.low(), k1 = key.high();
  Words x = {counterLow.low(), counterLow.high(), counterHigh.low(),
             counterHigh.high()};
  for (unsigned round = 0; round < 10; ++round) {
    Word p = x[0].extended() * key.constant(0xD2511F53);
    Word q = x[2].extended() * key.constant(0xCD9E8D57);
    x = {q.high() ^ x[1] ^ k0, q.low(), p.high() ^ x[3] ^ k1, p.low()};
    k0 = k0 + k0.constant(0x9E3779B9);
    k1 = k1 + k1.constant(0xBB67AE85);
  }
  return x;
}

class RngEmitter {
public:
  RngEmitter(KernelEmitter &emitter, RngBitGeneratorOp op,
             ArrayRef<Buffer> results)
      : emitter(emitter), b(emitter.getBuilder()), op(op), results(results),
        loc(op.getLoc()), element(tensorOf(op.getOutput()).getElementType()),
        shape(tensorOf(op.getOutput()).getShape()),
        isWide(storageBytes(element) == 8),
        isThreefry(op.getRngAlgorithm() == RngAlgorithm::THREE_FRY) {}

  LogicalResult run();

private:
  LogicalResult loadState(ElementScope &scope);
  void storeState(ElementScope &scope, int64_t blocks);
  /// Block number `number` (type index).
  Words block(Value number);
  /// Pairs of words as words of 64 bits.
  Words paired(const Words &words);
  void storeBits(Word bits, Value at);
  void storeAhead(const Words &bits, Value first, int64_t count);
  LogicalResult inOrder(ElementScope &scope, int64_t perBlock);
  LogicalResult inHalves(ElementScope &scope, int64_t half);
  Value constant(int64_t value) {
    return b.create<arith::ConstantIndexOp>(loc, value);
  }
  Value scaled(Value x, int64_t factor) {
    return b.create<arith::MulIOp>(loc, x, constant(factor));
  }
  Value sum(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  /// The counter after `step` (i64) more blocks; Threefry's has no high part.
  std::pair<Word, Word> counterAt(Word step);
  int64_t splitDim() const;

  KernelEmitter &emitter;
  OpBuilder &b;
  RngBitGeneratorOp op;
  ArrayRef<Buffer> results;
  Location loc;
  Type element;
  ArrayRef<int64_t> shape;
  bool isWide, isThreefry;
  Words state; ///< key, counter from the low word on
  Value out;   ///< the output in one dimension
};

LogicalResult RngEmitter::loadState(ElementScope &scope) {
  for (int64_t i = 0; i < tensorOf(op.getInitialState()).getDimSize(0); ++i) {
    Value word = scope.element(op.getInitialState(), {Index::constant(i)});
    if (!word)
      return failure();
    state.push_back({&b, loc, word});
  }
  return success();
}

std::pair<Word, Word> RngEmitter::counterAt(Word step) {
  Word low = state[1] + step;
  if (isThreefry)
    return {low, low};
  // A short state's counter goes on with the key, which never changes.
  Word high = state.size() == 3 ? state[2] : state[0];
  Word carry = low.of(b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                              low.value, step.value));
  return {low, high + carry.extended()};
}

void RngEmitter::storeState(ElementScope &scope, int64_t blocks) {
  auto [low, high] = counterAt(state[0].constant(blocks));
  Words next = {state[0], low, high};
  next.truncate(state.size());
  Type type = tensorOf(op.getOutputState()).getElementType();
  for (auto [i, word] : llvm::enumerate(next))
    emitter.store(scope, results[0], type, {Index::constant(i)}, word.value);
}

Words RngEmitter::block(Value number) {
  Value step = b.create<arith::IndexCastOp>(loc, b.getI64Type(), number);
  auto [low, high] = counterAt(state[0].of(step));
  Words words =
      isThreefry ? threefry(state[0], low) : philox(state[0], low, high);
  return isWide ? paired(words) : words;
}

Words RngEmitter::paired(const Words &words) {
  Words pairs;
  for (size_t i = 0; i < words.size(); i += 2) {
    Word high = words[i + 1].extended();
    pairs.push_back(words[i].extended().apply<arith::OrIOp>(
        high.apply<arith::ShLIOp>(high.constant(32))));
  }
  return pairs;
}

/// The low bits of a word, in a float as its bits.
void RngEmitter::storeBits(Word bits, Value at) {
  unsigned width = storageBytes(element) * 8;
  Value stored = bits.value;
  if (width < 32)
    stored = b.create<arith::TruncIOp>(loc, b.getIntegerType(width), stored);
  if (Type type = storageType(element); type != stored.getType())
    stored = b.create<arith::BitcastOp>(loc, type, stored);
  b.create<memref::StoreOp>(loc, stored, out, at);
}

void RngEmitter::storeAhead(const Words &bits, Value first, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    storeBits(bits[i], sum(first, constant(i)));
}

/// Elements in row-major order, `perBlock` from each block.
LogicalResult RngEmitter::inOrder(ElementScope &scope, int64_t perBlock) {
  int64_t size = tensorOf(op.getOutput()).getNumElements();
  int64_t whole = size / perBlock;
  if (whole > 0) {
    auto body = [&](ElementScope &inner, ArrayRef<Index> at) {
      Value number = inner.materialize(at[0]);
      storeAhead(block(number), scaled(number, perBlock), perBlock);
      return success();
    };
    if (failed(emitter.parallel(scope, {whole}, body)))
      return failure();
  }
  int64_t rest = size % perBlock;
  if (rest == 0)
    return success();
  return emitter.parallel(scope, {}, [&](ElementScope &, ArrayRef<Index>) {
    storeAhead(block(constant(whole)), constant(whole * perBlock), rest);
    return success();
  });
}

/// The dimension along which neighbours share a block: the first even one, or
/// the first of the largest.
int64_t RngEmitter::splitDim() const {
  const auto *even =
      llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
  return (even != shape.end() ? even
                              : std::max_element(shape.begin(), shape.end())) -
         shape.begin();
}

/// Two elements from each block, 2i and 2i + 1 along a dimension. Blocks are
/// numbered in row-major order of the shape with `half` in this dimension.
LogicalResult RngEmitter::inHalves(ElementScope &scope, int64_t half) {
  int64_t dim = splitDim();
  int64_t before = 1, after = 1, size = shape.empty() ? 1 : shape[dim];
  for (auto [d, n] : llvm::enumerate(shape))
    if (int64_t(d) != dim)
      (int64_t(d) < dim ? before : after) *= n;
  // Blocks [first, first + count) along the dimension store `perBlock` each.
  auto blocks = [&](int64_t first, int64_t count, int64_t perBlock) {
    auto body = [&](ElementScope &inner, ArrayRef<Index> at) {
      Value a = inner.materialize(at[0]);
      Value h = inner.materialize(at[1].plus(first));
      Value c = inner.materialize(at[2]);
      Value number = sum(scaled(sum(scaled(a, half), h), after), c);
      Value row = sum(scaled(a, size), scaled(h, 2));
      Words bits = block(number);
      for (int64_t i = 0; i < perBlock; ++i)
        storeBits(bits[i], sum(scaled(sum(row, constant(i)), after), c));
      return success();
    };
    return emitter.parallel(scope, {before, count, after}, body);
  };
  if (size > 1 && failed(blocks(0, size / 2, 2)))
    return failure();
  return size % 2 ? blocks(half - 1, 1, 1) : success();
}

LogicalResult RngEmitter::run() {
  ElementScope scope = emitter.topScope(loc);
  if (failed(loadState(scope)))
    return failure();
  int64_t size = tensorOf(op.getOutput()).getNumElements();
  bool halves = isThreefry && !isWide;
  int64_t perBlock = isThreefry ? 1 : isWide ? 2 : 4;
  int64_t half = 1, blocks = llvm::divideCeil(size, perBlock);
  if (halves && size > 0) {
    int64_t length = shape.empty() ? 1 : shape[splitDim()];
    half = (length + 1) / 2;
    blocks = size / length * half;
  }
  auto advance = [&](ElementScope &inner, ArrayRef<Index>) {
    storeState(inner, blocks);
    return success();
  };
  if (failed(emitter.parallel(scope, {}, advance)))
    return failure();
  if (size == 0)
    return success();
  out = flatBuffer(b, loc, results[1].memref);
  return halves ? inHalves(scope, half) : inOrder(scope, perBlock);
}

LogicalResult emitRng(KernelEmitter &emitter, Operation *op,
                      ArrayRef<Buffer> results) {
  return RngEmitter(emitter, cast<RngBitGeneratorOp>(op), results).run();
}

} // namespace

void addRngRules(RuleTable &t) {
  OpRule rule;
  rule.emit = emitRng;
  rule.cost = 60;
  t.add<RngBitGeneratorOp>(rule);
}

} // namespace partopt::codegen
