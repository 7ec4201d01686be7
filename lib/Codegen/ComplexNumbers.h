// Functions of complex numbers by their real and imaginary parts. All are for
// parts in f64 and right over its whole range: no intermediate result overflows
// where the function does not, and limits at infinities are those of C and XLA.
#ifndef PARTOPT_LIB_CODEGEN_COMPLEXNUMBERS_H
#define PARTOPT_LIB_CODEGEN_COMPLEXNUMBERS_H

#include "Numbers.h"

namespace partopt::codegen {

struct Complex {
  Number re, im;
};

inline Complex operator-(Complex z) { return {-z.re, -z.im}; }
Complex operator+(Complex z, Complex w);
Complex operator-(Complex z, Complex w);
/// By the schoolbook formula, in any float type.
Complex operator*(Complex z, Complex w);
Complex select(Truth condition, Complex z, Complex w);

Complex divide(Complex z, Complex w);
/// For parts that hold values of f32: their squares are in range.
Complex divideNarrow(Complex z, Complex w);
/// z / w in any float type, computed in f64.
Complex quotient(Complex z, Complex w);

/// Into f64, and from there into `type`.
Number wide(Number x);
Complex wide(Complex z);
Number narrow(Number x, mlir::Type type);
Complex narrow(Complex z, mlir::Type type);
Number absolute(Complex z);
Number absoluteNarrow(Complex z); ///< as divideNarrow
Complex sign(Complex z);
Complex exp(Complex z);
Complex expm1(Complex z);
Complex log(Complex z);
Complex log1p(Complex z);
Complex sqrt(Complex z);
Complex rsqrt(Complex z);
Complex cbrt(Complex z);
Complex sin(Complex z);
Complex cos(Complex z);
Complex tan(Complex z);
Complex sinh(Complex z);
Complex cosh(Complex z);
Complex tanh(Complex z);
Complex asin(Complex z);
Complex acos(Complex z);
Complex atan(Complex z);
Complex asinh(Complex z);
Complex acosh(Complex z);
Complex atanh(Complex z);
Complex logistic(Complex z);
Complex pow(Complex z, Complex w);

// What the formulas share.

/// The larger of |x| and |y|.
Number largerPart(Complex z);
/// x y + z w with at most two roundings (W. Kahan).
Number productSum(Number x, Number y, Number z, Number w);
/// e^x times a factor that may be so small that the product is finite where
/// e^x is not.
Number expTimes(Number x, Number factor);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_COMPLEXNUMBERS_H
