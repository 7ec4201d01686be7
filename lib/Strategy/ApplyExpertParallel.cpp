// The expert-parallel recipe: each device holds some experts of every MoE layer
// whole. Tokens in front of the experts' products are split by expert, and by
// rows of the batch elsewhere, so that propagation and partitioning exchange
// them in between.

#include "ExpertDims.h"
#include "Recipe.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Strategy/Passes.h"
#include "partopt/Support/Warnings.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYEXPERTPARALLELPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class ExpertParallel : public Recipe {
public:
  ExpertParallel(func::FuncOp func, sdy::MeshOp mesh,
                 const ApplyExpertParallelPassOptions &options)
      : Recipe(func, mesh, options.name), options(options) {}

  LogicalResult run() {
    if (failed(requireAxis(options.axis, "splits experts", "ep")) ||
        failed(checkArguments(StringRef(options.axis))))
      return failure();
    ExpertDims experts(func);
    if (experts.products().empty())
      return refuseNoExperts();
    for (const ExpertLayer &layer : experts.layers())
      if (layer.experts < sizeOf(options.axis))
        return refuseFewExperts(layer);
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (failed(annotateArgument(experts, i)))
        return failure();
    annotateResults();
    constrainTokens(experts);
    describeLayers(experts);
    return success();
  }

private:
  const ApplyExpertParallelPassOptions &options;

  LogicalResult refuseNoExperts() {
    return func.emitError()
           << "strategy " << options.name
           << " finds no experts: no product of routed tokens with stacked "
              "weights, such as tensor<ExCxD> by a parameter tensor<ExDxF> "
              "with E experts; stack the experts' weights into one parameter "
              "per layer, or use --strategy tp, ddp or fsdp";
  }

  LogicalResult refuseFewExperts(const ExpertLayer &layer) {
    int64_t devices = sizeOf(options.axis);
    return layer.first->op->emitError()
           << "strategy " << options.name << ": this layer has "
           << layer.experts << " experts, fewer than the " << devices
           << " devices of axis \"" << options.axis << "\"; use at most --mesh "
           << options.axis << "=" << layer.experts
           << ", and the other devices as another axis, e.g. data (ddp+ep) or "
              "model (ep+tp)";
  }

  LogicalResult annotateArgument(const ExpertDims &experts, unsigned i) {
    StringRef role = roleOf(i);
    if (role == "batch" && options.batch) {
      if (failed(checkHasRows(i)))
        return failure();
      auto type = cast<RankedTensorType>(func.getArgument(i).getType());
      int64_t devices = sizeOf(options.axis);
      if (type.getDimSize(0) < devices)
        return errorAt(i) << describe(i) << " has " << type.getDimSize(0)
                          << " rows, fewer than the " << devices
                          << " devices of axis \"" << options.axis
                          << "\", which splits the batch too; use at most "
                             "--mesh "
                          << options.axis << "="
                          << std::max<int64_t>(type.getDimSize(0), 1)
                          << ", or export with a larger batch";
      addAxes(i, 0, axisRef(options.axis));
      return success();
    }
    std::optional<int64_t> dim;
    if (role == "param" || role == "opt" || role == "state")
      dim = experts.dimOf(func.getArgument(i));
    addAxes(i, dim.value_or(-1), axisRef(options.axis));
    // The batch has the axis too, but not where experts compute.
    if (dim)
      setStorage(i, options.axis, kComputeOver);
    return success();
  }

  void constrainTokens(const ExpertDims &experts) {
    ExpertDims::Whole whole = experts.wholeValues();
    for (Value value : whole.values)
      constrain(value, wholeOver(value, axisRef(options.axis)));
    for (OpOperand *use : whole.uses)
      use->set(constrainedCopy(use->get(),
                               wholeOver(use->get(), axisRef(options.axis))));
    llvm::DenseSet<Value> done;
    auto add = [&](Value value, int64_t dim) {
      if (done.insert(value).second)
        constrain(value, splitAlong(value, dim, axisRef(options.axis)));
    };
    for (const ExpertProduct &product : experts.products()) {
      if (product.tokenDim)
        add(product.sent(), *product.tokenDim);
      if (product.resultDim)
        add(product.op->getResult(0), *product.resultDim);
    }
  }

  void describeLayers(const ExpertDims &experts) {
    for (const ExpertLayer &layer : experts.layers()) {
      int64_t each = llvm::divideCeil(layer.experts, sizeOf(options.axis));
      std::string text = std::to_string(layer.experts) + " experts, " +
                         std::to_string(each) + " per device of axis \"" +
                         options.axis + "\", ";
      if (layer.experts % sizeOf(options.axis) != 0)
        text += "the last device with fewer, ";
      text += layer.capacity > 0
                  ? "places for " + std::to_string(layer.capacity) +
                        " tokens each" +
                        (layer.isPerRow ? " of every row of the batch" : "")
                  : "without a limit of tokens: every device sees all of them "
                    "and computes those of its experts";
      addNote(layer.first->op, "moe-layer", text);
    }
  }
};

struct ApplyExpertParallel
    : partopt::impl::ApplyExpertParallelPassBase<ApplyExpertParallel> {
  using ApplyExpertParallelPassBase::ApplyExpertParallelPassBase;

  void runOnOperation() override {
    ApplyExpertParallelPassOptions options{axis, batch, name};
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(ExpertParallel(func, mesh, options).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyExpertParallelPass(
    const ApplyExpertParallelPassOptions &options) {
  return std::make_unique<ApplyExpertParallel>(options);
}
