// Fourier transforms as matrix products. A short transform is one product with
// the matrix of its roots of unity; a long one is cut (Cooley and Tukey) into
// products of short ones, between which elements are multiplied by roots of
// unity and reordered; a long prime length is a convolution (Bluestein).
#include "FormKernels.h"
#include "FourierBuilder.h"
#include "Rules.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;
using Sizes = SmallVector<int64_t, 6>;
using Parts = FourierBuilder::Parts;

/// Stands for the planes in an order of dimensions.
constexpr int64_t kPlanes = -1;

Type realOf(FftOp op) {
  Type type = tensorOf(op.getOperand()).getElementType();
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

/// One op: its dimensions in turn, in the order in which they lie in memory
/// after the one before.
class Expander {
public:
  explicit Expander(FftOp op)
      : op(op), b(op, realOf(op)), kind(op.getFftType()),
        way(kind == FftType::IFFT || kind == FftType::IRFFT ? Way::Inverse
                                                            : Way::Forward) {}
  void run();

private:
  Value planesOf(Value operand);
  Value result();
  void bring(ArrayRef<int64_t> wanted);
  Value columns(int64_t dim);
  void setColumns(Value made);
  int64_t size(int64_t dim) {
    return tensorOf(x).getDimSize(llvm::find(order, dim) - order.begin());
  }
  Sizes others(int64_t dim);
  Sizes shapeOf(ArrayRef<int64_t> dims);
  void full(int64_t dim);
  void toHalf(int64_t dim);
  void fromHalf(int64_t dim, int64_t n);
  Value halfAlone(Value im, int64_t place, int64_t n);
  SmallVector<double> halfMatrix(int64_t n);
  void byRows(int64_t dim, ArrayRef<double> matrix, int64_t planes, int64_t n);

  FftOp op;
  FourierBuilder b;
  FftType kind;
  Way way;
  Value x;     ///< real numbers, in planes
  Sizes order; ///< its dimensions: the op's, and kPlanes
};

Sizes Expander::others(int64_t dim) {
  Sizes dims;
  for (int64_t other : order)
    if (other != dim && other != kPlanes)
      dims.push_back(other);
  return dims;
}

Sizes Expander::shapeOf(ArrayRef<int64_t> dims) {
  Sizes shape;
  for (int64_t dim : dims)
    shape.push_back(size(dim));
  return shape;
}

void Expander::bring(ArrayRef<int64_t> wanted) {
  Sizes permutation;
  for (int64_t dim : wanted)
    permutation.push_back(llvm::find(order, dim) - order.begin());
  x = b.transpose(x, permutation);
  order.assign(wanted.begin(), wanted.end());
}

/// The planes and `dim` first, all the rest as columns.
Value Expander::columns(int64_t dim) {
  Sizes wanted{kPlanes, dim};
  wanted.append(others(dim));
  bring(wanted);
  RankedTensorType type = tensorOf(x);
  int64_t planes = type.getDimSize(0), n = type.getDimSize(1);
  return b.reshape(x, {planes, n, type.getNumElements() / (planes * n)});
}

/// Takes what was made of these columns.
void Expander::setColumns(Value made) {
  Sizes shape(tensorOf(x).getShape());
  shape[0] = tensorOf(made).getDimSize(0);
  shape[1] = tensorOf(made).getDimSize(1);
  x = b.reshape(made, shape);
}

/// The innermost dimension by one product of rows.
void Expander::byRows(int64_t dim, ArrayRef<double> matrix, int64_t planes,
                      int64_t n) {
  Sizes wanted = others(dim);
  wanted.append({kPlanes, dim});
  bring(wanted);
  Sizes shape(tensorOf(x).getShape());
  int64_t rank = shape.size();
  int64_t rows =
      tensorOf(x).getNumElements() / (shape[rank - 2] * shape[rank - 1]);
  Value folded = b.reshape(x, {rows, shape[rank - 2], shape[rank - 1]});
  shape[rank - 2] = planes;
  shape[rank - 1] = n;
  x = b.reshape(b.rowProduct(folded, matrix, planes, n), shape);
}

/// All of a dimension, complex to complex.
void Expander::full(int64_t dim) {
  int64_t n = size(dim);
  if (n == 1)
    return;
  if (order.back() == dim && isOneProduct(n))
    return byRows(dim, rootMatrix(2, n, n, 2, way), 2, n);
  Value folded = columns(dim);
  setColumns(isOneProduct(n) ? b.product(folded, way, 2)
                             : b.transform(folded, way, 2));
}

/// Real numbers to the first half of their transform; the rest is conjugate.
void Expander::toHalf(int64_t dim) {
  int64_t n = size(dim), half = n / 2 + 1;
  if (isOneProduct(n))
    return byRows(dim, rootMatrix(1, n, half, 2, way), 2, half);
  setColumns(b.slice(b.transform(columns(dim), way, 2), 1, 0, half));
}

/// The imaginary parts without those that a real result leaves no room for: of
/// element 0 and of the one in the middle of an even length.
Value Expander::halfAlone(Value im, int64_t place, int64_t n) {
  int64_t half = n / 2 + 1, end = half - (n % 2 == 0);
  if (end <= 1)
    return b.zeros(tensorOf(im).getShape());
  return b.pad(b.slice(im, place, 1, end), place, 1, half - end);
}

/// From n / 2 + 1 complex numbers to n real ones: each number but those that
/// are their own counterpart counts twice.
SmallVector<double> Expander::halfMatrix(int64_t n) {
  int64_t half = n / 2 + 1;
  SmallVector<double> matrix;
  for (bool isImaginary : {false, true})
    for (int64_t k = 0; k < half; ++k)
      for (int64_t j = 0; j < n; ++j) {
        std::complex<double> root = rootOfUnity(j * k, n, way);
        double weight = (k == 0 || 2 * k == n ? 1.0 : 2.0) / n;
        matrix.push_back(weight * (isImaginary ? -root.imag() : root.real()));
      }
  return matrix;
}

void Expander::fromHalf(int64_t dim, int64_t n) {
  Sizes wanted{kPlanes, dim};
  wanted.append(others(dim));
  if (!isOneProduct(n))
    bring(wanted);
  int64_t half = n / 2 + 1, plane = llvm::find(order, kPlanes) - order.begin(),
          place = llvm::find(order, dim) - order.begin();
  Parts parts = b.split(x, plane);
  parts.im = halfAlone(parts.im, place, n);
  x = b.join(parts, plane);
  if (isOneProduct(n))
    return byRows(dim, halfMatrix(n), 1, n);
  auto mirrored = [&](Value part) -> Value {
    Value rest = b.slice(part, place, 1, n - half + 1);
    return b.b.create<ReverseOp>(b.loc, rest.getType(), rest,
                                 b.b.getDenseI64ArrayAttr({place}));
  };
  Value re = mirrored(parts.re), im = mirrored(parts.im);
  im = b.b.create<NegOp>(b.loc, im.getType(), im);
  parts = {b.concatenate({parts.re, re}, place),
           b.concatenate({parts.im, im}, place)};
  x = b.join(parts, plane);
  setColumns(b.transform(columns(dim), way, 1));
}

/// The operand as [planes, ...].
Value Expander::planesOf(Value operand) {
  Sizes shape{1};
  llvm::append_range(shape, tensorOf(operand).getShape());
  if (kind == FftType::RFFT)
    return b.reshape(operand, shape);
  auto part = RankedTensorType::get(tensorOf(operand).getShape(), b.real);
  Value re = b.b.create<RealOp>(b.loc, part, operand);
  Value im = b.b.create<ImagOp>(b.loc, part, operand);
  return b.concatenate({b.reshape(re, shape), b.reshape(im, shape)}, 0);
}

Value Expander::result() {
  ArrayRef<int64_t> shape = tensorOf(op.getResult()).getShape();
  Sizes wanted{kPlanes};
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim)
    wanted.push_back(dim);
  bring(wanted);
  Parts parts = b.split(x, 0);
  Value re = b.reshape(parts.re, shape);
  if (!parts.im)
    return re;
  return b.b.create<ComplexOp>(b.loc, op.getType(), re,
                               b.reshape(parts.im, shape));
}

void Expander::run() {
  ArrayRef<int64_t> lengths = op.getFftLength();
  int64_t rank = tensorOf(op.getOperand()).getRank();
  order = {kPlanes};
  for (int64_t dim = 0; dim < rank; ++dim)
    order.push_back(dim);
  x = planesOf(op.getOperand());
  // The half of a real transform is that of the last dimension, of which it is
  // the first step or, inverse, the last one.
  int64_t last = rank - 1;
  if (kind == FftType::RFFT)
    toHalf(last);
  else if (kind != FftType::IRFFT)
    full(last);
  for (int64_t i = lengths.size() - 1; i-- > 0;)
    full(rank - lengths.size() + i);
  if (kind == FftType::IRFFT)
    fromHalf(last, lengths.back());
  op.getResult().replaceAllUsesWith(result());
  op.erase();
}

} // namespace

void expandFourier(Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<FftOp>()))
    Expander(op).run();
}

void addFourierRules(RuleTable &t) {
  // No kernel of its own: those of what it becomes.
  t.add<FftOp>(OpRule());
}

} // namespace partopt::codegen
