// Functions of f64 as formulas, for targets without libm: errors of one or two
// units in the last place, limits as C has them.
#ifndef PARTOPT_LIB_CODEGEN_DEVICEFUNCTIONS_H
#define PARTOPT_LIB_CODEGEN_DEVICEFUNCTIONS_H

#include "Numbers.h"

namespace partopt::codegen::device {

// DeviceExponentials.cpp
Number exp(Number x);
Number expm1(Number x);
Number log(Number x);
Number log1p(Number x);
Number pow(Number x, Number y);
Number sinh(Number x);
Number cosh(Number x);
Number tanh(Number x);
Number asinh(Number x);
Number acosh(Number x);
Number atanh(Number x);
Number cbrt(Number x);
Number hypot(Number x, Number y);
Number fmod(Number x, Number y);

// DeviceAngles.cpp
Number sin(Number x);
Number cos(Number x);
Number tan(Number x);
Number asin(Number x);
Number acos(Number x);
Number atan(Number x);
Number atan2(Number y, Number x);

// DeviceGamma.cpp
Number erf(Number x);
Number erfc(Number x);
Number lgamma(Number x);
Number tgamma(Number x);

/// The bits of an f64 as an integer of 64 bits, and back.
mlir::Value toBits(Number x);
Number fromBits(Number like, mlir::Value bits);
mlir::Value integer(Number like, int64_t value);
/// x * 2^n for an integer n of 64 bits, |n| <= 2200.
Number scale(Number x, mlir::Value n);

} // namespace partopt::codegen::device

#endif // PARTOPT_LIB_CODEGEN_DEVICEFUNCTIONS_H
