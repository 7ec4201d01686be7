// partopt-regather-activations: activations that the forward part gathers over
// an axis are gathered a second time for the backward part, which then keeps
// their shards instead of the whole.

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/BackwardCopy.h"
#include "partopt/Analysis/TrainingStep.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DECL_REGATHERACTIVATIONSPASS
#define GEN_PASS_DEF_REGATHERACTIVATIONSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// A gather over (a part of) the axis that is not of a stored parameter.
bool gathersActivation(Operation &op, StringRef axis) {
  auto gather = dyn_cast<comm::AllGatherOp>(op);
  return gather && gather->getNumResults() == 1 &&
         !gather->hasAttr(kStorageGatherAttr) &&
         llvm::any_of(gather.getAxes().getNames(),
                      [&](StringAttr name) { return name.getValue() == axis; });
}

/// A product reads `value`, or what ops make of it alone.
bool feedsProduct(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(user))
      return true;
    return user->getNumOperands() == 1 && user->getNumResults() == 1 &&
           feedsProduct(user->getResult(0));
  });
}

struct RegatherActivations
    : partopt::impl::RegatherActivationsPassBase<RegatherActivations> {
  using RegatherActivationsPassBase::RegatherActivationsPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    SmallVector<Operation *> gathers;
    for (Operation &op : func.front())
      if (gathersActivation(op, axis))
        gathers.push_back(&op);
    TrainingStep step(func);
    auto isForward = [&](Operation *op) { return step.isForward(op); };
    unsigned again = 0;
    for (Operation *gather : gathers) {
      // Small ones (a number per position) are cheaper to keep.
      if (!step.feedsLoss(gather) || !feedsProduct(gather->getResult(0)))
        continue;
      BackwardCopy made = copyForBackward(gather, isForward);
      if (!made.copy)
        continue;
      OpBuilder builder(made.copy);
      made.copy->setAttr(kRegatherAttr, builder.getUnitAttr());
      made.copy->setAttr(kPhaseAttr, builder.getStringAttr("backward"));
      made.copy->setAttr(
          "partopt.why",
          builder.getStringAttr(
              "gathers an activation again for the backward pass"));
      ++again;
    }
    report(func, again);
    numGatheredAgain += again;
  }

  void report(func::FuncOp func, unsigned again) {
    if (again > 0)
      return addNote(
          func, "sp-regather",
          "activations that the backward part gathers over axis \"" + axis +
              "\" a second time instead of keeping the whole: " + Twine(again));
    addWarning(func, "sp-regather",
               "--sp-regather finds no activation that both parts of the step "
               "read whole and the forward part gathers over axis \"" +
                   axis + "\": nothing is gathered again");
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createRegatherActivationsPass(StringRef axis) {
  RegatherActivationsPassOptions options;
  options.axis = axis.str();
  return std::make_unique<RegatherActivations>(options);
}
