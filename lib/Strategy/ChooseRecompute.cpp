// partopt-choose-recompute: marks forward ops that the backward part is to
// compute again instead of reading what the forward part left.

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/Layers.h"
#include "partopt/Strategy/Passes.h"
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

class Chooser {
public:
  explicit Chooser(func::FuncOp func)
      : func(func), block(func.getBody().front()), step(func) {}

  LogicalResult byLayer();
  LogicalResult selectively();

private:
  LogicalResult checkBackward();
  bool isMadeOfState(Value value);
  bool isCheap(Operation *op);
  static void mark(Operation *op) {
    op->setAttr(kRecomputeAttr, UnitAttr::get(op->getContext()));
  }

  func::FuncOp func;
  Block &block;
  TrainingStep step;
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

/// What a layer leaves to others is kept, everything within computed again.
LogicalResult Chooser::byLayer() {
  if (failed(checkBackward()))
    return failure();
  Layers layers(func, step);
  auto repeated = [&](Operation *op) -> int64_t {
    std::optional<unsigned> layer = layers.layerOf(op);
    return layer && layers.all()[*layer].isRepeated ? int64_t(*layer) : -1;
  };
  bool any = false;
  for (Operation &op : block.without_terminator()) {
    int64_t layer = repeated(&op);
    if (layer < 0)
      continue;
    bool leaves = llvm::any_of(op.getUsers(), [&](Operation *user) {
      Operation *at = block.findAncestorOpInBlock(*user);
      return at == block.getTerminator() ||
             (step.isForward(at) && repeated(at) != layer);
    });
    if (leaves)
      continue;
    mark(&op);
    any = true;
  }
  if (any)
    return success();
  return func.emitError() << "--recompute layer: the model has no layers that "
                             "repeat (explain --layers shows what was found); "
                             "use --recompute selective, or name layers with "
                             "--layer";
}

bool Chooser::isMadeOfState(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto role = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  "partopt.role");
    return role && role.getValue() != "batch";
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
    if (llvm::all_of(op.getOperands(),
                     [&](Value operand) { return isMadeOfState(operand); }))
      ofState.insert(op.result_begin(), op.result_end());
    if (step.isForward(&op) && isCheap(&op) && op.getNumOperands() > 0)
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
