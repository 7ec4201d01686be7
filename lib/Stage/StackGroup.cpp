// See StackGroup.h.

#include "StackGroup.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/StageAttributes.h"

using namespace mlir;
using namespace partopt;

StageReaders::StageReaders(func::FuncOp func) : block(&func.getBody().front()) {
  int64_t depth = 0;
  Operation *outer = nullptr;
  for (Operation &op : *block) {
    if (isa<comm::LoopBeginOp>(op) && depth++ == 0)
      outer = &op;
    if (auto stage = op.getAttrOfType<IntegerAttr>(kStageAttr)) {
      stages = std::max(stages, stage.getInt() + 1);
      begin = outer;
    }
    if (isa<comm::LoopEndOp>(op) && --depth == 0 && begin && !end)
      end = &op;
  }
}

bool StageReaders::isInLoop(Operation *op) const {
  Operation *own = block->findAncestorOpInBlock(*op);
  return begin && own && !own->isBeforeInBlock(begin) &&
         !end->isBeforeInBlock(own);
}

const llvm::SmallBitVector &StageReaders::of(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  llvm::SmallBitVector set(unsigned(stages), false);
  for (Operation *user : value.getUsers()) {
    Operation *own = block->findAncestorOpInBlock(*user);
    if (auto stage = own->getAttrOfType<IntegerAttr>(kStageAttr))
      set.set(unsigned(stage.getInt()));
    else if (begin && own != begin && own->isBeforeInBlock(end))
      for (Value result : own->getResults())
        set |= of(result);
  }
  return known.try_emplace(value, std::move(set)).first->second;
}

void StackGroup::hinder(Operation *op, StringRef text) {
  if (hindering)
    return;
  hindering = op;
  why = text;
}

void StackGroup::visit(Value value) {
  if (members.insert(value))
    work.push_back(value);
}

/// Its rows are stored as they are, and its next value has them too.
void StackGroup::visitArgument(BlockArgument argument) {
  if (argument.getOwner() != &func.getBody().front())
    return hinder(argument.getOwner()->getParentOp(), "computes with it");
  unsigned number = argument.getArgNumber();
  StringRef role = roleOf(argument);
  if (role != "param" && role != "opt" && role != "state")
    hinder(func, "reads an argument beside it that is no state");
  auto global = func.getArgAttrOfType<TypeAttr>(number, "partopt.global_type");
  auto whole = global ? dyn_cast<RankedTensorType>(global.getValue())
                      : cast<RankedTensorType>(argument.getType());
  sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
  if (!whole || whole.getDimSize(0) != numRows ||
      (sharding && !sharding.getDimShardings().front().getAxes().empty()))
    hinder(func, "stores its rows on several devices");
  if (std::optional<unsigned> next = nextResultOf(func, number))
    visit(func.front().getTerminator()->getOperand(*next));
}

void StackGroup::visitResult(unsigned number) {
  auto isNext = [&](BlockArgument argument) {
    return nextResultOf(func, argument.getArgNumber()) == number;
  };
  for (BlockArgument argument : func.getArguments())
    if (isNext(argument))
      visit(argument);
}

void StackGroup::visitMaker(Operation *op) {
  if (readers.isInLoop(op))
    return hinder(op, "makes all rows in the loop over microbatches");
  if (assemblesRows(op))
    return;
  std::optional<SmallVector<unsigned>> operands = rowOperandsOf(op);
  if (!operands)
    return hinder(op, "does not make it row by row");
  for (unsigned operand : *operands) {
    Value value = op->getOperand(operand);
    Operation *def = value.getDefiningOp();
    if (!def || !canMakeAnyRows(def))
      visit(value);
  }
}

void StackGroup::visitUse(OpOperand &use) {
  Operation *op = use.getOwner();
  if (op == func.front().getTerminator())
    return visitResult(use.getOperandNumber());
  if (slicedRows(op)) {
    slices.insert(op);
    return;
  }
  if (op->getBlock() != &func.front() || readers.isInLoop(op))
    return hinder(op, "reads all rows for one microbatch");
  if (foldsRows(op) && use.getOperandNumber() == 0)
    return;
  std::optional<SmallVector<unsigned>> operands = rowOperandsOf(op);
  if (!operands || !llvm::is_contained(*operands, use.getOperandNumber()))
    return hinder(op, "does not go through it row by row");
  for (Value result : op->getResults())
    visit(result);
}

/// A cut wherever other stages read the next row.
void StackGroup::findParts() {
  SmallVector<llvm::SmallBitVector> users(
      size_t(numRows), llvm::SmallBitVector(readers.numStages(), false));
  for (Operation *slice : slices) {
    RowRange read = *slicedRows(slice);
    for (int64_t row = read.begin; row < read.end; ++row)
      users[size_t(row)] |= readers.of(slice->getResult(0));
  }
  // Rows that nobody reads go with those before them.
  const llvm::SmallBitVector *last = nullptr;
  ranges.push_back({0, 0});
  for (int64_t row = 0; row < numRows; ++row) {
    const llvm::SmallBitVector &here = users[size_t(row)];
    if (last && here.any() && here != *last)
      ranges.push_back({row, row});
    if (here.any())
      last = &here;
    ranges.back().end = row + 1;
  }
  for (Operation *slice : slices)
    if (llvm::none_of(ranges, [&](RowRange range) {
          return range.contains(*slicedRows(slice));
        }))
      hinder(slice, "reads rows of several stages");
}

StackGroup StackGroup::around(BlockArgument argument, func::FuncOp func,
                              StageReaders &readers) {
  StackGroup group(func, readers, rowsOf(argument));
  group.visit(argument);
  while (!group.work.empty()) {
    Value value = group.work.pop_back_val();
    if (auto other = dyn_cast<BlockArgument>(value))
      group.visitArgument(other);
    else
      group.visitMaker(value.getDefiningOp());
    for (OpOperand &use : value.getUses())
      group.visitUse(use);
  }
  group.findParts();
  return group;
}
