// Trigonometric functions and their inverses, in f64.
#include "DeviceFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen::device {
namespace {

constexpr double kPi = 3.14159265358979323846, kPiLow = 1.2246467991473532e-16;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// x = quadrant pi/2 + r, |r| <= pi/4, the quadrant modulo 4 in the low bits.
struct Angle {
  Number r;
  Value quadrant;
};

template <typename Op> Value make(Number like, Value x, Value y) {
  return like.b->create<Op>(like.loc, x, y);
}

/// Bits of 2/pi behind 64 zeros.
constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
    0xa9e391615ee61b08};

Value loadWord(Number like, Value index) {
  OpBuilder &b = *like.b;
  constexpr llvm::StringLiteral name = "partopt_two_over_pi";
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  int64_t size = std::size(kTwoOverPi);
  auto type = MemRefType::get({size}, b.getI64Type());
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto tensor = RankedTensorType::get({size}, b.getI64Type());
    b.create<memref::GlobalOp>(
        like.loc, name, b.getStringAttr("private"), type,
        DenseElementsAttr::get(tensor, ArrayRef(kTwoOverPi)),
        /*constant=*/true, b.getI64IntegerAttr(64));
  }
  Value table = b.create<memref::GetGlobalOp>(like.loc, type, name);
  Value at = b.create<arith::IndexCastOp>(like.loc, b.getIndexType(), index);
  return b.create<memref::LoadOp>(like.loc, table, at);
}

Value shiftedRight(Number x, Value bits, Value by) {
  return make<arith::ShRUIOp>(x, bits, by);
}

/// x 2/pi modulo 4 to 190 bits, for x = m 2^e with |e| <= 971 (M. Payne and
/// R. Hanek, Radian reduction for trigonometric functions, 1983). Words of 2/pi
/// that give multiples of 4 are left out.
std::pair<Number, Value> reduceLarge(Number x) {
  OpBuilder &b = *x.b;
  auto number = [&](int64_t n) { return integer(x, n); };
  Value bits = toBits(abs(x));
  Value field = shiftedRight(x, bits, number(52));
  Value mantissa = make<arith::OrIOp>(
      x, make<arith::AndIOp>(x, bits, number((int64_t(1) << 52) - 1)),
      number(int64_t(1) << 52));
  // e = field - 1075; the first bit taken is number e - 2, behind 64 zeros.
  Value start = make<arith::SubIOp>(x, field, number(1075 + 2 - 64));
  Value word = shiftedRight(x, start, number(6));
  Value shift = make<arith::AndIOp>(x, start, number(63));
  Value back = make<arith::SubIOp>(x, number(63), shift);
  SmallVector<Value> words, taken;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(loadWord(x, make<arith::AddIOp>(x, word, number(i))));
  for (int64_t i = 0; i < 3; ++i) {
    Value upper = make<arith::ShLIOp>(x, words[i], shift);
    Value lower =
        shiftedRight(x, shiftedRight(x, words[i + 1], number(1)), back);
    taken.push_back(make<arith::OrIOp>(x, upper, lower));
  }
  // The product's words, high to low, modulo 2^192.
  auto lowest = b.create<arith::MulUIExtendedOp>(x.loc, mantissa, taken[2]);
  auto middle = b.create<arith::MulUIExtendedOp>(x.loc, mantissa, taken[1]);
  Value second = make<arith::AddIOp>(x, middle.getLow(), lowest.getHigh());
  Value carry = b.create<arith::ExtUIOp>(
      x.loc, b.getI64Type(),
      b.create<arith::CmpIOp>(x.loc, arith::CmpIPredicate::ult, second,
                              middle.getLow()));
  Value first = make<arith::AddIOp>(
      x,
      make<arith::AddIOp>(x, make<arith::MulIOp>(x, mantissa, taken[0]),
                          middle.getHigh()),
      carry);
  // Two bits of quadrant, then the fraction, rounded to the nearest quadrant.
  Value quadrant = shiftedRight(x, first, number(62));
  Value high = make<arith::OrIOp>(x, make<arith::ShLIOp>(x, first, number(2)),
                                  shiftedRight(x, second, number(62)));
  Value low = make<arith::ShLIOp>(x, second, number(2));
  quadrant =
      make<arith::AddIOp>(x, quadrant, shiftedRight(x, high, number(63)));
  Number fraction =
      x.of(b.create<arith::SIToFPOp>(x.loc, b.getF64Type(), high));
  Number rest = x.of(b.create<arith::UIToFPOp>(x.loc, b.getF64Type(), low));
  Number turns = fma(rest, x.constant(0x1p-128), fraction * 0x1p-64);
  return {turns * (kPi / 2), quadrant};
}

/// Up to 2^30 quadrants by a product of three parts of pi/2, beyond by its
/// digits.
Angle reduce(Number x) {
  OpBuilder &b = *x.b;
  Number magic = x.constant(6755399441055744.0), a = abs(x);
  Number shifted = fma(a, x.constant(2 / kPi), magic), n = shifted - magic;
  Number r = fma(-n, x.constant(kPi / 2), a);
  r = fma(-n, x.constant(kPiLow / 2), r);
  r = fma(-n, x.constant(-1.4973849048591833e-33), r);
  Value quadrant = toBits(shifted);
  auto branch = b.create<scf::IfOp>(
      x.loc, TypeRange{b.getF64Type(), b.getI64Type()}, (a > 0x1p30).value,
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto [large, largeQuadrant] = reduceLarge(select(isInfinite(x), 1, a));
  b.create<scf::YieldOp>(x.loc, ValueRange{large.value, largeQuadrant});
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(x.loc, ValueRange{r.value, quadrant});
  return {x.of(branch.getResult(0)), branch.getResult(1)};
}

/// After fdlibm's k_sin.c and k_cos.c, |r| <= pi/4.
Number sinNear(Number r) {
  Number z = r * r;
  return fma(
      r * z,
      polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                     2.75573137070700676789e-06, -1.98412698298579493134e-04,
                     8.33333333332248946124e-03, -1.66666666666666324348e-01}),
      r);
}

Number cosNear(Number r) {
  Number z = r * r, half = 0.5 * z, w = 1 - half;
  Number tail =
      z * z *
      polynomial(z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                     -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                     -1.38888888888741095749e-03, 4.16666666666666019037e-02});
  return w + ((1 - w - half) + tail);
}

Truth hasBit(Number x, Value bits, int64_t bit) {
  Value masked = make<arith::AndIOp>(x, bits, integer(x, bit));
  return {x.b, x.loc,
          x.b->create<arith::CmpIOp>(x.loc, arith::CmpIPredicate::ne, masked,
                                     integer(x, 0))};
}

} // namespace

Number sin(Number x) {
  Angle angle = reduce(x);
  Number value =
      select(hasBit(x, angle.quadrant, 1), cosNear(angle.r), sinNear(angle.r));
  value = select(hasBit(x, angle.quadrant, 2), -value, value);
  value = select(x < 0, -value, value);
  return select(x == 0, x, select(isInfinite(x), kNaN, value));
}

Number cos(Number x) {
  Angle angle = reduce(x);
  Value next = make<arith::AddIOp>(x, angle.quadrant, integer(x, 1));
  Number value =
      select(hasBit(x, angle.quadrant, 1), sinNear(angle.r), cosNear(angle.r));
  value = select(hasBit(x, next, 2), -value, value);
  return select(isInfinite(x), kNaN, value);
}

Number tan(Number x) {
  Angle angle = reduce(x);
  Number s = sinNear(angle.r), c = cosNear(angle.r);
  Number value = select(hasBit(x, angle.quadrant, 1), -(c / s), s / c);
  value = select(x < 0, -value, value);
  return select(x == 0, x, select(isInfinite(x), kNaN, value));
}

/// After Cephes' atan.c.
Number atan(Number x) {
  Number a = abs(x);
  Truth isFar = a > 2.41421356237309504880, isMiddle = a > 0.66;
  Number t = select(isFar, -1 / a, select(isMiddle, (a - 1) / (a + 1), a));
  Number z = t * t;
  Number p =
      polynomial(z, {-8.750608600031904122785e-1, -1.615753718733365076637e1,
                     -7.500855792314704667340e1, -1.228866684490136173410e2,
                     -6.485021904942025371773e1});
  Number q =
      polynomial(z, {1.0, 2.485846490142306297962e1, 1.650270098316988542046e2,
                     4.328810604912902668951e2, 4.853903996359136964868e2,
                     1.945506571482613964425e2});
  Number near = fma(t, z * p / q, t);
  Number low =
      select(isFar, kPiLow / 2, select(isMiddle, kPiLow / 4, x.constant(0)));
  Number base =
      select(isFar, kPi / 2, select(isMiddle, kPi / 4, x.constant(0)));
  return copySign(base + (near + low), x);
}

Number atan2(Number y, Number x) {
  Number a = abs(y), b = abs(x);
  Number ratio = select((a == 0) & (b == 0), 0, a / b);
  ratio = select(isInfinite(x) & isInfinite(y), 1, ratio);
  Number angle = device::atan(ratio);
  Truth isLeft = copySign(x.constant(1), x) < 0;
  angle = select(isLeft, kPi - (angle - kPiLow), angle);
  return select(isNaN(x) | isNaN(y), x + y, copySign(angle, y));
}

Number asin(Number x) {
  return select(x == 0, x, device::atan2(x, sqrt((1 - x) * (1 + x))));
}

Number acos(Number x) { return 2 * device::atan2(sqrt(1 - x), sqrt(1 + x)); }

} // namespace partopt::codegen::device
