//===- UpdateOrder.cpp - When state may be updated ------------------------===//
//
// See UpdateOrder.h.
//
//===----------------------------------------------------------------------===//

#include "UpdateOrder.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/ShapeOps.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/UnitAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

Value partopt::viewed(Value value) {
  while (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// Kernels, views and gathers of updated shards.
static bool maySpread(Operation *op) {
  return isa<func::CallOp, stablehlo::ReshapeOp>(op) ||
         (isa<comm::AllGatherOp>(op) && !op->hasAttr(kStorageGatherAttr));
}

UpdateOrder::UpdateOrder(func::FuncOp function) {
  Block &block = function.getBody().front();
  Operation *terminator = block.getTerminator();
  for (BlockArgument argument : function.getArguments())
    if (std::optional<unsigned> next =
            nextResultOf(function, argument.getArgNumber()))
      takes[viewed(terminator->getOperand(*next))] = {
          argument, isDonated(function, argument.getArgNumber())};
  finals.insert(terminator);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (maySpread(&op) && llvm::all_of(op.getUsers(), [&](Operation *user) {
          return finals.contains(user);
        }))
      finals.insert(&op);
}

/// A kernel that computes the next value of an argument, and nothing but next
/// values.
bool UpdateOrder::isUpdate(Operation *op) const {
  return isa<func::CallOp>(op) && finals.contains(op) &&
         llvm::any_of(op->getResults(),
                      [&](Value result) { return takes.contains(result); });
}

void UpdateOrder::state(ArrayRef<Operation *> steps,
                        ScheduleProblem &problem) const {
  llvm::DenseMap<Value, SmallVector<unsigned>> readers; // of arguments
  for (auto [i, op] : llvm::enumerate(steps))
    for (Value operand : op->getOperands())
      if (Value source = viewed(operand); isa<BlockArgument>(source))
        readers[source].push_back(i);
  for (auto [i, op] : llvm::enumerate(steps)) {
    ScheduleStep &step = problem.steps[i];
    bool eager = isUpdate(op);
    if (!eager && !isa<comm::AllGatherOp>(op))
      continue;
    std::vector<unsigned> needs = step.needs;
    for (Value result : op->getResults()) {
      auto taken = takes.find(result);
      if (taken == takes.end() || !taken->second.isOverwritten)
        continue;
      for (unsigned reader : readers.lookup(taken->second.argument))
        if (reader < i)
          needs.push_back(reader);
        else if (reader > i)
          eager = false; // it is computed into memory of its own
    }
    llvm::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    step.eager = eager;
    if (eager || step.isCollective)
      step.needs = std::move(needs);
  }
}
