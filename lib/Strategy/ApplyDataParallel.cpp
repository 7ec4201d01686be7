// The data-parallel recipes: the batch is split, and parameters and optimizer
// state are replicated (ddp) or stored in shards (zero1 to zero3, hsdp).
// Propagation and partitioning find the gradient reductions and the gathers by
// themselves.

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Strategy/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYDATAPARALLELPASS
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

/// The dimension that a tensor is stored in shards along, -1 where it is too
/// small for a shard per device. The first one that divides, since gathers
/// along outer dimensions are contiguous; else the one that leaves the least
/// padding.
int64_t storedDim(RankedTensorType type, int64_t shards) {
  int64_t best = -1;
  double bestFill = 0;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (size < shards)
      continue;
    double fill = double(size) / double(llvm::alignTo(size, shards));
    if (fill > bestFill) {
      best = dim;
      bestFill = fill;
    }
  }
  return best;
}

class Recipe {
public:
  Recipe(func::FuncOp func, sdy::MeshOp mesh,
         const ApplyDataParallelPassOptions &options)
      : func(func), mesh(mesh), options(options) {}

  LogicalResult run() {
    if (failed(checkMesh()) || failed(checkUnannotated()))
      return failure();
    unsigned batches = 0, stored = 0;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      StringRef role = roleOf(i);
      if (failed(annotateArgument(i, role, stored)))
        return failure();
      batches += role == "batch";
    }
    if (batches == 0)
      return func.emitError()
             << "strategy " << options.name
             << " needs batch arguments, but no argument has the role 'batch'; "
                "name them with --arg-role 'REGEX=batch'";
    if (options.zeroStage > 0 && stored == 0)
      return func.emitError()
             << "strategy " << options.name
             << " stores optimizer state in shards, but no argument has a role "
                "that it shards ("
             << (options.zeroStage == 3 ? "'param' or 'opt'" : "'opt'")
             << ") and a dimension of at least " << shards()
             << "; name them with --arg-role 'REGEX=opt', or use --strategy "
             << (options.zeroStage == 3 ? "ddp" : "zero3 or ddp");
    annotateResults();
    return success();
  }

private:
  func::FuncOp func;
  sdy::MeshOp mesh;
  const ApplyDataParallelPassOptions &options;

  StringRef roleOf(unsigned i) {
    auto role = func.getArgAttrOfType<StringAttr>(i, "partopt.role");
    return role ? role.getValue() : "unknown";
  }
  /// Axes of the batch, outermost first.
  SmallVector<StringRef, 2> batchAxes() const {
    SmallVector<StringRef, 2> axes;
    if (!options.replicaAxis.empty())
      axes.push_back(options.replicaAxis);
    axes.push_back(options.axis);
    return axes;
  }
  int64_t shards() { return mesh.getMesh().getAxisSize(options.axis); }
  bool isStored(StringRef role) const {
    return (role == "opt" && options.zeroStage >= 1) ||
           (role == "param" && options.zeroStage == 3);
  }

  InFlightDiagnostic errorAt(unsigned i) {
    return emitError(func.getArgument(i).getLoc());
  }

  LogicalResult checkMesh() {
    for (StringRef axis : batchAxes())
      if (!mesh || !mesh.getMesh().hasAxis(axis))
        return func.emitError()
               << "strategy " << options.name
               << " splits the batch over mesh axis \"" << axis
               << "\", which the mesh does not have; give it with --mesh "
               << axis << "=N, or name another axis with --axis "
               << (axis == options.axis ? "data" : "replica") << "=NAME";
    return success();
  }

  LogicalResult checkUnannotated() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (sdy::getSharding(func.getArgument(i)))
        return errorAt(i) << describe(func, i)
                          << " already has a sharding; strategy "
                          << options.name
                          << " is for models without annotations: use "
                             "--strategy none to run the file's own";
    return success();
  }

  LogicalResult annotateArgument(unsigned i, StringRef role, unsigned &stored) {
    if (role == "unknown")
      return errorAt(i) << "the role of " << describe(func, i)
                        << " is unknown: it has no name that tells and no "
                           "donation; strategy "
                        << options.name
                        << " needs it, so give it with --arg-role "
                           "'REGEX=param|opt|state|batch|rng|scalar'";
    BlockArgument argument = func.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    if (role == "batch" && failed(checkBatch(i, type)))
      return failure();
    int64_t split = role == "batch"  ? 0
                    : isStored(role) ? storedDim(type, shards())
                                     : -1;
    bool isShard = role != "batch" && split >= 0;
    stored += isShard;
    // The batch takes the axis in every op that uses the parameter, or should:
    // what a parameter is stored by says nothing of how it is computed with.
    if (isShard && role == "param")
      func.setArgAttr(i, "partopt.storage_override",
                      StringAttr::get(func.getContext(), "keep"));
    SmallVector<sdy::DimensionShardingAttr> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      SmallVector<sdy::AxisRefAttr> axes;
      if (dim == split)
        for (StringRef axis : isShard ? ArrayRef<StringRef>(options.axis)
                                      : ArrayRef<StringRef>(batchAxes()))
          axes.push_back(sdy::AxisRefAttr::get(func.getContext(), axis));
      dims.push_back(sdy::DimensionShardingAttr::get(func.getContext(), axes,
                                                     /*isClosed=*/true));
    }
    sdy::setSharding(argument, sdy::TensorShardingAttr::get(
                                   func.getContext(), mesh.getSymName(), dims));
    return success();
  }

  LogicalResult checkBatch(unsigned i, RankedTensorType type) {
    int64_t n = 1;
    for (StringRef axis : batchAxes())
      n *= mesh.getMesh().getAxisSize(axis);
    if (type.getRank() == 0)
      return errorAt(i) << describe(func, i)
                        << " has the role 'batch' but is a scalar; give "
                           "another role with --arg-role 'REGEX=scalar'";
    if (type.getDimSize(0) >= n)
      return success();
    std::string fewer;
    int64_t rows = type.getDimSize(0);
    if (rows > 0 && options.replicaAxis.empty())
      fewer = "use at most --mesh " + options.axis + "=" +
              std::to_string(rows) + ", ";
    return errorAt(i) << describe(func, i) << " has " << rows
                      << " rows, fewer than the " << n << " devices of axis \""
                      << llvm::join(batchAxes(), "\" and \"") << "\"; " << fewer
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

struct ApplyDataParallel
    : partopt::impl::ApplyDataParallelPassBase<ApplyDataParallel> {
  using ApplyDataParallelPassBase::ApplyDataParallelPassBase;

  void runOnOperation() override {
    ApplyDataParallelPassOptions options{axis, replicaAxis, zeroStage, name};
    if (options.zeroStage < 0 || options.zeroStage > 3) {
      getOperation().emitError()
          << "zero-stage is 0 to 3, not " << options.zeroStage;
      return signalPassFailure();
    }
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(Recipe(func, mesh, options).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyDataParallelPass(
    const ApplyDataParallelPassOptions &options) {
  return std::make_unique<ApplyDataParallel>(options);
}
