#include "FourierTables.h"

#include <cmath>

namespace partopt::codegen {
namespace {

using Exact = std::complex<long double>;

Exact exactRoot(uint64_t k, uint64_t n, Way way) {
  // The angle in eighths of a turn and a rest of at most one: what is equal by
  // symmetry stays equal.
  k %= n;
  unsigned eighth = 8 * k / n;
  uint64_t rest = 8 * k - eighth * n; // in parts of 1/(8 n) of a turn
  if (eighth % 2)
    rest = n - rest;
  long double angle = std::acos(-1.0L) / 4 * rest / n;
  long double c = std::cos(angle), s = std::sin(angle);
  if (eighth == 1 || eighth == 2 || eighth == 5 || eighth == 6)
    std::swap(c, s);
  if (eighth >= 2 && eighth < 6)
    c = -c;
  if (eighth >= 4)
    s = -s;
  return {c, way == Way::Forward ? -s : s};
}

std::complex<double> rounded(const Exact &z) {
  return {double(z.real()), double(z.imag())};
}

std::vector<Exact> exactChirp(int64_t n, Way way) {
  std::vector<Exact> values;
  uint64_t period = 2 * n, square = 0; // j^2 modulo 2 n
  for (int64_t j = 0; j < n; ++j) {
    values.push_back(exactRoot(square, period, way));
    square = (square + 2 * j + 1) % period;
  }
  return values;
}

int64_t smallestPrime(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0)
      return p;
  return n;
}

/// Forward transforms of a length whose roots of unity are `roots`.
struct ExactTransform {
  std::vector<Exact> roots;

  explicit ExactTransform(int64_t length) {
    for (int64_t k = 0; k < length; ++k)
      roots.push_back(exactRoot(k, length, Way::Forward));
  }
  /// Of every `stride`-th element from `from` on.
  void run(const Exact *from, int64_t stride, Exact *to) const;
};

void ExactTransform::run(const Exact *from, int64_t stride, Exact *to) const {
  int64_t length = roots.size(), n = length / stride;
  if (n == 1) {
    *to = *from;
    return;
  }
  int64_t p = smallestPrime(n), m = n / p;
  std::vector<Exact> parts(n), terms(p);
  for (int64_t r = 0; r < p; ++r)
    run(from + r * stride, stride * p, &parts[r * m]);
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t r = 0; r < p; ++r)
      terms[r] = parts[r * m + k] * roots[r * k * stride];
    for (int64_t q = 0; q < p; ++q) {
      Exact sum = 0;
      for (int64_t r = 0; r < p; ++r)
        sum += terms[r] * roots[q * r % p * (length / p)];
      to[k + q * m] = sum;
    }
  }
}

} // namespace

std::complex<double> rootOfUnity(uint64_t k, uint64_t n, Way way) {
  return rounded(exactRoot(k, n, way));
}

Complexes chirp(int64_t n, Way way) {
  Complexes values;
  for (const Exact &value : exactChirp(n, way))
    values.push_back(rounded(value));
  return values;
}

Complexes chirpFilter(int64_t n, int64_t padded, Way way) {
  std::vector<Exact> filter(padded), result(padded);
  std::vector<Exact> values = exactChirp(n, way);
  for (int64_t j = 0; j < n; ++j)
    filter[j] = filter[(padded - j) % padded] = std::conj(values[j]);
  ExactTransform(padded).run(filter.data(), 1, result.data());
  Complexes all;
  for (const Exact &value : result)
    all.push_back(rounded(value));
  return all;
}

int64_t paddedLength(int64_t n) {
  int64_t length = (2 * n - 1 + 15) / 16 * 16;
  while (largestPrime(length) > 5)
    length += 16;
  return length;
}

int64_t largestPrime(int64_t n) {
  int64_t p = 1;
  while (n > 1) {
    p = smallestPrime(n);
    n /= p;
  }
  return p;
}

int64_t divisorNear(int64_t n, double target, int64_t limit) {
  int64_t best = 1;
  auto distance = [&](int64_t d) { return std::abs(std::log(d / target)); };
  for (int64_t d = 2; d <= limit && d <= n; ++d)
    if (n % d == 0 && distance(d) < distance(best))
      best = d;
  return best;
}

} // namespace partopt::codegen
