//===- LoopOps.cpp - The bounds of loops over axes in time ----------------===//
//
// What plan.loop_begin and plan.loop_end touch, and their local checks.
//
//===----------------------------------------------------------------------===//

#include "dialects/Plan/Plan.h"

using namespace mlir;
using namespace partopt::planir;

SmallVector<Value> LoopBeginOp::getReadBuffers() { return getInits(); }
SmallVector<Value> LoopBeginOp::getWrittenBuffers() {
  SmallVector<Value> written{getIndex()};
  llvm::append_range(written, getCarried());
  return written;
}

SmallVector<Value> LoopEndOp::getReadBuffers() { return getNexts(); }
SmallVector<Value> LoopEndOp::getWrittenBuffers() { return getCarried(); }

static uint64_t bytesOf(Value buffer) {
  return buffer.getDefiningOp<BufferOp>().getBytes();
}

/// What a loop copies has the size of where it goes.
static LogicalResult verifyCarried(Operation *op, ValueRange sources,
                                   ValueRange carried) {
  if (sources.size() != carried.size())
    return op->emitOpError() << "has " << sources.size() << " values for "
                             << carried.size() << " carried buffers";
  for (auto [source, target] : llvm::zip_equal(sources, carried))
    if (bytesOf(source) != bytesOf(target))
      return op->emitOpError() << "copies " << bytesOf(source)
                               << " bytes to a buffer of " << bytesOf(target);
  return success();
}

LogicalResult LoopBeginOp::verify() {
  if (int64_t(getTrips()) < 1)
    return emitOpError() << "runs " << int64_t(getTrips())
                         << " times, expected at least 1";
  if (bytesOf(getIndex()) != 4)
    return emitOpError() << "writes 4 bytes to a buffer of "
                         << bytesOf(getIndex());
  return verifyCarried(*this, getInits(), getCarried());
}

LogicalResult LoopEndOp::verify() {
  return verifyCarried(*this, getNexts(), getCarried());
}
