// partopt-merge-units: what a wrap unit's parameters need moves in one
// collective each way. Groups are formed in program order; an op that a member
// needs or that needs a member is moved out of the group's way.

#include "GradientCollectives.h"
#include "MergeCollectives.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Analysis/Layers.h"
#include "partopt/Schedule/Passes.h"
#include "partopt/Support/UnitAttributes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_MERGEUNITS
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Collectives that become one, in program order.
struct Group {
  SmallVector<Operation *> members;
  bool isGather = false; ///< merges at the first member, not at the last
};

class UnitMerger {
public:
  explicit UnitMerger(func::FuncOp func)
      : func(func), block(func.getBody().front()) {}

  void run() {
    llvm::MapVector<Operation *, ParameterMove> moves =
        findParameterMoves(func);
    number();
    for (auto &[op, move] : moves)
      collect(op, move);
    for (auto &[key, list] : groups)
      for (Group &group : list)
        merge(group);
  }

  unsigned merged = 0, members = 0;

private:
  void number() {
    int64_t next = 0, current = 0;
    for (Operation &op : block) {
      place[&op] = next++;
      current += isa<comm::LoopBeginOp>(op);
      section[&op] = current;
      current += isa<comm::LoopEndOp>(op);
    }
  }
  std::string unitOf(const ParameterMove &move);
  void collect(Operation *op, const ParameterMove &move);
  bool dependsOn(Operation *op, const Group &group);
  bool canHoist(Operation *op, Operation *before,
                SmallVectorImpl<Operation *> &moved);
  void merge(Group &group);

  func::FuncOp func;
  Block &block;
  /// Places at the beginning; ops that have moved keep theirs.
  llvm::DenseMap<Operation *, int64_t> place;
  /// What runs once per iteration does not mix with what runs once.
  llvm::DenseMap<Operation *, int64_t> section;
  llvm::MapVector<ArrayAttr, SmallVector<Group, 1>> groups;
};

std::string UnitMerger::unitOf(const ParameterMove &move) {
  auto attr = func.getArgAttrOfType<StringAttr>(move.argument, kWrapUnitAttr);
  if (!attr)
    return "";
  std::string unit = attr.getValue().str();
  if (size_t star = unit.find(kEveryRow); star != unit.npos && move.row >= 0)
    unit.replace(star, 1, std::to_string(move.row));
  return unit;
}

/// Adds the op to the last group of its unit and kind, or to a new one where it
/// depends on that group's members.
void UnitMerger::collect(Operation *op, const ParameterMove &move) {
  std::string unit = unitOf(move);
  auto collective = cast<comm::CollectiveOpInterface>(op);
  if (unit.empty() || isa<comm::AllReduceOp>(op) || !collective.isContiguous())
    return;
  Builder builder(op->getContext());
  auto orUnit = [&](Attribute attr) {
    return attr ? attr : builder.getUnitAttr();
  };
  ArrayAttr key = builder.getArrayAttr(
      {builder.getStringAttr(unit), builder.getI64IntegerAttr(move.kind),
       builder.getI64IntegerAttr(section.lookup(op)), collective.getAxes(),
       TypeAttr::get(collective.getValueType(0).getElementType()),
       orUnit(op->getAttr(kStorageGatherAttr))});
  op->setAttr(kWrapUnitAttr, builder.getStringAttr(unit));
  SmallVector<Group, 1> &list = groups[key];
  if (list.empty() || dependsOn(op, list.back()))
    list.push_back({{}, move.kind == ParameterMove::Gather});
  list.back().members.push_back(op);
}

/// Only ops between the first member and `op` can connect them.
bool UnitMerger::dependsOn(Operation *op, const Group &group) {
  int64_t first = place.lookup(group.members.front());
  llvm::SmallDenseSet<Operation *, 16> seen;
  SmallVector<Operation *> work{op};
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || place.lookup(def) < first || !seen.insert(def).second)
        continue;
      if (llvm::is_contained(group.members, def))
        return true;
      work.push_back(def);
    }
  return false;
}

/// Collects what `op` needs that stands behind `before`, in program order;
/// false where one of these is a collective or bounds a loop.
bool UnitMerger::canHoist(Operation *op, Operation *before,
                          SmallVectorImpl<Operation *> &moved) {
  llvm::SmallDenseSet<Operation *, 8> seen;
  SmallVector<Operation *> work{op};
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || def->isBeforeInBlock(before) || !seen.insert(def).second)
        continue;
      if (isa<comm::CollectiveOpInterface, comm::LoopBeginOp, comm::LoopEndOp>(
              def))
        return false;
      work.push_back(def);
    }
  moved.assign(seen.begin(), seen.end());
  llvm::sort(moved,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return true;
}

void UnitMerger::merge(Group &group) {
  SmallVector<Operation *> list;
  if (group.isGather) {
    Operation *first = group.members.front();
    for (Operation *member : group.members) {
      SmallVector<Operation *> moved;
      if (member != first && !canHoist(member, first, moved))
        continue;
      for (Operation *op : moved)
        op->moveBefore(first);
      list.push_back(member);
    }
  } else {
    // What depends on the members gathers behind the last one.
    list = group.members;
    llvm::SmallPtrSet<Operation *, 16> dependent(list.begin(), list.end());
    SmallVector<Operation *> moved;
    Operation *last = list.back();
    for (Operation *op = list.front(); op != last; op = op->getNextNode()) {
      bool isMember = dependent.contains(op);
      bool needs = llvm::any_of(op->getOperands(), [&](Value operand) {
        return dependent.contains(operand.getDefiningOp());
      });
      if (isMember || !needs)
        continue;
      dependent.insert(op);
      moved.push_back(op);
    }
    for (Operation *op : llvm::reverse(moved))
      op->moveAfter(last);
  }
  Operation *place = group.isGather ? list.front() : list.back();
  StringRef unit =
      list.front()->getAttrOfType<StringAttr>(kWrapUnitAttr).getValue();
  ++merged;
  members += list.size();
  mergeCollectives(list, place,
                   "unit " + unit.str() + ", " + std::to_string(list.size()) +
                       (list.size() == 1 ? " tensor" : " tensors"));
}

struct MergeUnitsPass : public partopt::impl::MergeUnitsBase<MergeUnitsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    for (auto op :
         function.getBody().front().getOps<comm::CollectiveOpInterface>())
      if (op.isStart()) {
        op.emitOpError("is started already; run partopt-merge-units before");
        return signalPassFailure();
      }
    UnitMerger merger(function);
    merger.run();
    merged += merger.merged;
    members += merger.members;
  }
};

} // namespace
