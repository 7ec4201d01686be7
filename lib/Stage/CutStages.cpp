// partopt-cut-stages: where the chain of forward ops is cut, and which part of
// its stage each op of the loop over microbatches is.

#include "GivenCut.h"
#include "NestLoops.h"
#include "SplitSums.h"
#include "StageMemory.h"

#include "partopt/Analysis/OpCost.h"
#include "partopt/Search/CutChain.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Support/Warnings.h"

#include <cmath>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_CUTSTAGES
#include "partopt/Stage/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// What crosses between stages: bytes per nanosecond, and nanoseconds for each
/// value, which is a message.
constexpr double kLinkBytesPerNs = 10, kLatencyNs = 5000;

/// A loop takes what is in it as often as it runs.
int64_t nanosecondsOf(Operation *op) {
  auto loop = dyn_cast<comm::LoopOp>(op);
  if (!loop)
    return opNanoseconds(op);
  int64_t time = 0;
  for (Operation &inner : loop.getBody().front().without_terminator())
    time += nanosecondsOf(&inner);
  return int64_t(loop.getTrips()) * time;
}

class StageCutter {
public:
  /// `memory` bytes are there for each stage, which keeps `kept` microbatches;
  /// 0: any number.
  StageCutter(func::FuncOp func, PipelineBody &body, int64_t stages,
              int64_t memory, ArrayRef<int64_t> kept)
      : func(func), body(body), places(func, body), stages(stages),
        memory(memory), kept(kept) {}

  /// Chooses where the chain is cut: as `layers` or `begins` say, or by cost.
  LogicalResult cut(ArrayRef<int64_t> layers, ArrayRef<std::string> begins);
  void markAll();
  int64_t stageOf(Operation *op) const {
    int64_t at = body.positionOf(op);
    return llvm::upper_bound(cuts, at) - cuts.begin();
  }

private:
  CutChainProblem problem() const;
  LogicalResult cutByCost();
  /// What in the loop depends on an op's results.
  struct Reach {
    bool sends = false;           ///< another stage does
    int64_t accumulator = -1;     ///< the one that does,
    bool hasAccumulators = false; ///< or several
  };
  Reach reachOf(Operation *op);
  void mark(Operation *op, StringRef part);
  int64_t crossingBytes(int64_t cut) const;
  void report();

  func::FuncOp func;
  PipelineBody &body;
  LayerPlaces places;
  int64_t stages, memory;
  ArrayRef<int64_t> kept;
  bool isGiven = false;
  CutChainProblem chain;
  std::vector<int64_t> cuts;
  llvm::DenseMap<Operation *, Reach> reaches;
};

CutChainProblem StageCutter::problem() const {
  CutChainProblem chain;
  chain.stages = stages;
  size_t n = body.forward.size();
  chain.times.resize(n);
  std::vector<double> changes(n + 1);
  for (Operation *op : body.forward) {
    int64_t at = body.positionOf(op);
    chain.times[at] += double(nanosecondsOf(op));
    for (Value result : op->getResults())
      if (int64_t last = body.lastForwardUse(result); last > at) {
        double time = kLatencyNs +
                      double(tensorBytes(result.getType())) / kLinkBytesPerNs;
        changes[at + 1] += time;
        changes[last + 1] -= time;
      }
  }
  for (Operation *op : body.backward)
    chain.times[body.positionOf(op)] += double(nanosecondsOf(op));
  // Gradients come back as large as what went.
  double ways = body.backward.empty() ? 1 : 2, crossing = 0;
  for (size_t i = 0; i < n; ++i) {
    crossing += changes[i];
    chain.crossings.push_back(ways * crossing);
  }
  return chain;
}

StageCutter::Reach StageCutter::reachOf(Operation *op) {
  Reach reach;
  auto addAccumulator = [&](int64_t number) {
    reach.hasAccumulators |=
        reach.accumulator >= 0 && reach.accumulator != number;
    reach.accumulator = number;
  };
  for (OpOperand &use : op->getUses()) {
    Operation *user = body.inLoop(use.getOwner());
    if (!user) {
      addAccumulator(use.getOperandNumber());
      continue;
    }
    auto known = reaches.find(user);
    if (known == reaches.end() || stageOf(user) != stageOf(op)) {
      reach.sends = true;
      continue;
    }
    reach.sends |= known->second.sends;
    reach.hasAccumulators |= known->second.hasAccumulators;
    if (known->second.accumulator >= 0)
      addAccumulator(known->second.accumulator);
  }
  return reaches[op] = reach;
}

void StageCutter::mark(Operation *op, StringRef part) {
  Builder builder(op->getContext());
  op->setAttr(kStageAttr, builder.getI64IntegerAttr(stageOf(op)));
  op->setAttr(kStagePartAttr, builder.getStringAttr(part));
}

/// Of forward values that a cut in front of position `cut` sends up.
int64_t StageCutter::crossingBytes(int64_t cut) const {
  int64_t bytes = 0;
  for (Operation *op : ArrayRef(body.forward).take_front(cut))
    for (Value result : op->getResults())
      if (body.lastForwardUse(result) >= cut)
        bytes += tensorBytes(result.getType());
  return bytes;
}

void StageCutter::report() {
  std::vector<double> times(stages);
  double all = 0;
  for (auto [i, time] : llvm::enumerate(chain.times)) {
    times[llvm::upper_bound(cuts, int64_t(i)) - cuts.begin()] += time;
    all += time;
  }
  std::vector<int64_t> needs;
  if (chain.memory)
    needs = stageMemory(chain, cuts);
  for (int64_t stage = 0; stage < stages; ++stage) {
    int64_t at = stage == 0 ? 0 : cuts[stage - 1];
    Operation *first = body.forward[at];
    std::string name = places.nameAt(at);
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "stage " << stage << " of " << stages << " begins here"
        << (name.empty() ? "" : ", " + name) << ": "
        << std::lround(100 * times[stage] / std::max(all, 1.0))
        << " % of the estimated time";
    if (stage > 0)
      out << ", " << crossingBytes(cuts[stage - 1])
          << " bytes per microbatch and device go up to it";
    if (!needs.empty())
      out << ", " << needs[stage]
          << " bytes of parameters, state and kept values by estimate";
    addNote(first, "stage", out.str());
  }
  size_t layers = places.numbered().size();
  if (!isGiven && layers > 0 && stages > int64_t(layers))
    addNote(func, "stage",
            Twine(stages) + " stages are more than the " + Twine(layers) +
                " layers, so some begin within one, where more may cross");
}

LogicalResult StageCutter::cut(ArrayRef<int64_t> layers,
                               ArrayRef<std::string> begins) {
  if (stages > int64_t(body.forward.size()))
    return body.begin.emitError()
           << "the step has " << body.forward.size()
           << (body.forward.size() == 1 ? " forward operation"
                                        : " forward operations")
           << ", fewer than the " << stages << " pipeline stages; use at most "
           << body.forward.size();
  chain = problem();
  isGiven = !layers.empty() || !begins.empty();
  if (!isGiven)
    return cutByCost();
  size_t given = layers.empty() ? begins.size() + 1 : layers.size();
  if (int64_t(given) != stages)
    return func.emitError()
           << "is to have " << stages << " pipeline stages, and " << given
           << " are given";
  auto found = layers.empty()
                   ? cutByNames(body, places, begins, chain.crossings)
                   : cutByCounts(body, places, layers, chain.crossings);
  if (failed(found))
    return failure();
  cuts = std::move(*found);
  return success();
}

LogicalResult StageCutter::cutByCost() {
  if (memory > 0) {
    addStageMemory(func, body, chain);
    chain.memory = memory;
    chain.kept.assign(kept.begin(), kept.end());
  }
  std::string wrong = chain.check();
  if (wrong.empty()) {
    cuts = cutChain(chain);
    wrong = verifyCutChain(chain, cuts);
  }
  if (!wrong.empty())
    return func.emitError() << "the stage cut does not prove: " << wrong;
  return success();
}

void StageCutter::markAll() {
  for (Operation *op : body.forward)
    mark(op, "F");
  for (Operation *op : llvm::reverse(body.backward)) {
    Reach reach = reachOf(op);
    bool isWeight = !reach.sends && (stageOf(op) > 0 || !reach.hasAccumulators);
    mark(op, isWeight ? "W" : "I");
  }
  report();
}

struct CutStagesPass : partopt::impl::CutStagesBase<CutStagesPass> {
  using CutStagesBase::CutStagesBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    nestInnerLoops(func);
    if (failed(run(func)))
      signalPassFailure();
  }

  LogicalResult run(func::FuncOp func) {
    FailureOr<PipelineBody> body = PipelineBody::read(func);
    if (failed(body))
      return failure();
    StageCutter cutter(func, *body, stages, memory, kept);
    if (failed(cutter.cut(layers, begins)))
      return failure();
    unsigned split =
        splitSums(*body, [&](Operation *op) { return cutter.stageOf(op); });
    if (split == 0) {
      cutter.markAll();
      return success();
    }
    numSplitSums += split;
    return run(func); // of which no sum is left to split
  }
};

} // namespace
