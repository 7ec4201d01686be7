// The tensor-parallel recipe: parameters and their optimizer state are split
// along the dimensions that TensorSplit chooses; activations follow by
// propagation.

#include "Recipe.h"
#include "TensorSplit.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Strategy/Passes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYTENSORPARALLELPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class TensorParallel : public Recipe {
public:
  TensorParallel(func::FuncOp func, sdy::MeshOp mesh,
                 const ApplyTensorParallelPassOptions &options)
      : Recipe(func, mesh, options.name), options(options) {}

  LogicalResult run() {
    if (failed(requireAxis(options.axis, "splits the model's weights", "tp")) ||
        failed(checkArguments(StringRef(options.axis))))
      return failure();
    if (sizeOf(options.axis) == 1) {
      // Nothing to split: what is not annotated is whole on every device.
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        addAxes(i, -1, {});
      return annotateResults(), success();
    }
    TensorSplit split(func, sizeOf(options.axis));
    split.choose(options.flopsPerByte);
    if (split.numChosen() == 0)
      return func.emitError()
             << "strategy " << options.name
             << " finds no dimension of a parameter that splits products over "
                "the "
             << sizeOf(options.axis) << " devices of axis \"" << options.axis
             << "\" for less than a byte sent per "
             << int64_t(options.flopsPerByte)
             << " operations; use a smaller axis, or data parallelism "
                "(--strategy ddp or fsdp)";
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      StringRef role = roleOf(i);
      bool splits = role == "param" || role == "opt" || role == "state";
      std::optional<std::pair<int64_t, int64_t>> part;
      if (splits)
        part = split.dimOf(func.getArgument(i));
      if (part)
        addAxes(i, part->first, partOf(options.axis, part->second));
      else
        addAxes(i, -1, {});
    }
    annotateResults();
    return options.sequence ? splitSequence(split) : success();
  }

private:
  /// Partial sums become parts of the sequence: one reduce-scatter, and a
  /// gather where the next product takes the whole.
  LogicalResult splitSequence(const TensorSplit &split) {
    auto sums = split.partialSums();
    if (sums.empty())
      return func.emitError()
             << "strategy " << options.name
             << " finds no sequence dimension of at least "
             << sizeOf(options.axis)
             << " beside the batch's rows in the sums that tensor parallelism "
                "leaves; use --strategy tp";
    for (auto [value, dim] : sums)
      constrain(value, splitAlong(value, dim, axisRef(options.axis)));
    // Between the products the axis is the sequence's, inside them the
    // weights'.
    for (auto [value, dim] : split.splitProducts())
      constrain(value, splitAlong(value, dim, axisRef(options.axis)));
    return success();
  }

  const ApplyTensorParallelPassOptions &options;
};

struct ApplyTensorParallel
    : partopt::impl::ApplyTensorParallelPassBase<ApplyTensorParallel> {
  using ApplyTensorParallelPassBase::ApplyTensorParallelPassBase;

  void runOnOperation() override {
    ApplyTensorParallelPassOptions options{axis, flopsPerByte, sequence, name};
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(TensorParallel(func, mesh, options).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyTensorParallelPass(
    const ApplyTensorParallelPassOptions &options) {
  return std::make_unique<ApplyTensorParallel>(options);
}
