// partopt-split-stacks: a stacked parameter becomes one for each run of rows
// that a stage uses, and so does all that goes row by row with it.

#include "RankProgram.h"
#include "StackGroup.h"

#include "partopt/Stage/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/StageAttributes.h"
#include "partopt/Support/Warnings.h"

#include "llvm/ADT/DenseSet.h"
#include <map>
#include <vector>

namespace partopt {
#define GEN_PASS_DEF_SPLITSTACKS
#include "partopt/Stage/Passes.h.inc"
} // namespace partopt

using namespace mlir;
using namespace partopt;

namespace {

/// Rewrites one group whose parts are known.
class StackSplitter {
public:
  StackSplitter(func::FuncOp func, const StackGroup &group)
      : func(func), group(group), builder(func.getContext()) {}

  void run();
  unsigned arguments() const { return numArguments; }

private:
  using Parts = SmallVector<Value>;

  void splitArgument(BlockArgument argument);
  void splitOp(Operation *op);
  void splitUses(Value value);
  void splitResults();
  const Parts &partsOf(Value value);
  DictionaryAttr ofPart(DictionaryAttr attributes, RowRange rows);

  func::FuncOp func;
  const StackGroup &group;
  OpBuilder builder;
  llvm::DenseMap<Value, Parts> parts;
  unsigned numArguments = 0;
};

DictionaryAttr StackSplitter::ofPart(DictionaryAttr attributes, RowRange rows) {
  NamedAttrList list(attributes);
  list.set(
      kFirstRowAttr,
      IntegerAttr::get(IntegerType::get(func.getContext(), 64), rows.begin));
  return list.getDictionary(func.getContext());
}

static Type typeOfRows(Type type, RowRange rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.front() = rows.size();
  return tensor.clone(shape);
}

/// The parts stand behind it; it goes when all its uses are split.
void StackSplitter::splitArgument(BlockArgument argument) {
  ++numArguments;
  DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
  Parts &made = parts[argument];
  for (auto [i, rows] : llvm::enumerate(group.parts())) {
    unsigned at = argument.getArgNumber() + 1 + unsigned(i);
    func.insertArgument(at, typeOfRows(argument.getType(), rows),
                        ofPart(attributes, rows), argument.getLoc());
    made.push_back(func.getArgument(at));
  }
}

const StackSplitter::Parts &StackSplitter::partsOf(Value value) {
  auto [known, isNew] = parts.try_emplace(value);
  if (!isNew)
    return known->second;
  // What is made for any rows stands where it is made for all.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Parts made;
  for (RowRange rows : group.parts())
    made.push_back(makeRows(builder, value, rows));
  return parts[value] = std::move(made);
}

void StackSplitter::splitOp(Operation *op) {
  builder.setInsertionPoint(op);
  bool isAssembled = assemblesRows(op);
  SmallVector<unsigned> rowOperands;
  if (!isAssembled)
    rowOperands = *rowOperandsOf(op);
  SmallVector<Parts> made(op->getNumResults());
  for (auto [i, rows] : llvm::enumerate(group.parts())) {
    if (isAssembled) {
      made.front().push_back(assembleRows(builder, op, rows));
      continue;
    }
    SmallVector<Value> operands(op->getOperands());
    for (unsigned number : rowOperands)
      operands[number] = partsOf(op->getOperand(number))[i];
    Operation *part = cloneForRows(builder, op, operands, rows.size());
    for (auto [of, result] : llvm::zip_equal(made, part->getResults()))
      of.push_back(result);
  }
  for (auto [of, result] : llvm::zip_equal(made, op->getResults()))
    parts[result] = std::move(of);
}

/// What reads some rows or folds all of them is no part of the group.
void StackSplitter::splitUses(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    builder.setInsertionPoint(user);
    if (std::optional<RowRange> read = slicedRows(user)) {
      size_t part = 0;
      while (!group.parts()[part].contains(*read))
        ++part;
      int64_t begin = group.parts()[part].begin;
      Value whole = partsOf(value)[part];
      Value rows = sliceRows(builder, user->getLoc(), whole,
                             {read->begin - begin, read->end - begin});
      if (rows != whole)
        rows.getDefiningOp()->setDiscardableAttrs(
            user->getDiscardableAttrDictionary());
      user->getResult(0).replaceAllUsesWith(rows);
      user->erase();
    } else if (foldsRows(user)) {
      user->getResult(0).replaceAllUsesWith(
          foldParts(builder, user, partsOf(value)));
      user->erase();
    }
  }
}

void StackSplitter::splitResults() {
  Operation *terminator = func.front().getTerminator();
  for (unsigned i = 0; i < terminator->getNumOperands(); ++i) {
    Value value = terminator->getOperand(i);
    if (!group.values().contains(value))
      continue;
    DictionaryAttr attributes = func.getResultAttrDict(i);
    func.eraseResult(i);
    for (auto [k, rows] : llvm::enumerate(group.parts()))
      func.insertResult(i + unsigned(k), typeOfRows(value.getType(), rows),
                        ofPart(attributes, rows));
    const Parts &own = partsOf(value);
    SmallVector<Value> operands(terminator->getOperands());
    operands.erase(operands.begin() + i);
    operands.insert(operands.begin() + i, own.begin(), own.end());
    terminator->setOperands(operands);
    i += unsigned(own.size()) - 1;
  }
}

void StackSplitter::run() {
  llvm::SetVector<Operation *> ops;
  SmallVector<BlockArgument> whole;
  for (Value value : group.values())
    if (auto argument = dyn_cast<BlockArgument>(value))
      whole.push_back(argument);
    else
      ops.insert(value.getDefiningOp());
  for (BlockArgument argument : whole)
    splitArgument(argument);
  SmallVector<Operation *> ordered(ops.getArrayRef());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    splitOp(op);
  for (Value value : group.values())
    splitUses(value);
  splitResults();
  for (Operation *op : llvm::reverse(ordered))
    op->erase();
  for (BlockArgument argument : whole)
    func.eraseArgument(argument.getArgNumber());
}

struct SplitStacksPass : partopt::impl::SplitStacksBase<SplitStacksPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    // All are found before numbers of results mean other results.
    std::vector<StackGroup> groups = findGroups(func);
    if (groups.empty())
      return;
    // Which results kNextResultAttr and kAliasingAttr mean meanwhile.
    numberSignature(func);
    for (const StackGroup &group : groups) {
      StackSplitter splitter(func, group);
      splitter.run();
      numStacks += splitter.arguments();
    }
    connectNextValues(func);
  }

  /// Those that can be taken apart; they have no member in common.
  static std::vector<StackGroup> findGroups(func::FuncOp func) {
    StageReaders readers(func);
    std::vector<StackGroup> groups;
    llvm::DenseSet<Value> seen;
    for (BlockArgument argument : func.getArguments()) {
      if (seen.contains(argument) || roleOf(argument) != "param" ||
          rowsOf(argument) < 2)
        continue;
      StackGroup group = StackGroup::around(argument, func, readers);
      seen.insert(group.values().begin(), group.values().end());
      if (group.parts().size() < 2)
        continue;
      if (group.obstacle())
        noteWhole(func, argument, group);
      else
        groups.push_back(std::move(group));
    }
    return groups;
  }

  static void noteWhole(func::FuncOp func, BlockArgument argument,
                        const StackGroup &group) {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "argument " << argument.getArgNumber();
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      "partopt.name"))
      out << " (" << name.getValue() << ")";
    out << ", rows of which several pipeline stages use, lies whole with one "
           "of them: '"
        << group.obstacle()->getName().getStringRef() << "' here "
        << group.reason();
    addNote(group.obstacle(), "stage-stacks", out.str());
  }

  /// Parts follow parts of the same rows.
  static void connectNextValues(func::FuncOp func) {
    std::map<std::pair<int64_t, int64_t>, unsigned> place;
    auto firstRow = [](IntegerAttr first) {
      return first ? first.getInt() : 0;
    };
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      place[{
          func.getResultAttrOfType<IntegerAttr>(i, kResultNumberAttr).getInt(),
          firstRow(func.getResultAttrOfType<IntegerAttr>(i, kFirstRowAttr))}] =
          i;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      for (StringRef key : {kAliasingAttr, kNextResultAttr}) {
        auto old = func.getArgAttrOfType<IntegerAttr>(i, key);
        if (!old || old.getInt() < 0)
          continue;
        int64_t first =
            firstRow(func.getArgAttrOfType<IntegerAttr>(i, kFirstRowAttr));
        func.setArgAttr(
            i, key,
            IntegerAttr::get(old.getType(), place.at({old.getInt(), first})));
      }
  }
};

} // namespace
