// Takes all of sdy out of a module: what stays is the program of one device.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_DROPSHARDINGSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

bool isIdentity(Operation *op) {
  return isa<sdy::ShardingConstraintOp, sdy::ReshardOp,
             sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
             sdy::FuncDataFlowEdgeOp, sdy::CollectiveOpInterface>(op);
}

void dropAttributes(Operation *op) {
  MLIRContext *context = op->getContext();
  op->removeAttr(sdy::kShardingAttr);
  op->removeAttr(sdy::kShardingRuleAttr);
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return;
  auto name = StringAttr::get(context, sdy::kShardingAttr);
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    func.removeArgAttr(i, name);
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    func.removeResultAttr(i, name);
}

struct DropShardingsPass : impl::DropShardingsPassBase<DropShardingsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      dropAttributes(op);
      if (isIdentity(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      } else if (isa<sdy::MeshOp, sdy::ShardingGroupOp>(op)) {
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace partopt
