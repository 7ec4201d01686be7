// Polynomials for f32 functions, after the Cephes library's reductions and
// coefficients (S. L. Moshier, Methods and Programs for Mathematical
// Functions). No branch and no table, so that loops over them vectorise.
#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace partopt::codegen {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Short names for the arithmetic of one expansion.
class F32Builder {
public:
  F32Builder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value c(double value) {
    return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(value));
  }
  Value i(int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(value));
  }
  Value add(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.create<arith::DivFOp>(loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return b.create<math::FmaOp>(loc, x, y, z);
  }
  Value abs(Value x) { return b.create<math::AbsFOp>(loc, x); }
  Value copySign(Value magnitude, Value sign) {
    return b.create<math::CopySignOp>(loc, magnitude, sign);
  }
  /// NaN stays NaN: both selections fall through to it. One instruction each.
  Value atMost(Value x, double high) {
    Value limit = c(high);
    return select(cmp(arith::CmpFPredicate::OLT, limit, x), limit, x);
  }
  Value atLeast(Value x, double low) {
    Value limit = c(low);
    return select(cmp(arith::CmpFPredicate::OGT, limit, x), limit, x);
  }
  Value cmp(arith::CmpFPredicate predicate, Value x, Value y) {
    return b.create<arith::CmpFOp>(loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.create<arith::SelectOp>(loc, condition, x, y);
  }
  Value toBits(Value x) {
    return b.create<arith::BitcastOp>(loc, b.getI32Type(), x);
  }
  Value fromBits(Value x) {
    return b.create<arith::BitcastOp>(loc, b.getF32Type(), x);
  }
  Value toFloat(Value x) {
    return b.create<arith::SIToFPOp>(loc, b.getF32Type(), x);
  }
  /// Horner's scheme; coefficients from the highest power down.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value y = c(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      y = fma(y, x, c(coefficient));
    return y;
  }
  /// 2^n for an i32 n in [-126, 127].
  Value powerOfTwo(Value n) {
    n = b.create<arith::AddIOp>(loc, n, i(127));
    return fromBits(b.create<arith::ShLIOp>(loc, n, i(23)));
  }
  /// x * 2^n for an i32 n in [-252, 254], rounded once.
  Value scale(Value x, Value n) {
    Value half = b.create<arith::ShRSIOp>(loc, n, i(1));
    Value rest = b.create<arith::SubIOp>(loc, n, half);
    return mul(mul(x, powerOfTwo(half)), powerOfTwo(rest));
  }

  OpBuilder &b;
  Location loc;
};

/// x = n ln2 + r with |r| <= ln2/2: n (i32), r, and q = e^r - 1 - r.
struct ExpParts {
  Value n, r, q;
};

/// For |x| < 2^21. Adding 1.5 * 2^23 rounds to a whole number, whose bits are
/// the sum's low ones; a NaN gives some n, and r and q are NaN.
ExpParts expParts(F32Builder &f, Value x) {
  Value magic = f.c(12582912.0);
  Value shifted = f.fma(x, f.c(1.44269504088896341), magic);
  Value n = f.sub(shifted, magic);
  Value whole =
      f.b.create<arith::SubIOp>(f.loc, f.toBits(shifted), f.i(0x4b400000));
  Value r = f.fma(n, f.c(-0.693359375), x);
  r = f.fma(n, f.c(2.12194440e-4), r);
  Value p =
      f.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                       4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return {whole, r, f.mul(f.mul(r, r), p)};
}

Value expandExp(F32Builder &f, Value x) {
  ExpParts parts = expParts(f, f.atMost(f.atLeast(x, -104.5), 89.0));
  return f.scale(f.add(f.add(parts.r, parts.q), f.c(1)), parts.n);
}

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), exact in the second term where it
/// matters; for large x the result is e^x itself.
Value expandExpm1(F32Builder &f, Value x) {
  ExpParts parts = expParts(f, f.atMost(f.atLeast(x, -20.0), 80.0));
  Value power = f.powerOfTwo(parts.n);
  Value tail = f.mul(f.add(parts.r, parts.q), power);
  Value result = f.add(tail, f.sub(power, f.c(1)));
  Value large = f.cmp(arith::CmpFPredicate::OGT, x, f.c(40));
  result = f.select(large, expandExp(f, x), result);
  Value zero = f.cmp(arith::CmpFPredicate::OEQ, x, f.c(0));
  return f.select(zero, x, result);
}

/// log of a normal or denormal positive x, with `carry` added to log(m) before
/// the exponent's part: log(x) + carry.
Value logOfPositive(F32Builder &f, Value x, Value carry) {
  Value tiny = f.cmp(arith::CmpFPredicate::OLT, x,
                     f.c(std::numeric_limits<float>::min()));
  Value scaled = f.select(tiny, f.mul(x, f.c(33554432.0)), x);
  Value bits = f.toBits(scaled);
  // m in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) leaves the
  // exponent of x/m in the upper bits.
  Value offset = f.b.create<arith::SubIOp>(f.loc, bits, f.i(0x3f3504f3));
  Value exponent = f.b.create<arith::ShRSIOp>(f.loc, offset, f.i(23));
  Value shifted = f.b.create<arith::ShLIOp>(f.loc, exponent, f.i(23));
  Value m = f.fromBits(f.b.create<arith::SubIOp>(f.loc, bits, shifted));
  Value e = f.toFloat(exponent);
  e = f.select(tiny, f.sub(e, f.c(25)), e);

  Value r = f.sub(m, f.c(1));
  Value z = f.mul(r, r);
  Value y =
      f.polynomial(r, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                       -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                       2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  y = f.mul(f.mul(y, r), z);
  y = f.fma(e, f.c(-2.12194440e-4), y);
  if (carry)
    y = f.add(y, carry);
  y = f.fma(z, f.c(-0.5), y);
  return f.fma(e, f.c(0.693359375), f.add(r, y));
}

/// log's values at 0, below 0, at infinity and NaN around `inner`.
Value withLogLimits(F32Builder &f, Value x, Value inner) {
  Value result =
      f.select(f.cmp(arith::CmpFPredicate::OEQ, x, f.c(kInf)), x, inner);
  result =
      f.select(f.cmp(arith::CmpFPredicate::OEQ, x, f.c(0)), f.c(-kInf), result);
  return f.select(f.cmp(arith::CmpFPredicate::UGE, x, f.c(0)),
                  f.select(f.cmp(arith::CmpFPredicate::UNO, x, x), x, result),
                  f.c(kNaN));
}

Value expandLog(F32Builder &f, Value x) {
  return withLogLimits(f, x, logOfPositive(f, x, Value()));
}

/// log(1 + x) = log(u) + (x - (u - 1)) / u with u = fl(1 + x).
Value expandLog1p(F32Builder &f, Value x) {
  Value u = f.add(x, f.c(1));
  // fl(1 + x) - 1 is exact for |x| < 2^24; the lost part is then exact too.
  Value lost = f.sub(x, f.sub(u, f.c(1)));
  Value large = f.cmp(arith::CmpFPredicate::OGT, x, f.c(1.0e7));
  Value carry = f.select(large, f.c(0), f.div(lost, u));
  Value result = withLogLimits(f, u, logOfPositive(f, u, carry));
  Value small = f.cmp(arith::CmpFPredicate::OLT, f.abs(x), f.c(5.9604645e-8));
  return f.select(small, x, result);
}

/// 1 - 2 / (e^2|x| + 1) with the sign of x; near zero an odd polynomial.
Value expandTanh(F32Builder &f, Value x) {
  Value magnitude = f.abs(x);
  Value bounded = f.atMost(magnitude, 10.0);
  ExpParts parts = expParts(f, f.add(bounded, bounded));
  Value power =
      f.mul(f.add(f.add(parts.r, parts.q), f.c(1)), f.powerOfTwo(parts.n));
  Value large = f.sub(f.c(1), f.div(f.c(2), f.add(power, f.c(1))));
  Value z = f.mul(x, x);
  Value p =
      f.polynomial(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                       1.33314422036e-1, -3.33332819422e-1});
  Value small = f.fma(f.mul(p, z), x, x);
  Value isSmall = f.cmp(arith::CmpFPredicate::OLT, magnitude, f.c(0.625));
  return f.copySign(f.select(isSmall, small, large), x);
}

using Expansion = Value (*)(F32Builder &, Value);

Expansion findExpansion(Operation *op) {
  static const llvm::StringMap<Expansion> table = {
      {math::ExpOp::getOperationName(), expandExp},
      {math::ExpM1Op::getOperationName(), expandExpm1},
      {math::LogOp::getOperationName(), expandLog},
      {math::Log1pOp::getOperationName(), expandLog1p},
      {math::TanhOp::getOperationName(), expandTanh},
  };
  auto it = table.find(op->getName().getStringRef());
  return it == table.end() ? nullptr : it->second;
}

} // namespace

/// sqrt and division are exact to half an ulp each.
static void expandRsqrt(math::RsqrtOp op) {
  OpBuilder builder(op);
  Value x = op.getOperand();
  Value one = builder.create<arith::ConstantOp>(
      op.getLoc(), builder.getFloatAttr(x.getType(), 1.0));
  Value root = builder.create<math::SqrtOp>(op.getLoc(), x);
  op.replaceAllUsesWith(
      builder.create<arith::DivFOp>(op.getLoc(), one, root).getResult());
  op.erase();
}

void expandMath(Operation *root) {
  SmallVector<Operation *> functions;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
      functions.push_back(op);
  });
  for (Operation *op : functions) {
    if (auto rsqrt = dyn_cast<math::RsqrtOp>(op)) {
      expandRsqrt(rsqrt);
      continue;
    }
    bool single = op->getResult(0).getType().isF32();
    if (Expansion expansion = single ? findExpansion(op) : nullptr) {
      OpBuilder builder(op);
      F32Builder f(builder, op->getLoc());
      op->getResult(0).replaceAllUsesWith(expansion(f, op->getOperand(0)));
      op->erase();
    }
  }
}

} // namespace partopt::codegen
