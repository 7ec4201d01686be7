// See SplitSums.h.

#include "SplitSums.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace partopt;

namespace {

/// An accumulator and the parts that are added to it in each iteration.
struct SplitSum {
  unsigned number;
  Operation *sum; ///< next = carried + parts
  SmallVector<Value, 2> parts;
};

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

class SumSplitter {
public:
  SumSplitter(PipelineBody &body,
              llvm::function_ref<int64_t(Operation *)> stageOf)
      : body(body), stageOf(stageOf) {}

  unsigned run();

private:
  void collect(Value value, SmallVectorImpl<Value> &parts);
  void find();
  SmallVector<Value> addParts(comm::LoopBeginOp begin);
  void addTotals(comm::LoopEndOp end);
  void eraseOld();
  void rewrite();

  PipelineBody &body;
  llvm::function_ref<int64_t(Operation *)> stageOf;
  SmallVector<SplitSum> sums;
};

/// The summands of `value`, down to where one stage made them.
void SumSplitter::collect(Value value, SmallVectorImpl<Value> &parts) {
  auto add = value.getDefiningOp<stablehlo::AddOp>();
  auto stage = [&](Value operand) -> int64_t {
    Operation *def = operand.getDefiningOp();
    Operation *own = def ? body.inLoop(def) : nullptr;
    return own && !body.isFree(own) ? stageOf(own) : -1;
  };
  if (!add || !body.inLoop(add) || !value.hasOneUse() ||
      stage(add.getLhs()) < 0 || stage(add.getRhs()) < 0) {
    parts.push_back(value);
    return;
  }
  SmallVector<Value, 2> inner;
  collect(add.getLhs(), inner);
  collect(add.getRhs(), inner);
  bool isOneStage = llvm::all_of(
      inner, [&](Value part) { return stage(part) == stage(inner.front()); });
  if (isOneStage)
    parts.push_back(value);
  else
    parts.append(inner.begin(), inner.end());
}

void SumSplitter::find() {
  for (auto [i, next] : llvm::enumerate(body.end.getNexts())) {
    auto add = next.getDefiningOp<stablehlo::AddOp>();
    if (!add || !isZero(body.begin.getInits()[i]))
      continue;
    Value carried = body.begin.getCarried()[i];
    Value part = add.getLhs() == carried   ? add.getRhs()
                 : add.getRhs() == carried ? add.getLhs()
                                           : Value();
    if (!part)
      continue;
    SplitSum sum{unsigned(i), add, {}};
    collect(part, sum.parts);
    if (sum.parts.size() > 1)
      sums.push_back(std::move(sum));
  }
}

/// In front of each old sum: its parts, each added to an accumulator of its
/// own, the further ones from number `extra` of what `begin` carries on.
SmallVector<Value> SumSplitter::addParts(comm::LoopBeginOp begin) {
  SmallVector<Value> nexts(body.end.getNexts());
  size_t extra = nexts.size();
  for (SplitSum &sum : sums) {
    OpBuilder builder(sum.sum);
    for (auto [k, part] : llvm::enumerate(sum.parts)) {
      unsigned number = k == 0 ? sum.number : unsigned(extra + k - 1);
      Value carried = begin.getCarried()[number];
      Value next = builder.create<stablehlo::AddOp>(
          part.getLoc(), carried.getType(), carried, part);
      if (k == 0)
        nexts[number] = next;
      else
        nexts.push_back(next);
    }
    extra += sum.parts.size() - 1;
  }
  return nexts;
}

/// Behind the loop: the parts' sums, added up.
void SumSplitter::addTotals(comm::LoopEndOp end) {
  OpBuilder builder(end->getContext());
  builder.setInsertionPointAfter(end);
  size_t extra = body.end.getNexts().size();
  for (const SplitSum &sum : sums) {
    Value total = end.getFinals()[sum.number];
    SmallPtrSet<Operation *, 4> own;
    for (size_t k = 1; k < sum.parts.size(); ++k) {
      total = builder.create<stablehlo::AddOp>(
          sum.sum->getLoc(), total.getType(), total, end.getFinals()[extra++]);
      own.insert(total.getDefiningOp());
    }
    end.getFinals()[sum.number].replaceAllUsesExcept(total, own);
  }
}

void SumSplitter::eraseOld() {
  body.end.erase();
  body.begin.erase();
  for (const SplitSum &sum : sums) {
    SmallVector<Operation *> dead{sum.sum};
    while (!dead.empty()) {
      Operation *op = dead.pop_back_val();
      if (!op->use_empty())
        continue;
      for (Value operand : op->getOperands())
        if (auto inner = operand.getDefiningOp<stablehlo::AddOp>())
          dead.push_back(inner);
      op->erase();
    }
  }
}

/// The loop with an accumulator for each further part.
void SumSplitter::rewrite() {
  OpBuilder builder(body.begin);
  SmallVector<Value> inits(body.begin.getInits());
  for (const SplitSum &sum : sums)
    inits.append(sum.parts.size() - 1, body.begin.getInits()[sum.number]);
  SmallVector<Type> types{body.begin.getIndex().getType()};
  llvm::append_range(types, ValueRange(inits).getTypes());
  auto begin = builder.create<comm::LoopBeginOp>(
      body.begin.getLoc(), types, body.begin.getAxisAttr(),
      body.begin.getTripsAttr(), inits);
  body.begin.getIndex().replaceAllUsesWith(begin.getIndex());
  for (auto [i, old] : llvm::enumerate(body.begin.getCarried()))
    old.replaceAllUsesWith(begin.getCarried()[i]);
  SmallVector<Value> nexts = addParts(begin);
  builder.setInsertionPoint(body.end);
  auto end = builder.create<comm::LoopEndOp>(
      body.end.getLoc(), ValueRange(nexts).getTypes(), nexts);
  for (auto [i, old] : llvm::enumerate(body.end.getFinals()))
    old.replaceAllUsesWith(end.getFinals()[i]);
  addTotals(end);
  eraseOld();
}

unsigned SumSplitter::run() {
  find();
  if (!sums.empty())
    rewrite();
  return unsigned(sums.size());
}

} // namespace

unsigned partopt::splitSums(PipelineBody &body,
                            llvm::function_ref<int64_t(Operation *)> stageOf) {
  return SumSplitter(body, stageOf).run();
}
