// The data-parallel recipe: the batch is split, the model is replicated, and
// propagation and partitioning find the gradient reductions by themselves.

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Strategy/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYDDPPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

std::string describe(func::FuncOp func, unsigned i) {
  std::string text = "argument " + std::to_string(i);
  if (auto name = func.getArgAttrOfType<StringAttr>(i, "partopt.name"))
    text += " (" + name.getValue().str() + ")";
  return text;
}

class Recipe {
public:
  Recipe(func::FuncOp func, sdy::MeshOp mesh, StringRef axis)
      : func(func), mesh(mesh), axis(axis) {}

  LogicalResult run() {
    if (failed(checkMesh()) || failed(checkUnannotated()))
      return failure();
    unsigned batches = 0;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      FailureOr<bool> isBatch = annotateArgument(i);
      if (failed(isBatch))
        return failure();
      batches += *isBatch;
    }
    if (batches == 0)
      return func.emitError()
             << "strategy ddp needs batch arguments, but no argument has the "
                "role 'batch'; name them with --arg-role 'REGEX=batch'";
    annotateResults();
    return success();
  }

private:
  func::FuncOp func;
  sdy::MeshOp mesh;
  StringRef axis;

  InFlightDiagnostic errorAt(unsigned i) {
    return emitError(func.getArgument(i).getLoc());
  }

  LogicalResult checkMesh() {
    if (mesh && mesh.getMesh().hasAxis(axis))
      return success();
    return func.emitError()
           << "strategy ddp splits the batch over mesh axis \"" << axis
           << "\", which the mesh does not have; give it with --mesh " << axis
           << "=N, or name another axis with --axis ddp=NAME";
  }

  LogicalResult checkUnannotated() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (sdy::getSharding(func.getArgument(i)))
        return errorAt(i)
               << describe(func, i)
               << " already has a sharding; strategy ddp is for models without "
                  "annotations: use --strategy none to run the file's own";
    return success();
  }

  FailureOr<bool> annotateArgument(unsigned i) {
    auto role = func.getArgAttrOfType<StringAttr>(i, "partopt.role");
    if (!role || role.getValue() == "unknown") {
      errorAt(i) << "the role of " << describe(func, i)
                 << " is unknown: it has no name that tells and no donation; "
                    "strategy ddp needs it, so give it with --arg-role "
                    "'REGEX=param|opt|state|batch|rng|scalar'";
      return failure();
    }
    BlockArgument argument = func.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    bool isBatch = role.getValue() == "batch";
    if (isBatch && failed(checkBatch(i, type)))
      return failure();
    SmallVector<sdy::DimensionShardingAttr> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      SmallVector<sdy::AxisRefAttr> axes;
      if (isBatch && dim == 0)
        axes.push_back(sdy::AxisRefAttr::get(func.getContext(), axis));
      dims.push_back(sdy::DimensionShardingAttr::get(func.getContext(), axes,
                                                     /*isClosed=*/true));
    }
    sdy::setSharding(argument, sdy::TensorShardingAttr::get(
                                   func.getContext(), mesh.getSymName(), dims));
    return isBatch;
  }

  LogicalResult checkBatch(unsigned i, RankedTensorType type) {
    int64_t n = mesh.getMesh().getAxisSize(axis);
    if (type.getRank() == 0)
      return errorAt(i) << describe(func, i)
                        << " has the role 'batch' but is a scalar; give "
                           "another role with --arg-role 'REGEX=scalar'";
    if (type.getDimSize(0) >= n)
      return success();
    std::string fewer;
    if (int64_t rows = type.getDimSize(0))
      fewer =
          ("use at most --mesh " + axis + "=" + llvm::Twine(rows) + ", ").str();
    return errorAt(i) << describe(func, i) << " has " << type.getDimSize(0)
                      << " rows, fewer than the " << n << " devices of axis \""
                      << axis << "\"; " << fewer
                      << "export with a larger batch, or split the model "
                         "over another axis";
  }

  /// A donated argument's result keeps its layout; the rest is open.
  void annotateResults() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto alias = func.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
      if (alias && alias.getInt() < func.getNumResults())
        sdy::setFuncResultSharding(func, alias.getInt(),
                                   sdy::getSharding(func.getArgument(i)));
    }
  }
};

struct ApplyDdp : partopt::impl::ApplyDdpPassBase<ApplyDdp> {
  using ApplyDdpPassBase::ApplyDdpPassBase;

  void runOnOperation() override {
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(Recipe(func, mesh, axis).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyDdpPass(std::string axis) {
  ApplyDdpPassOptions options;
  options.axis = std::move(axis);
  return std::make_unique<ApplyDdp>(options);
}
