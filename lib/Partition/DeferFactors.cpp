// A factor that is known only after all microbatches, applied after their loop.

#include "TimeDependence.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Partition/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_DEFERFACTORSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Multiplies or divides what varies by one number that does not.
struct Site {
  Operation *op;
  Value varying;
};

class DeferFactors {
public:
  DeferFactors(func::FuncOp func, const TimeCut &cut)
      : block(func.getBody().front()), depends(func, cut) {
    depends.findVarying();
    findLate();
  }

  void run();

  unsigned numFactors = 0;

private:
  void findLate();
  Value scalarBehind(Value value);
  void findSites();
  bool follow(Value scalar, ArrayRef<Site> sites,
              llvm::SetVector<Operation *> &sums);
  bool carries(Operation *op, const llvm::DenseSet<Value> &scaled);
  void apply(Value scalar, ArrayRef<Site> sites, ArrayRef<Operation *> sums);

  Block &block;
  TimeDependence depends;
  /// Known only after a sum over the whole batch in which state has a part.
  llvm::DenseSet<Value> late;
  /// By the number, one kind of op each.
  llvm::MapVector<std::pair<Value, unsigned>, SmallVector<Site>> sitesOf;
};

void DeferFactors::findLate() {
  for (Operation &op : block.without_terminator()) {
    bool isLate = false;
    if (depends.isReduction(&op))
      isLate = depends.isOfState(op.getOperand(0));
    else if (!depends.isInLoop(&op))
      for (Value operand : op.getOperands())
        isLate |= late.contains(operand);
    if (isLate)
      late.insert(op.result_begin(), op.result_end());
  }
}

/// The one number in every element of `value`, or null.
Value DeferFactors::scalarBehind(Value value) {
  while (true) {
    if (typeOf(value).getRank() == 0)
      return value;
    Operation *def = value.getDefiningOp();
    bool spreads =
        isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(def);
    if (!spreads || depends.isInLoop(def))
      return {};
    value = def->getOperand(0);
  }
}

void DeferFactors::findSites() {
  for (Operation &op : block.without_terminator()) {
    bool multiplies = isa<stablehlo::MulOp>(op);
    if ((!multiplies && !isa<stablehlo::DivOp>(op)) || !depends.isInLoop(&op) ||
        !isa<FloatType>(typeOf(op.getResult(0)).getElementType()) ||
        typeOf(op.getResult(0)).getElementType().isF16())
      continue;
    for (unsigned factor : {1u, 0u}) {
      Value number = op.getOperand(factor), other = op.getOperand(1 - factor);
      if ((factor == 0 && !multiplies) || !late.contains(number) ||
          !depends.varies(other))
        continue;
      if (Value scalar = scalarBehind(number)) {
        sitesOf[{scalar, unsigned(multiplies)}].push_back({&op, other});
        break;
      }
    }
  }
}

/// True when all that `op` makes of scaled values is scaled as they are.
bool DeferFactors::carries(Operation *op, const llvm::DenseSet<Value> &scaled) {
  auto isScaled = [&](Value value) { return scaled.contains(value); };
  if (isa<comm::CollectiveOpInterface>(op)) {
    auto combiner = op->getAttrOfType<comm::CombinerKindAttr>("combiner");
    return (!combiner || combiner.getValue() == comm::CombinerKind::Sum) &&
           llvm::all_of(op->getOperands(), isScaled);
  }
  for (const LinearGroup &group : getLinearGroups(op, Combiner::Sum)) {
    bool good = true;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      bool inGroup = llvm::is_contained(group, i);
      good &= isScaled(operand)
                  ? inGroup
                  : !inGroup || isIdentity(operand, Combiner::Sum);
    }
    if (good)
      return true;
  }
  return false;
}

/// Follows what the sites scale to the sums over iterations, which are the only
/// ones to read it.
bool DeferFactors::follow(Value scalar, ArrayRef<Site> sites,
                          llvm::SetVector<Operation *> &sums) {
  llvm::DenseSet<Value> scaled;
  llvm::DenseSet<Operation *> starts;
  for (const Site &site : sites) {
    starts.insert(site.op);
    scaled.insert(site.op->getResult(0));
  }
  for (Operation &op : block) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value value) { return scaled.contains(value); }))
      continue;
    if (starts.contains(&op))
      return false; // scaled twice
    if (depends.isReduction(&op)) {
      auto sum = cast<comm::AllReduceOp>(op);
      if (sum.getCombiner() != comm::CombinerKind::Sum ||
          sum->getNumResults() != 1)
        return false;
      sums.insert(&op);
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || !carries(&op, scaled))
      return false;
    scaled.insert(op.result_begin(), op.result_end());
  }
  // The number must not depend on what it scales.
  for (Operation *sum : sums)
    if (sum->isBeforeInBlock(sites[0].op))
      return false;
  return !sums.empty() && scalar;
}

void DeferFactors::apply(Value scalar, ArrayRef<Site> sites,
                         ArrayRef<Operation *> sums) {
  bool multiplies = isa<stablehlo::MulOp>(sites[0].op);
  for (const Site &site : sites) {
    site.op->getResult(0).replaceAllUsesWith(site.varying);
    site.op->erase();
  }
  for (Operation *sum : sums) {
    OpBuilder builder(sum->getContext());
    builder.setInsertionPointAfter(sum);
    Location loc = sum->getLoc();
    Value total = sum->getResult(0);
    RankedTensorType type = typeOf(total);
    Value factor = scalar;
    auto element = RankedTensorType::get({}, type.getElementType());
    if (factor.getType() != element)
      factor = builder.create<stablehlo::ConvertOp>(loc, element, factor);
    if (type.getRank() > 0)
      factor = builder.create<stablehlo::BroadcastInDimOp>(
          loc, type, factor, builder.getDenseI64ArrayAttr({}));
    Value scaled =
        multiplies
            ? Value(builder.create<stablehlo::MulOp>(loc, type, total, factor))
            : Value(builder.create<stablehlo::DivOp>(loc, type, total, factor));
    total.replaceAllUsesExcept(scaled, scaled.getDefiningOp());
  }
}

void DeferFactors::run() {
  findSites();
  for (auto &[key, sites] : sitesOf) {
    llvm::SetVector<Operation *> sums;
    if (!follow(key.first, sites, sums))
      continue;
    apply(key.first, sites, sums.getArrayRef());
    ++numFactors;
  }
}

struct DeferFactorsImpl
    : partopt::impl::DeferFactorsPassBase<DeferFactorsImpl> {
  void runOnOperation() override {
    LogicalResult ran = withTimeCut(getOperation(), [&](TimeCut &cut) {
      DeferFactors factors(getOperation(), cut);
      factors.run();
      numFactors += factors.numFactors;
      return success();
    });
    if (failed(ran))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createDeferFactorsPass() {
  return std::make_unique<DeferFactorsImpl>();
}
