// Large windows as work that is linear in the elements: windows over several
// dimensions one dimension after the other, long sliding windows from scans
// within blocks. Only where the combiner is known and padding is its identity.
#include "FormKernels.h"
#include "Rules.h"

#include "dialects/StableHLO/Windows.h"
#include "mlir/IR/IRMapping.h"
#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

/// Windows from which on a rewrite is worth its passes over memory.
constexpr int64_t kLongWindow = 32;

/// Builds the steps of a rewrite of one op.
class WindowBuilder {
public:
  WindowBuilder(OpBuilder &b, ReduceWindowOp op) : b(b), op(op) {}

  using Values = SmallVector<Value, 2>;

  ReduceWindowOp windows(const Values &inputs, ArrayRef<Window> windows) {
    SmallVector<int64_t> sizes, strides, dilations, bases, padding, shape;
    for (auto [window, size] : llvm::zip(windows, shapeOf(inputs))) {
      sizes.push_back(window.size);
      strides.push_back(window.stride);
      dilations.push_back(window.dilation);
      bases.push_back(window.baseDilation);
      padding.append({window.low, window.high});
      int64_t room =
          window.dilated(size) + window.low + window.high - window.reach();
      shape.push_back(room < 0 ? 0 : room / window.stride + 1);
    }
    auto type =
        RankedTensorType::get({int64_t(shape.size()), 2}, b.getI64Type());
    SmallVector<Type> types;
    for (Value input : inputs)
      types.push_back(typed(input, shape));
    auto result = b.create<ReduceWindowOp>(
        op.getLoc(), types, inputs, op.getInitValues(),
        b.getDenseI64ArrayAttr(sizes), b.getDenseI64ArrayAttr(strides),
        b.getDenseI64ArrayAttr(bases), b.getDenseI64ArrayAttr(dilations),
        DenseIntElementsAttr::get(type, padding));
    IRMapping mapping;
    op.getBody().cloneInto(&result.getBody(), mapping);
    return result;
  }

  Values pad(const Values &inputs, int64_t dim, int64_t low, int64_t high,
             int64_t interior = 0) {
    int64_t rank = shapeOf(inputs).size();
    SmallVector<int64_t> shape(shapeOf(inputs)), lows(rank), highs(rank),
        interiors(rank);
    lows[dim] = low, highs[dim] = high, interiors[dim] = interior;
    shape[dim] += low + high + interior * std::max<int64_t>(shape[dim] - 1, 0);
    return each(inputs, shape, [&](Value input, Type type, unsigned i) {
      return b.create<PadOp>(op.getLoc(), type, input, op.getInitValues()[i],
                             b.getDenseI64ArrayAttr(lows),
                             b.getDenseI64ArrayAttr(highs),
                             b.getDenseI64ArrayAttr(interiors));
    });
  }

  Values reshape(const Values &inputs, ArrayRef<int64_t> shape) {
    return each(inputs, shape, [&](Value input, Type type, unsigned) {
      return b.create<ReshapeOp>(op.getLoc(), type, input);
    });
  }

  /// Elements begin, begin + stride, ... of `dim`, `count` of them.
  Values slice(const Values &inputs, int64_t dim, int64_t begin, int64_t count,
               int64_t stride) {
    SmallVector<int64_t> starts(shapeOf(inputs).size(), 0);
    SmallVector<int64_t> limits(shapeOf(inputs)), shape(limits);
    SmallVector<int64_t> strides(limits.size(), 1);
    starts[dim] = begin, strides[dim] = stride, shape[dim] = count;
    limits[dim] = begin + (count - 1) * stride + 1;
    return each(inputs, shape, [&](Value input, Type type, unsigned) {
      return b.create<SliceOp>(
          op.getLoc(), type, input, b.getDenseI64ArrayAttr(starts),
          b.getDenseI64ArrayAttr(limits), b.getDenseI64ArrayAttr(strides));
    });
  }

  /// The body's op on whole tensors.
  Values combine(const Values &lhs, const Values &rhs) {
    Block &body = op.getBody().front();
    Values out;
    for (auto [i, value] : llvm::enumerate(lhs)) {
      Operation *scalar = body.getTerminator()->getOperand(i).getDefiningOp();
      OperationState state(op.getLoc(), scalar->getName());
      state.addOperands({value, rhs[i]});
      state.addTypes(value.getType());
      state.addAttributes(scalar->getAttrs());
      out.push_back(b.create(state)->getResult(0));
    }
    return out;
  }

  static ArrayRef<int64_t> shapeOf(const Values &values) {
    return tensorOf(values.front()).getShape();
  }

private:
  static Type typed(Value value, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, tensorOf(value).getElementType());
  }
  template <typename Fn>
  Values each(const Values &inputs, ArrayRef<int64_t> shape, Fn make) {
    Values out;
    for (auto [i, input] : llvm::enumerate(inputs))
      out.push_back(make(input, typed(input, shape), i));
    return out;
  }

  OpBuilder &b;
  ReduceWindowOp op;
};

using Values = WindowBuilder::Values;

/// One dimension after the other; first those that leave the fewest elements.
Values separate(WindowBuilder &build, Values values, ArrayRef<Window> windows) {
  SmallVector<unsigned> dims;
  for (auto [dim, window] : llvm::enumerate(windows))
    if (!window.isPoint())
      dims.push_back(dim);
  llvm::sort(dims, [&](unsigned x, unsigned y) {
    return std::make_pair(-windows[x].stride, x) <
           std::make_pair(-windows[y].stride, y);
  });
  for (unsigned dim : dims) {
    SmallVector<Window> one(windows.size());
    one[dim] = windows[dim];
    ReduceWindowOp step = build.windows(values, one);
    values.assign(step->result_begin(), step->result_end());
  }
  return values;
}

/// A sliding window of w elements from scans within blocks of w: what is left
/// of the block where it starts, and the begin of the block where it ends.
Values slide(WindowBuilder &build, Values values, int64_t dim,
             const Window &window, int64_t count) {
  int64_t w = window.size;
  values =
      build.pad(values, dim, window.low, window.high, window.baseDilation - 1);
  int64_t length = WindowBuilder::shapeOf(values)[dim];
  int64_t blocks = length / w + 1;
  values = build.pad(values, dim, 0, blocks * w - length);
  SmallVector<int64_t> flat(WindowBuilder::shapeOf(values)), cut(flat);
  cut[dim] = blocks;
  cut.insert(cut.begin() + dim + 1, w);
  values = build.reshape(values, cut);
  auto scan = [&](const Values &inputs, bool isReverse) {
    SmallVector<Window> all(cut.size());
    all[dim + 1].size = w;
    (isReverse ? all[dim + 1].high : all[dim + 1].low) = w - 1;
    ReduceWindowOp scanned = build.windows(inputs, all);
    return build.reshape(Values(scanned->getResults()), flat);
  };
  Values rest = scan(values, true);
  Values begin = scan(build.pad(values, dim + 1, 1, -1), false);
  return build.combine(build.slice(rest, dim, 0, count, window.stride),
                       build.slice(begin, dim, w, count, window.stride));
}

Values rewritten(OpBuilder &b, ReduceWindowOp op) {
  Values inputs(op.getInputs());
  if (tensorOf(op->getResult(0)).getNumElements() == 0 || scanOf(op))
    return {};
  SmallVector<Window> windows = windowsOf(op);
  SmallVector<unsigned> dims;
  int64_t product = 1, sum = 0;
  for (auto [dim, window] : llvm::enumerate(windows)) {
    if (!window.isPoint())
      dims.push_back(dim);
    if (window.size > 1) {
      product *= window.size;
      sum += window.size;
    }
  }
  if (product < kLongWindow ||
      !divisibleCombiner(op.getBody(), op.getInitValues()))
    return {};
  WindowBuilder build(b, op);
  if (dims.size() > 1)
    return product >= 3 * sum ? separate(build, inputs, windows) : Values();
  const Window &window = windows[dims[0]];
  int64_t count = tensorOf(op->getResult(0)).getDimSize(dims[0]);
  int64_t length = window.dilated(WindowBuilder::shapeOf(inputs)[dims[0]]) +
                   window.low + window.high;
  bool pays = window.dilation == 1 && count * window.size >= 16 * length;
  return pays ? slide(build, inputs, dims[0], window, count) : Values();
}

} // namespace

void simplifyWindows(Block &block) {
  SmallVector<ReduceWindowOp> work(block.getOps<ReduceWindowOp>());
  while (!work.empty()) {
    ReduceWindowOp op = work.pop_back_val();
    OpBuilder b(op);
    Operation *before = op->getPrevNode();
    Values values = rewritten(b, op);
    if (values.empty())
      continue;
    for (Operation *made = before ? before->getNextNode() : &block.front();
         made != op; made = made->getNextNode())
      if (auto inner = dyn_cast<ReduceWindowOp>(made))
        work.push_back(inner);
    op->replaceAllUsesWith(values);
    op->erase();
  }
}

} // namespace partopt::codegen
