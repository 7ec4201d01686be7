// Microbatches as an axis in time: only says so; propagation and partitioning
// find slices, accumulations and reductions.

#include "Recipe.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Strategy/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYMICROBATCHESPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class Microbatches : public Recipe {
public:
  Microbatches(func::FuncOp func, sdy::MeshOp mesh,
               const ApplyMicrobatchesPassOptions &options)
      : Recipe(func, mesh, "--microbatches"), options(options) {}

  LogicalResult run() {
    unsigned batches = 0;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (roleOf(i) != "batch")
        continue;
      ++batches;
      if (failed(annotate(i)))
        return failure();
    }
    if (batches == 0)
      return errorNoBatch(strategy);
    return success();
  }

private:
  const ApplyMicrobatchesPassOptions &options;

  LogicalResult annotate(unsigned i) {
    auto type = cast<RankedTensorType>(func.getArgument(i).getType());
    if (failed(checkHasRows(i)))
      return failure();
    int64_t parts = mesh ? partsOf(i, 0) : 1;
    int64_t rows = llvm::divideCeil(type.getDimSize(0), parts);
    if (rows < options.count)
      return errorAt(i) << describe(i) << " has "
                        << (parts > 1 ? "at most " : "") << rows << " row"
                        << (rows == 1 ? "" : "s")
                        << (parts > 1 ? " per device" : "") << ", fewer than "
                        << options.count << " microbatches; use --microbatches "
                        << std::max<int64_t>(rows, 1)
                        << " or export with a larger batch";
    if (options.batchStatistics == "micro" &&
        type.getDimSize(0) % (parts * options.count) != 0)
      return errorAt(i) << describe(i) << " has " << type.getDimSize(0)
                        << " rows, which " << parts * options.count
                        << " microbatches of all devices do not divide; with "
                           "--batch-statistics micro all have as many rows: "
                           "choose another --microbatches";
    if (options.major && type.getDimSize(0) % (parts * options.count) != 0)
      return errorAt(i) << describe(i) << " has " << type.getDimSize(0)
                        << " rows, which " << parts * options.count
                        << " microbatches of all devices do not divide; with "
                           "experts over an axis all have as many rows: choose "
                           "another --microbatches";
    Builder builder(func.getContext());
    func.setArgAttr(i, kTimeDimAttr, builder.getI64IntegerAttr(0));
    return success();
  }
};

struct ApplyMicrobatches
    : partopt::impl::ApplyMicrobatchesPassBase<ApplyMicrobatches> {
  using ApplyMicrobatchesPassBase::ApplyMicrobatchesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (count < 1)
      return;
    if (Attribute there = module->getAttr(kTimeAxesAttr)) {
      module.emitError()
          << "--microbatches: the file has axes in time already, "
          << kTimeAxesAttr << " = " << there << "; leave the option out";
      return signalPassFailure();
    }
    sdy::MeshOp mesh = sdy::getMainMesh(module);
    if (mesh && mesh.getMesh().hasAxis(axis)) {
      mesh.emitError() << "the mesh has an axis \"" << axis
                       << "\" already; name the axis of microbatches with "
                          "--axis micro=NAME";
      return signalPassFailure();
    }
    ApplyMicrobatchesPassOptions options;
    options.axis = axis;
    options.count = count;
    options.batchStatistics = batchStatistics;
    options.major = major;
    for (auto func : module.getOps<func::FuncOp>())
      if (func.isPublic() && failed(Microbatches(func, mesh, options).run()))
        return signalPassFailure();
    Builder builder(&getContext());
    module->setAttr(kTimeAxesAttr,
                    builder.getDictionaryAttr(builder.getNamedAttr(
                        axis, builder.getI64IntegerAttr(count))));
    if (!batchStatistics.empty())
      module->setAttr(kBatchStatisticsAttr,
                      builder.getStringAttr(batchStatistics));
    if (major)
      module->setAttr(kTimeMajorAttr, builder.getUnitAttr());
    if (groups > 1)
      module->setAttr(kTimeGroupsAttr, builder.getI64IntegerAttr(groups));
    if (accumulate != "full")
      module->setAttr(kAccumulateAttr, builder.getStringAttr(accumulate));
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyMicrobatchesPass(
    const ApplyMicrobatchesPassOptions &options) {
  return std::make_unique<ApplyMicrobatches>(options);
}
