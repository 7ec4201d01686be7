// See SameValues.h. Value numbering of one block, in program order.

#include "SameValues.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

#include <unordered_map>

using namespace mlir;
using namespace partopt;

SameValues::SameValues(Block &block) {
  std::unordered_map<size_t, SmallVector<Operation *, 1>> known;
  auto numberOf = [&](Value value) { return hash_value(firstOf(value)); };
  auto areSame = [&](Value a, Value b) {
    return success(firstOf(a) == firstOf(b));
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<stablehlo::OptimizationBarrierOp>(op)) {
      for (auto [operand, result] :
           llvm::zip(op.getOperands(), op.getResults()))
        first[result] = firstOf(operand);
      continue;
    }
    if (!isMemoryEffectFree(&op))
      continue;
    size_t hash = OperationEquivalence::computeHash(
        &op, numberOf, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    SmallVector<Operation *, 1> &alike = known[hash];
    auto *same = llvm::find_if(alike, [&](Operation *other) {
      return OperationEquivalence::isEquivalentTo(
          other, &op, areSame, /*markEquivalent=*/nullptr,
          OperationEquivalence::IgnoreLocations);
    });
    if (same == alike.end())
      alike.push_back(&op);
    else
      for (auto [result, before] :
           llvm::zip(op.getResults(), (*same)->getResults()))
        first[result] = before;
  }
}

DenseSet<Value> SameValues::firstOf(const DenseSet<Value> &values) const {
  DenseSet<Value> firsts;
  for (Value value : values)
    firsts.insert(firstOf(value));
  return firsts;
}
