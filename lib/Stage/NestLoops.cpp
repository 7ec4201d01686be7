// See NestLoops.h.

#include "NestLoops.h"

#include "dialects/Comm/Comm.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt;

static void nest(comm::LoopBeginOp begin, comm::LoopEndOp end) {
  OpBuilder builder(begin);
  auto loop = builder.create<comm::LoopOp>(
      begin.getLoc(), end.getResultTypes(), begin.getAxisAttr(),
      begin.getTripsAttr(), begin.getInits());
  loop->setDiscardableAttrs(begin->getDiscardableAttrDictionary());
  Block &body = loop.getBody().emplaceBlock();
  for (Value value : begin.getResults())
    value.replaceAllUsesWith(body.addArgument(value.getType(), value.getLoc()));
  body.getOperations().splice(body.end(), begin->getBlock()->getOperations(),
                              std::next(begin->getIterator()),
                              end->getIterator());
  builder.setInsertionPointToEnd(&body);
  builder.create<comm::YieldOp>(end.getLoc(), end.getNexts());
  end.replaceAllUsesWith(loop);
  end.erase();
  begin.erase();
}

void partopt::nestInnerLoops(func::FuncOp func) {
  SmallVector<comm::LoopBeginOp> open;
  for (Operation &op : llvm::make_early_inc_range(
           func.getBody().front().without_terminator())) {
    if (auto begin = dyn_cast<comm::LoopBeginOp>(op))
      open.push_back(begin);
    auto end = dyn_cast<comm::LoopEndOp>(op);
    if (!end)
      continue;
    comm::LoopBeginOp begin = open.pop_back_val();
    if (!open.empty())
      nest(begin, end);
  }
}

static void flatten(comm::LoopOp loop) {
  OpBuilder builder(loop);
  Block &body = loop.getBody().front();
  auto begin = builder.create<comm::LoopBeginOp>(
      loop.getLoc(), body.getArgumentTypes(), loop.getAxisAttr(),
      loop.getTripsAttr(), loop.getInits());
  begin->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(body.getArguments(), begin.getResults()))
    from.replaceAllUsesWith(to);
  auto yield = cast<comm::YieldOp>(body.getTerminator());
  auto end = builder.create<comm::LoopEndOp>(
      yield.getLoc(), loop.getResultTypes(), yield.getNexts());
  loop->getBlock()->getOperations().splice(end->getIterator(),
                                           body.getOperations(), body.begin(),
                                           yield->getIterator());
  loop.replaceAllUsesWith(end);
  loop.erase();
}

void partopt::flattenLoops(func::FuncOp func) {
  SmallVector<comm::LoopOp> loops;
  func.walk<WalkOrder::PreOrder>(
      [&](comm::LoopOp loop) { loops.push_back(loop); });
  // Outer loops first: inner ones are in their block then.
  for (comm::LoopOp loop : loops)
    flatten(loop);
}
