//===- VerifyContracts.cpp - What optimise and schedule promise -----------===//
//
// The exit contracts of the two phases, checked without trusting their passes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Comm/Comm.h"

#include "partopt/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_VERIFYOPTIMISED
#define GEN_PASS_DEF_VERIFYSCHEDULED
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Calls `check` on every collective until one fails.
LogicalResult forEachCollective(
    func::FuncOp function,
    llvm::function_ref<LogicalResult(comm::CollectiveOpInterface)> check) {
  return failure(function
                     .walk([&](comm::CollectiveOpInterface op) {
                       return failed(check(op)) ? WalkResult::interrupt()
                                                : WalkResult::advance();
                     })
                     .wasInterrupted());
}

struct VerifyOptimisedPass
    : public partopt::impl::VerifyOptimisedBase<VerifyOptimisedPass> {
  void runOnOperation() override {
    auto check = [](comm::CollectiveOpInterface op) -> LogicalResult {
      if (op.isStart())
        return op.emitOpError("is started before the schedule phase");
      if (!op.isContiguous())
        return op.emitOpError("does not move contiguous blocks");
      return success();
    };
    if (failed(forEachCollective(getOperation(), check)))
      signalPassFailure();
  }
};

struct VerifyScheduledPass
    : public partopt::impl::VerifyScheduledBase<VerifyScheduledPass> {
  void runOnOperation() override {
    auto check = [](comm::CollectiveOpInterface op) -> LogicalResult {
      if (!op.isStart())
        return op.emitOpError("is not split into a start and a wait");
      for (Value result : op->getResults())
        if (!result.hasOneUse() || !isa<comm::WaitOp>(*result.user_begin()))
          return op.emitOpError("needs exactly one comm.wait");
      return success();
    };
    if (failed(forEachCollective(getOperation(), check)))
      signalPassFailure();
  }
};

} // namespace
