// The numbers of discrete Fourier transforms, computed when compiling: in long
// double, so that each is the nearest double.
#ifndef PARTOPT_LIB_CODEGEN_FOURIERTABLES_H
#define PARTOPT_LIB_CODEGEN_FOURIERTABLES_H

#include <complex>
#include <cstdint>
#include <vector>

namespace partopt::codegen {

using Complexes = std::vector<std::complex<double>>;

/// The way of a transform: the inverse one is divided by its length.
enum class Way { Forward, Inverse };

/// e^(-2 pi i k / n) forward, its conjugate for the inverse way.
std::complex<double> rootOfUnity(uint64_t k, uint64_t n, Way way);

/// e^(-pi i j^2 / n), j < n, or the conjugates: x -> c (filter * (c x)) is a
/// transform of any length n (L. Bluestein).
Complexes chirp(int64_t n, Way way);
/// The forward transform of length `padded` of that filter.
Complexes chirpFilter(int64_t n, int64_t padded, Way way);
/// A length of small factors, and of vectors, for the convolution.
int64_t paddedLength(int64_t n);

/// The largest prime factor; 1 for 1.
int64_t largestPrime(int64_t n);
/// The divisor of n nearest to `target` by ratio, among those of at most
/// `limit`.
int64_t divisorNear(int64_t n, double target, int64_t limit);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_FOURIERTABLES_H
