// Formulas over scalars as they are written on paper: operators on values of
// one float type, which build ops of the arith and math dialects.
#ifndef PARTOPT_LIB_CODEGEN_NUMBERS_H
#define PARTOPT_LIB_CODEGEN_NUMBERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace partopt::codegen {

/// A condition (i1) and where to build more.
struct Truth {
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value value;
};
Truth operator&(Truth x, Truth y);
Truth operator|(Truth x, Truth y);
Truth operator!(Truth x);

/// A scalar of a float type and where to build more.
struct Number {
  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value value;

  Number constant(double number) const;
  Number of(mlir::Value other) const { return {b, loc, other}; }
};

Number operator+(Number x, Number y);
Number operator-(Number x, Number y);
Number operator*(Number x, Number y);
Number operator/(Number x, Number y);
Number operator-(Number x);
inline Number operator+(Number x, double y) { return x + x.constant(y); }
inline Number operator-(Number x, double y) { return x - x.constant(y); }
inline Number operator*(Number x, double y) { return x * x.constant(y); }
inline Number operator/(Number x, double y) { return x / x.constant(y); }
inline Number operator+(double x, Number y) { return y.constant(x) + y; }
inline Number operator-(double x, Number y) { return y.constant(x) - y; }
inline Number operator*(double x, Number y) { return y.constant(x) * y; }
inline Number operator/(double x, Number y) { return y.constant(x) / y; }

/// Comparisons are false where an operand is NaN, except `!=`.
Truth operator<(Number x, Number y);
Truth operator<=(Number x, Number y);
Truth operator==(Number x, Number y);
Truth operator!=(Number x, Number y);
inline Truth operator>(Number x, Number y) { return y < x; }
inline Truth operator>=(Number x, Number y) { return y <= x; }
inline Truth operator<(Number x, double y) { return x < x.constant(y); }
inline Truth operator<=(Number x, double y) { return x <= x.constant(y); }
inline Truth operator==(Number x, double y) { return x == x.constant(y); }
inline Truth operator!=(Number x, double y) { return x != x.constant(y); }
inline Truth operator>(Number x, double y) { return x.constant(y) < x; }
inline Truth operator>=(Number x, double y) { return x.constant(y) <= x; }

Number select(Truth condition, Number x, Number y);
inline Number select(Truth condition, Number x, double y) {
  return select(condition, x, x.constant(y));
}
inline Number select(Truth condition, double x, Number y) {
  return select(condition, y.constant(x), y);
}
Truth isNaN(Number x);
Truth isInfinite(Number x);
/// No part of a whole number; infinities count as whole.
Truth isWhole(Number x);

Number abs(Number x);
Number copySign(Number magnitude, Number sign);
Number fma(Number x, Number y, Number z); ///< x y + z, rounded once
Number floor(Number x);
Number ceil(Number x);
Number roundEven(Number x);
Number sqrt(Number x);
Number exp(Number x);
Number expm1(Number x);
Number log(Number x);
Number log1p(Number x);
Number sin(Number x);
Number cos(Number x);
Number tan(Number x);
Number sinh(Number x);
Number asinh(Number x);
Number cbrt(Number x);
Number pow(Number x, Number y);
Number atan2(Number y, Number x);
/// The larger, the smaller of two; NaN where one is.
Number larger(Number x, Number y);
Number smaller(Number x, Number y);

/// Horner's scheme; coefficients from the highest power down.
Number polynomial(Number x, llvm::ArrayRef<double> coefficients);
/// The sum of c_k T_k(x), |x| <= 1, by Clenshaw's recurrence.
Number chebyshev(Number x, llvm::ArrayRef<double> coefficients);

/// One of two computations in f64, each behind a branch.
Number choose(Truth condition, llvm::function_ref<Number()> then,
              llvm::function_ref<Number()> otherwise);
/// Runs `step` on `state` while `condition` of the state holds.
using Numbers = llvm::SmallVector<Number, 3>;
Numbers repeatWhile(const Numbers &state,
                    llvm::function_ref<Truth(const Numbers &)> condition,
                    llvm::function_ref<Numbers(const Numbers &)> step);

/// Calls a function of libm. With `scratch`, a memref that it writes to behind
/// its other arguments; else it has no side effects.
Number callLibm(llvm::StringRef name, llvm::ArrayRef<Number> operands,
                mlir::Value scratch = {});
/// Calls the function @name next to the kernels, whose body `define` writes on
/// the first call, parameters to result.
using Definition = llvm::function_ref<Number(llvm::ArrayRef<Number>)>;
Number callHelper(llvm::StringRef name, llvm::ArrayRef<Number> operands,
                  Definition define);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_NUMBERS_H
