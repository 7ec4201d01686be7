// The data-parallel recipes: the batch is split, and parameters and optimizer
// state are replicated (ddp) or stored in shards (zero1 to zero3, hsdp).
// Propagation and partitioning find the gradient reductions and the gathers by
// themselves.

#include "Recipe.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/Layers.h"
#include "partopt/Strategy/Passes.h"
#include "partopt/Support/Warnings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYDATAPARALLELPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class DataParallel : public Recipe {
public:
  DataParallel(func::FuncOp func, sdy::MeshOp mesh,
               const ApplyDataParallelPassOptions &options)
      : Recipe(func, mesh, options.name), options(options) {
    if (!options.replicaAxis.empty())
      batchAxes.push_back(options.replicaAxis);
    batchAxes.push_back(options.axis);
    if (!options.innerAxis.empty())
      batchAxes.push_back(options.innerAxis);
  }

  LogicalResult run() {
    for (StringRef axis : batchAxes)
      if (failed(requireAxis(axis, "splits the batch",
                             axis == options.axis        ? "data"
                             : axis == options.innerAxis ? "ep"
                                                         : "replica")))
        return failure();
    if (failed(checkArguments(batchAxes)))
      return failure();
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (failed(annotateArgument(i)))
        return failure();
    if (numBatches == 0)
      return errorNoBatch("strategy " + options.name);
    if (options.zeroStage > 0 && numStored == 0)
      return refuseNothingStored();
    annotateResults();
    noteChoice();
    return success();
  }

private:
  const ApplyDataParallelPassOptions &options;
  SmallVector<StringRef, 2> batchAxes; ///< outermost first
  unsigned numBatches = 0, numStored = 0, numWhole = 0;

  bool isStored(StringRef role) const {
    return (role == "opt" && options.zeroStage >= 1) ||
           (role == "param" && options.zeroStage == 3);
  }

  void noteChoice() {
    std::string text = "the rows of the batch are split over \"" +
                       llvm::join(batchAxes, "\" and \"") + "\"; ";
    if (options.zeroStage == 0)
      text += "parameters and optimizer state are whole on every device";
    else
      text += std::to_string(numStored) +
              (options.zeroStage == 3 ? " parameters and arrays" : " arrays") +
              " of optimizer state are stored in " +
              std::to_string(sizeOf(options.axis)) + " shards over \"" +
              options.axis + "\"";
    if (numWhole > 0)
      text += ", " + std::to_string(numWhole) +
              (numWhole == 1 ? " is whole: it has no dimension with"
                             : " are whole: they have no dimension with") +
              " a row per device";
    addNote(func, "data-parallel", text);
  }

  LogicalResult refuseNothingStored() {
    bool all = options.zeroStage == 3;
    return func.emitError()
           << "strategy " << options.name
           << " stores optimizer state in shards, but no argument has a role "
              "that it shards ("
           << (all ? "'param' or 'opt'" : "'opt'")
           << ") and a dimension of at least " << sizeOf(options.axis)
           << "; name them with --arg-role 'REGEX=opt', or use --strategy "
           << (all ? "ddp" : "zero3 or ddp");
  }

  /// The dimension that an argument is stored in shards along, -1 where none
  /// has a row per device. One that no other axis cuts; the first one that
  /// divides, since gathers along outer dimensions are contiguous; else the one
  /// that leaves the least padding. The rows of a stack are gathered one by
  /// one, so each is cut, if it can be.
  int64_t storedDim(unsigned argument) {
    auto type = cast<RankedTensorType>(func.getArgument(argument).getType());
    int64_t shards = sizeOf(options.axis), best = -1;
    std::tuple<bool, bool, double> bestRank;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      int64_t parts = partsOf(argument, dim);
      int64_t size = llvm::divideCeil(extent, parts);
      if (size < shards)
        continue;
      double fill = double(size) / double(llvm::alignTo(size, shards));
      std::tuple<bool, bool, double> rank(dim > 0 || !isStack(argument),
                                          parts == 1, fill);
      if (best < 0 || rank > bestRank) {
        best = dim;
        bestRank = rank;
      }
    }
    return best;
  }

  /// Each row belongs to another layer of the model.
  bool isStack(unsigned argument) {
    auto layer = func.getArgAttrOfType<StringAttr>(argument, kLayerAttr);
    return layer && layer.getValue().ends_with(kEveryRow);
  }

  LogicalResult annotateArgument(unsigned i) {
    StringRef role = roleOf(i);
    if (role == "batch") {
      ++numBatches;
      if (failed(checkBatch(i)))
        return failure();
      SmallVector<sdy::AxisRefAttr> refs;
      for (StringRef axis : batchAxes)
        refs.push_back(axisRef(axis));
      addAxes(i, 0, refs);
      return success();
    }
    // What is computed with in parts is not stored in parts of these.
    bool isSplit = computesOver(i, options.axis);
    int64_t dim = isStored(role) && !isSplit ? storedDim(i) : -1;
    addAxes(i, dim, axisRef(options.axis));
    if (dim < 0) {
      numWhole += isStored(role) && !isSplit;
      return success();
    }
    ++numStored;
    // The batch takes the axis in every op that uses the parameter, or should:
    // how a parameter is stored says nothing of how it is computed with.
    if (role == "param")
      setStorage(i, options.axis, kStoreOver);
    return success();
  }

  LogicalResult checkBatch(unsigned i) {
    auto type = cast<RankedTensorType>(func.getArgument(i).getType());
    if (failed(checkHasRows(i)))
      return failure();
    int64_t n = 1, rows = type.getDimSize(0);
    for (StringRef axis : batchAxes)
      n *= sizeOf(axis);
    if (rows >= n)
      return success();
    std::string fewer;
    if (rows > 0 && batchAxes.size() == 1)
      fewer = "use at most --mesh " + options.axis + "=" +
              std::to_string(rows) + ", ";
    else if (rows > 0)
      fewer = "use at most " + std::to_string(rows) +
              " devices on these axes together, ";
    return errorAt(i) << describe(i) << " has " << rows
                      << " rows, fewer than the " << n << " devices of axis \""
                      << llvm::join(batchAxes, "\" and \"") << "\"; " << fewer
                      << "export with a larger batch, or split the model "
                         "over another axis";
  }
};

struct ApplyDataParallel
    : partopt::impl::ApplyDataParallelPassBase<ApplyDataParallel> {
  using ApplyDataParallelPassBase::ApplyDataParallelPassBase;

  void runOnOperation() override {
    ApplyDataParallelPassOptions options{axis, replicaAxis, innerAxis,
                                         zeroStage, name};
    if (options.zeroStage < 0 || options.zeroStage > 3) {
      getOperation().emitError()
          << "zero-stage is 0 to 3, not " << options.zeroStage;
      return signalPassFailure();
    }
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(DataParallel(func, mesh, options).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyDataParallelPass(
    const ApplyDataParallelPassOptions &options) {
  return std::make_unique<ApplyDataParallel>(options);
}
