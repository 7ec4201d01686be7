//===- MoveLateOps.cpp - What waits for collectives comes last ------------===//
//
// Anchors are what other ranks or the outside may wait for, and what they are
// computed from. Only what is no anchor moves.
//
//===----------------------------------------------------------------------===//

#include "MoveLateOps.h"

#include "dialects/Comm/Comm.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace partopt;

namespace {

bool isMessage(Operation *op) { return isa<comm::SendOp, comm::RecvOp>(op); }

class LateOps {
public:
  explicit LateOps(Block &block) : block(block) {}
  void move() {
    findAnchors();
    findLate();
    SmallVector<Operation *> moved;
    for (Operation &op : block)
      if (late.contains(&op))
        moved.push_back(&op);
    for (Operation *op : moved)
      op->moveBefore(block.getTerminator());
  }

private:
  void findAnchors();
  void findLate();

  Block &block;
  llvm::DenseSet<Operation *> anchors, late;
};

void LateOps::findAnchors() {
  bool isBehind = true, messagesStay = false;
  for (Operation &op : llvm::reverse(block)) {
    isBehind &= !isa<comm::LoopEndOp>(op);
    bool anchor = isMessage(&op) ? messagesStay || !isBehind
                                 : isa<comm::CollectiveOpInterface>(op) ||
                                       !(isMemoryEffectFree(&op) ||
                                         op.hasTrait<OpTrait::IsTerminator>());
    for (Operation *user : op.getUsers())
      anchor |= anchors.contains(block.findAncestorOpInBlock(*user));
    if (!anchor)
      continue;
    anchors.insert(&op);
    messagesStay |= isMessage(&op);
  }
}

void LateOps::findLate() {
  bool messageMoves = false;
  for (Operation &op : block) {
    if (messageMoves && isMessage(&op))
      late.insert(&op);
    bool isLate = late.contains(&op);
    messageMoves |= isLate && isMessage(&op);
    if (!isLate && (!isa<comm::CollectiveOpInterface>(op) || isMessage(&op)))
      continue;
    for (Operation *user : op.getUsers())
      if (Operation *reader = block.findAncestorOpInBlock(*user);
          !anchors.contains(reader) && reader != block.getTerminator())
        late.insert(reader);
  }
}

} // namespace

void partopt::moveLateOps(Block &block) { LateOps(block).move(); }
