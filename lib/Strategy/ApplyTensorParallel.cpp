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
    TensorSplit split(func, sizeOf(options.axis));
    split.choose(options.flopsPerByte);
    if (split.numChosen() == 0)
      return func.emitError()
             << "strategy " << options.name
             << " finds no dimension of a parameter that splits products over "
                "the "
             << sizeOf(options.axis) << " devices of axis \"" << options.axis
             << "\" for less than a byte sent per " << options.flopsPerByte
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
    return success();
  }

private:
  const ApplyTensorParallelPassOptions &options;
};

struct ApplyTensorParallel
    : partopt::impl::ApplyTensorParallelPassBase<ApplyTensorParallel> {
  using ApplyTensorParallelPassBase::ApplyTensorParallelPassBase;

  void runOnOperation() override {
    ApplyTensorParallelPassOptions options{axis, flopsPerByte, name};
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
