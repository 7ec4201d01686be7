// partopt-choose-recompute: marks forward ops that the backward part is to
// compute again instead of reading what the forward part left.

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/Layers.h"
#include "partopt/Strategy/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/UnitAttributes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_CHOOSERECOMPUTEPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

int64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

/// The result is larger than each operand, of which there are some.
bool grows(Operation *op) {
  return op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return elementsOf(operand) < elementsOf(op->getResult(0));
         });
}

class Chooser {
public:
  explicit Chooser(func::FuncOp func)
      : func(func), block(func.getBody().front()), step(func),
        layers(func, step) {}

  LogicalResult byLayer();
  /// Adds what is cheap.
  LogicalResult selectively();

private:
  LogicalResult checkBackward();
  int64_t repeatedLayer(Operation *op) const;
  bool leavesLayer(Operation *op) const;
  bool isMadeOfState(Value value);
  bool isCheap(Operation *op);
  static void mark(Operation *op) {
    op->setAttr(kRecomputeAttr, UnitAttr::get(op->getContext()));
  }

  func::FuncOp func;
  Block &block;
  TrainingStep step;
  Layers layers;
  /// Ops, at most, that marked ones take to be computed from what is kept.
  static constexpr int64_t kLongestChain = 32;
  llvm::DenseMap<Value, int64_t> chainOf;
  /// Values of which every part comes from parameters or constants.
  llvm::DenseSet<Value> ofState;
};

LogicalResult Chooser::checkBackward() {
  if (step.hasBackward())
    return success();
  return func.emitError()
         << "--recompute: the program has no backward part (no parameter has a "
            "gradient), so nothing is kept that could be computed again; leave "
            "the option out";
}

/// The repeated layer that a forward op belongs to, -1 for others.
int64_t Chooser::repeatedLayer(Operation *op) const {
  std::optional<unsigned> layer = layers.layerOf(op);
  return layer && layers.all()[*layer].isRepeated ? int64_t(*layer) : -1;
}

/// True where the forward part reads the op's results in another layer.
bool Chooser::leavesLayer(Operation *op) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    Operation *at = block.findAncestorOpInBlock(*user);
    return at == block.getTerminator() ||
           (step.isForward(at) && repeatedLayer(at) != repeatedLayer(op));
  });
}

/// What a layer leaves to others is kept, everything within computed again, and
/// outside of layers what is cheap.
LogicalResult Chooser::byLayer() {
  if (failed(checkBackward()))
    return failure();
  bool any = false;
  for (Operation &op : block.without_terminator())
    if (repeatedLayer(&op) >= 0 && !leavesLayer(&op) &&
        !op.hasAttr(kKeepAttr)) {
      mark(&op);
      any = true;
    }
  if (any)
    return selectively();
  return func.emitError() << "--recompute layer: the model has no layers that "
                             "repeat (explain --layers shows what was found); "
                             "use --recompute selective, or name layers with "
                             "--layer";
}

bool Chooser::isMadeOfState(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    StringRef role = roleOf(func, argument.getArgNumber());
    return !role.empty() && role != "batch";
  }
  return ofState.contains(value);
}

/// Ops that only write their result, and products of activations that make more
/// than they read (attention's scores): little work for much memory.
bool Chooser::isCheap(Operation *op) {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    int64_t reads = 0;
    for (Value operand : op->getOperands()) {
      if (isMadeOfState(operand))
        return false;
      reads += elementsOf(operand);
    }
    return elementsOf(dot.getResult()) > reads;
  }
  return op->hasTrait<stablehlo::Elementwise>() ||
         isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::TransposeOp, stablehlo::SliceOp, stablehlo::PadOp,
             stablehlo::IotaOp, stablehlo::ConcatenateOp>(op);
}

LogicalResult Chooser::selectively() {
  if (failed(checkBackward()))
    return failure();
  for (Operation &op : block.without_terminator()) {
    bool state = llvm::all_of(op.getOperands(), [&](Value operand) {
      return isMadeOfState(operand);
    });
    if (state)
      ofState.insert(op.result_begin(), op.result_end());
    // What parameters alone decide is as large as they are, unless it is
    // spread.
    if (!step.isForward(&op) || !isCheap(&op) || (state && !grows(&op)) ||
        op.hasAttr(kRecomputeAttr) || op.hasAttr(kKeepAttr) ||
        (repeatedLayer(&op) >= 0 && leavesLayer(&op)))
      continue;
    // A chain through the whole model (residuals) would come back as a whole:
    // now and then a value is kept.
    int64_t chain = 1;
    for (Value operand : op.getOperands())
      chain += chainOf.lookup(operand);
    if (chain > kLongestChain)
      continue;
    for (Value result : op.getResults())
      chainOf[result] = chain;
    mark(&op);
  }
  return success();
}

struct ChooseRecompute
    : partopt::impl::ChooseRecomputePassBase<ChooseRecompute> {
  using ChooseRecomputePassBase::ChooseRecomputePassBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func.isPublic() || func.isExternal())
        continue;
      Chooser chooser(func);
      if (failed(mode == "layer" ? chooser.byLayer() : chooser.selectively()))
        return signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<Pass>
partopt::createChooseRecomputePass(const std::string &mode) {
  ChooseRecomputePassOptions options;
  options.mode = mode;
  return std::make_unique<ChooseRecompute>(options);
}
