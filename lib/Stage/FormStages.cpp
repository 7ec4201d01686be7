// partopt-form-stages: the program of all stages becomes one program per rank
// of the pipeline.

#include "RankProgram.h"

#include "partopt/Stage/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_FORMSTAGES
#include "partopt/Stage/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Stages of the chain, from the ops' attributes.
int64_t countStages(func::FuncOp func) {
  int64_t stages = 0;
  for (Operation &op : func.getBody().front())
    if (auto stage = op.getAttrOfType<IntegerAttr>(kStageAttr))
      stages = std::max(stages, stage.getInt() + 1);
  return stages;
}

struct FormStagesPass : partopt::impl::FormStagesBase<FormStagesPass> {
  using FormStagesBase::FormStagesBase;

  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!func.isExternal() && func.isPublic() && failed(form(func)))
        return signalPassFailure();
  }

  /// Which rank runs each stage: around, or down and up again.
  FailureOr<SmallVector<int64_t>> place(func::FuncOp func) {
    int64_t stages = countStages(func);
    if (ranks < 1 || stages % ranks != 0 || (upAndDown && stages != 2 * ranks))
      return func.emitError() << "has " << stages << " pipeline stages, which "
                              << ranks.getValue() << " ranks cannot run"
                              << (upAndDown ? " two each" : " equally many of");
    SmallVector<int64_t> rankOf;
    for (int64_t stage = 0; stage < stages; ++stage)
      rankOf.push_back(upAndDown && stage >= ranks ? stages - 1 - stage
                                                   : stage % ranks);
    return rankOf;
  }

  /// Parameters that several ranks have.
  static void noteCopies(func::FuncOp func, const StageHomes &homes) {
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      ArrayRef<int64_t> ranks = homes.ranksOf(argument);
      std::optional<unsigned> next = nextResultOf(func, i);
      if (roleOf(argument) != "param" || ranks.size() < 2)
        continue;
      std::string text;
      llvm::raw_string_ostream out(text);
      auto name = func.getArgAttrOfType<StringAttr>(i, "partopt.name");
      auto number = func.getArgAttrOfType<IntegerAttr>(i, kArgumentNumberAttr);
      out << "argument " << (number ? number.getInt() : int64_t(i));
      if (name)
        out << " (" << name.getValue() << ")";
      out << " is on ranks ";
      llvm::interleaveComma(ranks, out);
      int64_t owner = next
                          ? homes.rankOfValue(
                                func.front().getTerminator()->getOperand(*next))
                          : -1;
      if (owner >= 0)
        out << ": rank " << owner
            << " updates it and sends the others its new value";
      addNote(func.getOperation(), "stage-copies", out.str());
    }
  }

  LogicalResult form(func::FuncOp func) {
    FailureOr<SmallVector<int64_t>> rankOf = place(func);
    if (failed(rankOf))
      return failure();
    FailureOr<StageHomes> homes = StageHomes::find(func, *rankOf, fused);
    if (failed(homes))
      return failure();
    Builder builder(func.getContext());
    auto group = comm::AxesAttr::get(func.getContext(),
                                     builder.getStringAttr(axis), {1}, {ranks});
    for (int64_t rank = ranks - 1; rank >= 0; --rank)
      makeRankProgram(func, *homes, rank, group);
    numTransfers += homes->transfers().size();
    noteCopies(func, *homes);
    func.erase();
    return success();
  }
};

} // namespace
