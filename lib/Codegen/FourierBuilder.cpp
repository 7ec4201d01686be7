#include "FourierBuilder.h"
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"
#include <cmath>

using namespace mlir;

namespace partopt::codegen {

using namespace stablehlo;
using Sizes = SmallVector<int64_t, 6>;

namespace {

/// Lengths that are one product: as a step of a longer one, as the whole
/// transform, and if nothing divides them.
constexpr int64_t kStep = 32, kWhole = 64, kPrime = 128;
/// Tables of more roots are the products of two.
constexpr int64_t kTable = 1 << 16;
bool isStep(int64_t n) {
  return n <= kStep || (n <= kPrime && largestPrime(n) == n);
}

} // namespace

bool isOneProduct(int64_t n) { return n <= kWhole || isStep(n); }

SmallVector<double> rootMatrix(int64_t from, int64_t n, int64_t to,
                               int64_t planes, Way way) {
  SmallVector<double> matrix;
  double scale = way == Way::Inverse ? 1.0 / n : 1.0;
  // (re + i im)(c + i s): c and -s give the real part, s and c the other.
  for (int64_t in = 0; in < from; ++in)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t out = 0; out < planes; ++out)
        for (int64_t k = 0; k < to; ++k) {
          std::complex<double> root = rootOfUnity(j * k, n, way);
          matrix.push_back(scale * (in == out ? root.real()
                                    : out     ? root.imag()
                                              : -root.imag()));
        }
  return matrix;
}

Value FourierBuilder::constant(ArrayRef<int64_t> shape,
                               ArrayRef<double> values) {
  SmallVector<float> narrow;
  DenseElementsAttr elements;
  if (real.isF32()) {
    narrow.assign(values.begin(), values.end());
    elements = DenseElementsAttr::get(typeOf(shape), ArrayRef(narrow));
  } else {
    elements = DenseElementsAttr::get(typeOf(shape), values);
  }
  return b.create<ConstantOp>(loc, elements.getType(), elements);
}

Value FourierBuilder::zeros(ArrayRef<int64_t> shape) {
  Value zero = constant({}, {0.0});
  return b.create<BroadcastInDimOp>(loc, typeOf(shape), zero,
                                    b.getDenseI64ArrayAttr({}));
}

Value FourierBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorOf(x).clone(shape);
  return type == x.getType() ? x : Value(b.create<ReshapeOp>(loc, type, x));
}

Value FourierBuilder::transpose(Value x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return x;
  Sizes shape;
  for (int64_t dim : order)
    shape.push_back(tensorOf(x).getDimSize(dim));
  return b.create<TransposeOp>(loc, typeOf(shape), x,
                               b.getDenseI64ArrayAttr(order));
}

Value FourierBuilder::slice(Value x, int64_t dim, int64_t low, int64_t high) {
  Sizes shape(tensorOf(x).getShape()), starts(shape.size(), 0),
      steps(shape.size(), 1);
  if (low == 0 && high == shape[dim])
    return x;
  Sizes limits(shape);
  starts[dim] = low;
  limits[dim] = high;
  shape[dim] = high - low;
  return b.create<SliceOp>(
      loc, typeOf(shape), x, b.getDenseI64ArrayAttr(starts),
      b.getDenseI64ArrayAttr(limits), b.getDenseI64ArrayAttr(steps));
}

Value FourierBuilder::concatenate(ValueRange values, int64_t dim) {
  Sizes shape(tensorOf(values[0]).getShape());
  shape[dim] = 0;
  for (Value value : values)
    shape[dim] += tensorOf(value).getDimSize(dim);
  return b.create<ConcatenateOp>(loc, typeOf(shape), values, dim);
}

Value FourierBuilder::pad(Value x, int64_t dim, int64_t low, int64_t high) {
  Sizes shape(tensorOf(x).getShape()), lows(shape.size(), 0), highs(lows),
      interior(lows);
  lows[dim] = low;
  highs[dim] = high;
  shape[dim] += low + high;
  return b.create<PadOp>(
      loc, typeOf(shape), x, constant({}, {0.0}), b.getDenseI64ArrayAttr(lows),
      b.getDenseI64ArrayAttr(highs), b.getDenseI64ArrayAttr(interior));
}

/// The planes of `x` with `dim` as a dimension of size one.
FourierBuilder::Parts FourierBuilder::split(Value x, int64_t dim) {
  if (tensorOf(x).getDimSize(dim) == 1)
    return {x, {}};
  return {slice(x, dim, 0, 1), slice(x, dim, 1, 2)};
}

Value FourierBuilder::join(Parts parts, int64_t dim) {
  return parts.im ? concatenate({parts.re, parts.im}, dim) : parts.re;
}

/// `x` times a table whose dimensions are `dims` of it.
FourierBuilder::Parts FourierBuilder::multiplied(Parts x,
                                                 const Complexes &table,
                                                 ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> dims) {
  auto spread = [&](auto part) -> Value {
    SmallVector<double> values;
    for (const auto &z : table)
      values.push_back(part(z));
    return b.create<BroadcastInDimOp>(loc, x.re.getType(),
                                      constant(shape, values),
                                      b.getDenseI64ArrayAttr(dims));
  };
  Value c = spread([](const auto &z) { return z.real(); });
  Value s = spread([](const auto &z) { return z.imag(); });
  if (!x.im)
    return {binary<MulOp>(x.re, c), binary<MulOp>(x.re, s)};
  return {binary<SubtractOp>(binary<MulOp>(x.re, c), binary<MulOp>(x.im, s)),
          binary<AddOp>(binary<MulOp>(x.re, s), binary<MulOp>(x.im, c))};
}

/// [2, a, b, columns] to [2, b, a, columns], element (k, j) of a and b times
/// the root of unity kj/ab.
Value FourierBuilder::twiddled(Value x, Way way) {
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  int64_t a = shape[1], n = shape[2], columns = shape[3];
  uint64_t length = a * n;
  // j = low + inner * high, with a table for each.
  int64_t inner = n;
  if (a * n > kTable)
    if (int64_t near = divisorNear(n, std::sqrt(double(n)), n);
        a * (near + n / near) < a * n / 4)
      inner = near;
  auto table = [&](int64_t count, int64_t step) {
    Complexes roots;
    for (int64_t j = 0; j < count; ++j)
      for (int64_t k = 0; k < a; ++k)
        roots.push_back(rootOfUnity(k * j * step, length, way));
    return roots;
  };
  Value turned =
      reshape(transpose(x, {0, 2, 1, 3}), {2, n / inner, inner, a, columns});
  Parts parts = split(turned, 0);
  parts = multiplied(parts, table(inner, 1), {inner, a}, {2, 3});
  if (inner < n)
    parts = multiplied(parts, table(n / inner, inner), {n / inner, a}, {1, 3});
  return reshape(join(parts, 0), {2, n, a, columns});
}

Value FourierBuilder::product(Value x, Way way, int64_t planes) {
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  int64_t from = shape[0], n = shape[1], columns = shape[2];
  Value matrix =
      constant({from * n, planes * n}, rootMatrix(from, n, n, planes, way));
  auto numbers = DotDimensionNumbersAttr::get(b.getContext(), {}, {}, {0}, {0});
  Value result =
      b.create<DotGeneralOp>(loc, typeOf({planes * n, columns}), matrix,
                             reshape(x, {from * n, columns}), numbers,
                             ArrayAttr(), DotAlgorithmAttr());
  return reshape(result, {planes, n, columns});
}

Value FourierBuilder::rowProduct(Value x, ArrayRef<double> matrix,
                                 int64_t planes, int64_t n) {
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  int64_t rows = shape[0], inner = shape[1] * shape[2];
  auto numbers = DotDimensionNumbersAttr::get(b.getContext(), {}, {}, {1}, {0});
  Value result = b.create<DotGeneralOp>(
      loc, typeOf({rows, planes * n}), reshape(x, {rows, inner}),
      constant({inner, planes * n}, matrix), numbers, ArrayAttr(),
      DotAlgorithmAttr());
  return reshape(result, {rows, planes, n});
}

/// Bluestein: jk = (j^2 + k^2 - (k - j)^2) / 2 makes the sum a convolution.
Value FourierBuilder::convolved(Value x, Way way, int64_t planes) {
  int64_t n = tensorOf(x).getDimSize(1);
  int64_t padded = paddedLength(n);
  Complexes factors = chirp(n, way);
  Parts parts = multiplied(split(x, 0), factors, {n}, {1});
  Value spectrum =
      transform(pad(join(parts, 0), 1, 0, padded - n), Way::Forward, 2);
  parts = multiplied(split(spectrum, 0), chirpFilter(n, padded, way), {padded},
                     {1});
  Value sums = transform(join(parts, 0), Way::Inverse, 2);
  if (way == Way::Inverse)
    for (auto &factor : factors)
      factor /= double(n);
  parts = multiplied(split(slice(sums, 1, 0, n), 0), factors, {n}, {1});
  return planes == 1 ? parts.re : join(parts, 0);
}

Value FourierBuilder::transform(Value x, Way way, int64_t planes) {
  Sizes shape(tensorOf(x).getShape());
  int64_t n = shape[1], columns = shape[2];
  if (isStep(n))
    return product(x, way, planes);
  int64_t a = largestPrime(n);
  if (a == n)
    return convolved(x, way, planes);
  if (a <= kStep) {
    double steps = std::ceil(std::log(n) / std::log(kStep) - 1e-9);
    a = divisorNear(n, std::pow(n, 1 / steps), kStep);
  }
  int64_t rest = n / a;
  // Element j = rest * j1 + j2 of the operand, k = k1 + a * k2 of the result.
  Value first = transform(reshape(x, {shape[0], a, rest * columns}), way, 2);
  Value turned = twiddled(reshape(first, {2, a, rest, columns}), way);
  Value second =
      transform(reshape(turned, {2, rest, a * columns}), way, planes);
  return reshape(second, {planes, n, columns});
}

} // namespace partopt::codegen
