// See RingCore.h. Values that have the keys' dimension are followed from the
// gathers, along the ops' rules; what sums over it is then told apart by what
// it is made of.

#include "RingCore.h"

#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;
using namespace partopt;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool sums(Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  return reduce && bodyCombiner(reduce.getBody()) == Combiner::Sum &&
         isIdentity(reduce.getInitValues()[0], Combiner::Sum);
}

namespace {

class CoreFinder {
public:
  explicit CoreFinder(RingCore &core) : core(core) {}

  bool run(ArrayRef<comm::AllGatherOp> gathers) {
    for (comm::AllGatherOp gather : gathers)
      if (!addGather(gather))
        return false;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (!follow(use))
          return false;
    }
    core.ops.assign(seen.begin(), seen.end());
    llvm::sort(core.ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return findSoftmax() && tellSumsApart();
  }

  RingProblem problem;

private:
  RingCore &core;
  SmallVector<Value> open;
  SetVector<Operation *> seen;
  SmallVector<Operation *> overKeys; ///< ops that sum over keys

  bool refuse(Operation *op, const Twine &why) {
    problem = {op, why.str()};
    return false;
  }

  bool addGather(comm::AllGatherOp op);
  bool addScatter(comm::ReduceScatterOp op, Value sum, int64_t dim);
  bool follow(OpOperand &use);
  bool record(Operation *op, Value value, int64_t dim);
  bool findSoftmax();
  bool isLargest(Value value) const;
  bool tellSumsApart();
  bool isRowSum(Operation *op);
};

bool CoreFinder::addGather(comm::AllGatherOp op) {
  if (op.getOperands().size() != 1)
    return refuse(op, "keys and values are gathered together");
  RingCore::Gather gather{op, op.getResult(0), op.getOperands()[0],
                          int64_t(op.getDim())};
  if (gather.whole.hasOneUse())
    if (auto cut = dyn_cast<stablehlo::SliceOp>(*gather.whole.user_begin()))
      gather.whole = cut.getResult();
  int64_t keys = typeOf(gather.whole).getDimSize(gather.dim);
  int64_t width = typeOf(gather.block).getDimSize(gather.dim);
  if (core.gathers.empty()) {
    core.axes = op.getAxes();
    core.devices = op.getAxes().getGroupSize();
    core.keys = keys;
    core.width = width;
  }
  if (op.getAxes() != core.axes || keys != core.keys || width != core.width)
    return refuse(op, "keys and values are not split alike");
  core.gathers.push_back(gather);
  return record(op, gather.whole, gather.dim);
}

bool CoreFinder::record(Operation *op, Value value, int64_t dim) {
  auto [at, isNew] = core.keyDim.insert({value, dim});
  if (!isNew)
    return at->second == dim || refuse(op, "keys are in two dimensions of it");
  open.push_back(value);
  return true;
}

bool CoreFinder::addScatter(comm::ReduceScatterOp op, Value sum, int64_t dim) {
  if (op.getOperands().size() != 1 || int64_t(op.getDim()) != dim ||
      op.getAxes() != core.axes || op.getCombiner() != comm::CombinerKind::Sum)
    return refuse(op, "a gradient of keys is not scattered along the keys");
  core.scatters.push_back({op, sum, dim});
  return true;
}

static bool isClonable(Operation *op) {
  if (isa<stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
          stablehlo::ReshapeOp, stablehlo::DotGeneralOp>(op))
    return true;
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
    return reduce.getInputs().size() == 1;
  return op->hasTrait<stablehlo::Elementwise>() && op->getNumResults() == 1;
}

/// What one use of a value with keys makes of them.
bool CoreFinder::follow(OpOperand &use) {
  Operation *op = use.getOwner();
  int64_t dim = core.keyDim.lookup(use.get());
  if (auto scatter = dyn_cast<comm::ReduceScatterOp>(op))
    return addScatter(scatter, use.get(), dim);
  if (auto pad = dyn_cast<stablehlo::PadOp>(op); pad && pad->hasOneUse())
    if (auto scatter = dyn_cast<comm::ReduceScatterOp>(*pad->user_begin()))
      return addScatter(scatter, use.get(), dim);
  std::optional<ShardingRule> rule;
  if (isClonable(op))
    rule = getShardingRule(op);
  std::optional<unsigned> factor;
  if (rule)
    factor = soleFactorOf(rule->operands[use.getOperandNumber()], dim);
  if (!factor)
    return refuse(op, "'" + op->getName().getStringRef() +
                          "' needs all keys at once");
  seen.insert(op);
  if (auto result = dimOfFactor(rule->results[0], *factor))
    return record(op, op->getResult(0), *result);
  if (rule->factors[*factor].kind != FactorKind::Reduction)
    return refuse(op, "'" + op->getName().getStringRef() +
                          "' needs all keys at once");
  if (!llvm::is_contained(overKeys, op))
    overKeys.push_back(op);
  return true;
}

/// `value` is the largest score of each query, spread over keys.
bool CoreFinder::isLargest(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (value == core.max->getResult(0))
      return true;
    if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (!isa<stablehlo::MaxOp>(op))
      return false;
    bool first = isIdentity(op->getOperand(0), Combiner::Max);
    if (!first && !isIdentity(op->getOperand(1), Combiner::Max))
      return false;
    value = op->getOperand(first ? 1 : 0);
  }
  return false;
}

bool CoreFinder::findSoftmax() {
  llvm::sort(overKeys,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : overKeys) {
    auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
    if (!reduce || bodyCombiner(reduce.getBody()) != Combiner::Max)
      continue;
    if (core.max)
      return refuse(op, "the largest score is looked for twice");
    core.max = reduce;
    core.scores = reduce.getInputs()[0];
  }
  Operation *first = core.gathers.front().op;
  if (!core.max || !isa<FloatType>(typeOf(core.scores).getElementType()) ||
      !isIdentity(core.max->getOperand(1), Combiner::Max))
    return refuse(first, "no softmax over the keys is found");
  for (Operation *op : core.ops) {
    auto exp = dyn_cast<stablehlo::ExpOp>(op);
    auto minus = exp ? exp.getOperand().getDefiningOp<stablehlo::SubtractOp>()
                     : stablehlo::SubtractOp();
    if (!minus || minus.getLhs() != core.scores || !isLargest(minus.getRhs()))
      continue;
    if (core.exponential)
      return refuse(op, "the softmax is computed twice");
    core.exponential = exp.getResult();
  }
  return core.exponential ||
         refuse(core.max, "no exponentials of scores minus the largest follow");
}

/// By dimension of `value`, that of its factor `leaf`; empty: it has no such.
static SmallVector<int64_t> dimsOf(const RingCore &core, Value value,
                                   Value leaf) {
  if (value == leaf)
    return llvm::to_vector(llvm::seq<int64_t>(0, typeOf(leaf).getRank()));
  Operation *op = value.getDefiningOp();
  if (!core.keyDim.contains(value) || value == core.exponential ||
      isa<stablehlo::DotGeneralOp>(op))
    return {};
  for (Value operand : op->getOperands()) {
    SmallVector<int64_t> inner = dimsOf(core, operand, leaf), dims = inner;
    if (inner.empty())
      continue;
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op))
      for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
        dims[dim] = inner[from];
    return dims;
  }
  return {};
}

/// How the gradient of an output, a factor of the `product` in `summed`, lies
/// against it.
static bool align(const RingCore &core, const RingCore::Linear &output,
                  stablehlo::DotGeneralOp product, Value summed,
                  RingCore::RowSum &sum) {
  unsigned valueSide = 1 - output.operand->getOperandNumber();
  Value values = output.op->getOperand(valueSide);
  unsigned side = product.getRhs() == values ? 1 : 0;
  if (product->getOperand(side) != values)
    return false;
  sum.gradient = product->getOperand(1 - side);
  auto there = getShardingRule(product), here = getShardingRule(output.op);
  if (core.keyDim.contains(sum.gradient) || !there || !here)
    return false;
  int64_t rank = typeOf(sum.gradient).getRank();
  if (rank != typeOf(output.op->getResult(0)).getRank())
    return false;
  sum.order.assign(rank, -1);
  sum.dims = core.dimsIn(output);
  SmallVector<int64_t> inProduct = dimsOf(core, summed, product.getResult());
  for (auto [dim, at] : llvm::zip(inProduct, sum.dims))
    if (at >= 0)
      if (auto of =
              dimAcross(there->results[0], there->operands[1 - side], dim))
        sum.order[at] = *of;
  for (int64_t dim = 0; dim < typeOf(values).getRank(); ++dim) {
    auto of = dimAcross(there->operands[side], there->operands[1 - side], dim);
    auto at = dimAcross(here->operands[valueSide], here->results[0], dim);
    if (of && at)
      sum.order[*at] = *of;
  }
  llvm::SmallBitVector all(rank);
  for (int64_t dim : sum.order)
    if (dim >= 0)
      all.set(dim);
  return all.all();
}

/// A sum over keys of exponentials times output gradient times values.
bool CoreFinder::isRowSum(Operation *op) {
  if (!sums(op))
    return false;
  Value summed = op->getOperand(0);
  int64_t dim = core.keyDim.lookup(summed);
  auto degree = core.degreeOf(summed, dim);
  // What is summed has the exponentials' dimensions.
  bool isAligned =
      degree && dim == core.expKeyDim() &&
      typeOf(summed).getShape() == typeOf(core.exponential).getShape() &&
      degree->exponentials == 1 && degree->products == 1;
  if (!isAligned || !llvm::is_sorted(dimsOf(core, summed, core.exponential)))
    return false;
  for (auto [i, output] : llvm::enumerate(core.outputs)) {
    RingCore::RowSum sum;
    sum.op = op;
    sum.output = i;
    if (!isa<stablehlo::DotGeneralOp>(output.op) ||
        !align(core, output, cast<stablehlo::DotGeneralOp>(degree->product),
               summed, sum))
      continue;
    core.rowSums.push_back(sum);
    return true;
  }
  return false;
}

bool CoreFinder::tellSumsApart() {
  SmallVector<Operation *> others;
  for (Operation *op : overKeys) {
    if (op == core.max)
      continue;
    if (!sums(op) && !isa<stablehlo::DotGeneralOp>(op))
      return refuse(op, "'" + op->getName().getStringRef() +
                            "' needs all keys at once");
    OpOperand *made = nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      auto degree =
          core.degreeOf(operand.get(), core.keyDim.lookup(operand.get()));
      if (!core.keyDim.contains(operand.get()))
        continue;
      if (degree && degree->exponentials == 1 && degree->products == 0)
        made = &operand;
    }
    if (made)
      core.outputs.push_back({op, made, Value()});
    else
      others.push_back(op);
  }
  for (Operation *op : others)
    if (!isRowSum(op))
      core.sums.push_back(op);
  return true;
}

} // namespace

std::optional<RingProblem>
partopt::findRingCore(ArrayRef<comm::AllGatherOp> gathers, RingCore &core) {
  CoreFinder finder(core);
  if (finder.run(gathers))
    return std::nullopt;
  return finder.problem;
}
