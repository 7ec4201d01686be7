// Flattens the call graph: callees are finished before their callers, so each
// call is replaced by a copy of a body that holds no call any more.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_INLINECALLSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

// `value` under a sharding constraint, or `value` if there is no sharding.
Value constrain(OpBuilder &builder, Location loc, Value value,
                sdy::TensorShardingAttr sharding) {
  if (!sharding)
    return value;
  return builder.create<sdy::ShardingConstraintOp>(loc, value, sharding);
}

class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols(module) {}

  /// Leaves no call in `func`; false after an error.
  LogicalResult flatten(func::FuncOp func);
  unsigned numInlined = 0;

private:
  LogicalResult resolve(func::CallOp call, func::FuncOp &callee);
  void inlineCall(func::CallOp call, func::FuncOp callee);

  SymbolTable symbols;
  llvm::DenseSet<Operation *> done;
  // The calls that led here, outermost first.
  SmallVector<std::pair<func::FuncOp, Location>> active;
};

LogicalResult Inliner::resolve(func::CallOp call, func::FuncOp &callee) {
  callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee)
    return call.emitOpError() << "calls @" << call.getCallee()
                              << ", which the module does not define";
  if (callee.isExternal())
    return call.emitOpError()
           << "calls @" << call.getCallee() << ", which has no body";
  if (!callee.getBody().hasOneBlock())
    return call.emitOpError()
           << "calls @" << call.getCallee() << ", which has "
           << callee.getBody().getBlocks().size()
           << " blocks, but control flow between blocks is not supported";
  return success();
}

LogicalResult Inliner::flatten(func::FuncOp func) {
  if (done.contains(func))
    return success();
  SmallVector<func::CallOp> calls;
  func.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    func::FuncOp callee;
    if (failed(resolve(call, callee)))
      return failure();
    active.emplace_back(func, call.getLoc());
    for (auto &[caller, loc] : active)
      if (caller == callee) {
        InFlightDiagnostic diag = call.emitOpError()
                                  << "calls @" << callee.getSymName()
                                  << " recursively, which is not supported";
        for (auto &[other, otherLoc] : active)
          diag.attachNote(otherLoc) << "call in @" << other.getSymName();
        return diag;
      }
    if (failed(flatten(callee)))
      return failure();
    active.pop_back();
    inlineCall(call, callee);
  }
  done.insert(func);
  return success();
}

void Inliner::inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  Location callLoc = call.getLoc();
  IRMapping mapping;
  for (auto [index, arg] : llvm::enumerate(callee.getArguments()))
    mapping.map(arg, constrain(builder, callLoc, call.getOperand(index),
                               callee.getArgAttrOfType<sdy::TensorShardingAttr>(
                                   index, sdy::kShardingAttr)));
  for (Operation &op : callee.front().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](Operation *inner) {
      inner->setLoc(CallSiteLoc::get(inner->getLoc(), callLoc));
    });
  }
  auto onCall =
      call->getAttrOfType<sdy::TensorShardingPerValueAttr>(sdy::kShardingAttr);
  for (auto [index, returned] :
       llvm::enumerate(callee.front().getTerminator()->getOperands())) {
    Value value = constrain(builder, callLoc, mapping.lookup(returned),
                            callee.getResultAttrOfType<sdy::TensorShardingAttr>(
                                index, sdy::kShardingAttr));
    if (onCall && index < static_cast<size_t>(onCall.size()))
      value = constrain(builder, callLoc, value, onCall.getSharding(index));
    call.getResult(index).replaceAllUsesWith(value);
  }
  call.erase();
  ++numInlined;
}

struct InlineCallsPass : impl::InlineCallsPassBase<InlineCallsPass> {
  using InlineCallsPassBase::InlineCallsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto entryOp = module.lookupSymbol<func::FuncOp>(entry);
    if (!entryOp) {
      module.emitError() << "the module has no function @" << entry;
      return signalPassFailure();
    }
    Inliner inliner(module);
    if (failed(inliner.flatten(entryOp)))
      return signalPassFailure();
    numInlined += inliner.numInlined;
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (func != entryOp)
        func.erase();
  }
};

} // namespace
} // namespace partopt
