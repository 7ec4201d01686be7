// The steps of a reshard as comm ops. Uneven dimensions are padded before they
// are scattered and cut back to their size after they are gathered whole.

#include "LowerReshard.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/LocalLowering.h"

#include <map>
#include <vector>

using namespace mlir;
using namespace partopt;

namespace {

class Lowering {
public:
  Lowering(OpBuilder &builder, Location loc, const ReshardProblem &problem,
           StringRef why)
      : b(builder), loc(loc), problem(problem), why(why), state(problem.from) {}

  Value apply(Value value, const ReshardStep &step) {
    Value result = emit(value, step);
    state = step.after;
    return result;
  }

private:
  OpBuilder &b;
  Location loc;
  const ReshardProblem &problem;
  StringRef why;
  Layout state;

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  comm::AxesAttr axes(const ReshardStep &step) {
    return toCommAxes(b.getContext(), *problem.mesh, step.axes);
  }
  comm::CombinerKindAttr combiner(const ReshardStep &step) {
    return comm::CombinerKindAttr::get(b.getContext(),
                                       toCommCombiner(step.combiner));
  }
  RankedTensorType resized(Value value, int64_t dim, int64_t size) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[dim] = size;
    return RankedTensorType::get(shape, typeOf(value).getElementType());
  }
  Value explained(Operation *op) {
    op->setAttr("partopt.why", b.getStringAttr(why));
    return op->getResult(0);
  }

  /// Keeps the first `size` rows of `dim`.
  Value cut(Value value, int64_t dim, int64_t size) {
    RankedTensorType type = typeOf(value);
    if (type.getDimSize(dim) == size)
      return value;
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
        ones(type.getRank(), 1);
    limits[dim] = size;
    return b.create<stablehlo::SliceOp>(
        loc, resized(value, dim, size), value, b.getDenseI64ArrayAttr(starts),
        b.getDenseI64ArrayAttr(limits), b.getDenseI64ArrayAttr(ones));
  }

  /// Appends rows of the combiner's identity up to `size`.
  Value pad(Value value, int64_t dim, int64_t size, Combiner kind) {
    RankedTensorType type = typeOf(value);
    int64_t missing = size - type.getDimSize(dim);
    if (missing <= 0)
      return value;
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value identity = b.create<stablehlo::ConstantOp>(
        loc, scalar,
        DenseElementsAttr::get(scalar,
                               combinerIdentity(type.getElementType(), kind)));
    SmallVector<int64_t> zeros(type.getRank(), 0), high(type.getRank(), 0);
    high[dim] = missing;
    return b.create<stablehlo::PadOp>(loc, resized(value, dim, size), value,
                                      identity, b.getDenseI64ArrayAttr(zeros),
                                      b.getDenseI64ArrayAttr(high),
                                      b.getDenseI64ArrayAttr(zeros));
  }

  Value emit(Value value, const ReshardStep &step) {
    switch (step.kind) {
    case ReshardKind::Slice:
      return slice(value, step);
    case ReshardKind::AllGather:
      return gather(value, step);
    case ReshardKind::AllToAll:
      return allToAll(value, step);
    case ReshardKind::Permute:
      return permute(value, step);
    case ReshardKind::AllReduce:
      return explained(b.create<comm::AllReduceOp>(
          loc, TypeRange{value.getType()}, axes(step), combiner(step),
          ValueRange{value}));
    case ReshardKind::ReduceScatter:
      return reduceScatter(value, step);
    case ReshardKind::ToUnreduced:
      return firstOnly(value, step);
    }
    return value;
  }

  Value slice(Value value, const ReshardStep &step) {
    int64_t n = axesSize(step.axes);
    int64_t size = typeOf(value).getDimSize(step.dim);
    return b.create<comm::ShardOp>(loc,
                                   resized(value, step.dim, (size + n - 1) / n),
                                   axes(step), step.dim, value);
  }

  Value gather(Value value, const ReshardStep &step) {
    int64_t n = axesSize(step.axes);
    int64_t size = typeOf(value).getDimSize(step.dim);
    Value all = explained(b.create<comm::AllGatherOp>(
        loc, TypeRange{resized(value, step.dim, size * n)}, axes(step),
        b.getI64IntegerAttr(step.dim), ValueRange{value}));
    return cut(all, step.dim,
               step.after.localShape(problem.type.getShape())[step.dim]);
  }

  Value allToAll(Value value, const ReshardStep &step) {
    int64_t n = axesSize(step.axes);
    int64_t part = (typeOf(value).getDimSize(step.dim2) + n - 1) / n;
    value = pad(value, step.dim2, part * n, Combiner::Sum);
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[step.dim2] = part;
    shape[step.dim] *= n;
    Value moved = explained(b.create<comm::AllToAllOp>(
        loc, RankedTensorType::get(shape, typeOf(value).getElementType()),
        axes(step), b.getI64IntegerAttr(step.dim2),
        b.getI64IntegerAttr(step.dim), value));
    return cut(moved, step.dim,
               step.after.localShape(problem.type.getShape())[step.dim]);
  }

  Value reduceScatter(Value value, const ReshardStep &step) {
    int64_t n = axesSize(step.axes);
    int64_t part = (typeOf(value).getDimSize(step.dim) + n - 1) / n;
    value = pad(value, step.dim, part * n, step.combiner);
    return explained(b.create<comm::ReduceScatterOp>(
        loc, TypeRange{resized(value, step.dim, part)}, axes(step),
        combiner(step), b.getI64IntegerAttr(step.dim), ValueRange{value}));
  }

  /// permutation[j]: the member that holds, after the step, what j holds now.
  Value permute(Value value, const ReshardStep &step) {
    return explained(b.create<comm::PermuteOp>(
        loc, value.getType(), axes(step), b.getDenseI64ArrayAttr(targets(step)),
        value));
  }

  /// Index of the shard along every dimension that a member with the given
  /// coordinates (one per step axis) holds under `layout`.
  SmallVector<int64_t> shardOf(const Layout &layout, const ReshardStep &step,
                               ArrayRef<int64_t> coordinates) {
    SmallVector<int64_t> shard;
    for (const AxisList &list : layout.dims) {
      int64_t index = 0;
      for (const AxisRef &axis : list) {
        const auto *it = llvm::find(step.axes, axis);
        if (it != step.axes.end())
          index = index * axis.size + coordinates[it - step.axes.begin()];
        else
          index *= axis.size;
      }
      shard.push_back(index);
    }
    return shard;
  }

  /// Members in row-major order whose shard is needed by, and held by, whom.
  /// Replicas are matched in order.
  SmallVector<int64_t> targets(const ReshardStep &step) {
    int64_t n = axesSize(step.axes);
    std::map<std::vector<int64_t>, SmallVector<int64_t>> holders, needers;
    for (int64_t member = 0; member < n; ++member) {
      SmallVector<int64_t> coordinates(step.axes.size());
      int64_t rest = member;
      for (size_t i = step.axes.size(); i-- > 0;) {
        coordinates[i] = rest % step.axes[i].size;
        rest /= step.axes[i].size;
      }
      auto key = [&](const Layout &layout) {
        SmallVector<int64_t> shard = shardOf(layout, step, coordinates);
        return std::vector<int64_t>(shard.begin(), shard.end());
      };
      holders[key(state)].push_back(member);
      needers[key(step.after)].push_back(member);
    }
    SmallVector<int64_t> result(n, 0);
    for (auto &[shard, from] : holders)
      for (auto [source, target] : llvm::zip_equal(from, needers[shard]))
        result[source] = target;
    return result;
  }

  Value firstOnly(Value value, const ReshardStep &step) {
    ShardingRule none;
    FactorAxes noAxes;
    LocalContext context{b, loc, *problem.mesh, none, noAxes, {}, {}};
    return keepOnFirstDevice(context, value, step.axes, step.combiner);
  }
};

} // namespace

Value partopt::lowerReshard(OpBuilder &builder, Location loc, Value value,
                            const ReshardProblem &given,
                            const ReshardSolution &solution, StringRef why) {
  ReshardProblem problem = given;
  problem.splitAxes();
  Lowering lowering(builder, loc, problem, why);
  for (const ReshardStep &step : solution.steps)
    value = lowering.apply(value, step);
  return value;
}
