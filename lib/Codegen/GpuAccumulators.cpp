// Accumulators of several folds that one thread has: how they start, grow, meet
// those of other threads and become results.
#include "EmitGpu.h"

#include "partopt/Analysis/LocalLowering.h"

using namespace mlir;

namespace partopt::codegen {

LogicalResult GpuEmitter::startValues(ElementScope &scope, Items items,
                                      Values &out) {
  for (unsigned i : items) {
    const Item &item = plan.items[i];
    SmallVector<Value> start;
    if (std::optional<Combiner> combiner = item.fold.combiner) {
      for (Value result : item.results()) {
        Type type = tensorOf(result).getElementType();
        start.push_back(computeConstant(builder, scope.loc, type,
                                        combinerIdentity(type, *combiner)));
      }
    } else if (failed(item.fold.init(scope, item.op, start))) {
      return failure();
    }
    out.append(start.begin(), start.end());
  }
  return success();
}

LogicalResult GpuEmitter::addTerms(ElementScope &scope, Items items,
                                   ArrayRef<Index> at, Values &accumulators) {
  size_t next = 0;
  for (unsigned i : items) {
    const Item &item = plan.items[i];
    size_t count = item.results().size();
    SmallVector<Value> terms, combined;
    scope.loc = item.op->getLoc();
    if (failed(item.fold.terms(scope, item.op, at, terms)) ||
        failed(item.fold.combine(scope, item.op,
                                 ArrayRef(accumulators).slice(next, count),
                                 terms, combined)))
      return failure();
    llvm::copy(combined, accumulators.begin() + next);
    next += count;
  }
  return success();
}

LogicalResult GpuEmitter::merge(ElementScope &scope, Items items,
                                ValueRange accumulators, ValueRange others,
                                Values &out) {
  size_t next = 0;
  for (unsigned i : items) {
    const Item &item = plan.items[i];
    size_t count = item.results().size();
    auto combine = item.fold.merge ? item.fold.merge : item.fold.combine;
    SmallVector<Value> combined;
    ElementScope inner(&scope);
    if (failed(combine(inner, item.op, accumulators.slice(next, count),
                       others.slice(next, count), combined)))
      return failure();
    out.append(combined.begin(), combined.end());
    next += count;
  }
  return success();
}

/// Partial results that started from an identity meet the initial value once.
LogicalResult GpuEmitter::finish(ElementScope &scope, Items items,
                                 ArrayRef<Index> kept,
                                 ValueRange accumulators) {
  size_t next = 0;
  for (unsigned i : items) {
    const Item &item = plan.items[i];
    size_t count = item.results().size();
    SmallVector<Value> totals(accumulators.slice(next, count));
    if (item.fold.combiner) {
      SmallVector<Value> init, combined;
      if (failed(item.fold.init(scope, item.op, init)) ||
          failed(item.fold.combine(scope, item.op, init, totals, combined)))
        return failure();
      totals = combined;
    }
    for (auto [result, total] : llvm::zip(item.results(), totals)) {
      Type type = tensorOf(result).getElementType();
      store(scope, places.lookup(result), type, kept,
            roundToElement(builder, scope.loc, type, total));
    }
    next += count;
  }
  return success();
}

} // namespace partopt::codegen
