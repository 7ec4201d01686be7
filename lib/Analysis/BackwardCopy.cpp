// See BackwardCopy.h.

#include "partopt/Analysis/BackwardCopy.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace partopt;

namespace {

class Copier {
public:
  Copier(Operation *op, llvm::function_ref<bool(Operation *)> isForward)
      : origin(op), block(*op->getBlock()), isForward(isForward) {}

  BackwardCopy run();

private:
  Operation *userIn(OpOperand &use) {
    return block.findAncestorOpInBlock(*use.getOwner());
  }
  void findUses(Value value);
  Value copyOf(Value value, OpBuilder &builder);

  Operation *origin;
  Block &block;
  llvm::function_ref<bool(Operation *)> isForward;
  SmallVector<OpOperand *> backwardUses;
  llvm::DenseMap<Value, Value> copies;
  BackwardCopy made;
};

void Copier::findUses(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = userIn(use);
    if (!isForward(user)) {
      backwardUses.push_back(&use);
      continue;
    }
    made.usedForward = true;
    if (user == use.getOwner() && user->getNumOperands() == 1 &&
        user->getNumResults() == 1 && user->getNumRegions() == 0 &&
        isMemoryEffectFree(user))
      findUses(user->getResult(0));
  }
}

Value Copier::copyOf(Value value, OpBuilder &builder) {
  if (Value known = copies.lookup(value))
    return known;
  Operation *def = value.getDefiningOp();
  Value operand = def == origin ? Value() : copyOf(def->getOperand(0), builder);
  Operation *clone = builder.clone(*def);
  if (def == origin) {
    made.copy = clone;
  } else {
    clone->setOperand(0, operand);
    made.derived.push_back(clone);
  }
  return copies[value] = clone->getResult(0);
}

BackwardCopy Copier::run() {
  findUses(origin->getResult(0));
  if (!made.usedForward || backwardUses.empty())
    return made;
  Operation *first = userIn(*backwardUses.front());
  for (OpOperand *use : backwardUses)
    if (Operation *user = userIn(*use); user->isBeforeInBlock(first))
      first = user;
  OpBuilder builder(first);
  for (OpOperand *use : backwardUses)
    use->set(copyOf(use->get(), builder));
  return made;
}

} // namespace

BackwardCopy
partopt::copyForBackward(Operation *op,
                         llvm::function_ref<bool(Operation *)> isForward) {
  return Copier(op, isForward).run();
}
