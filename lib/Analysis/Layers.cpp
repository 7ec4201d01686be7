// See Layers.h. Parameters in the order of their first use form a sequence;
// where it repeats, ops in front of a copy's first parameter belong to the copy
// as far as the other copies have the same ones.

#include "LayerFinder.h"

#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Support/ArgumentRole.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

/// Ops that hand on the elements of one operand.
static bool isView(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::ConvertOp,
             stablehlo::BroadcastInDimOp, sdy::ShardingConstraintOp,
             sdy::ReshardOp>(op);
}

/// The op that computes `value`, behind annotations.
static Operation *definition(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isa<sdy::SdyDialect>(op->getDialect()) &&
         op->getNumOperands() == 1)
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// The row of dimension 0 that the op takes of its operand, or -1.
static int64_t rowOf(Operation *op) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice)
    return -1;
  auto from = cast<RankedTensorType>(slice.getOperand().getType());
  auto to = cast<RankedTensorType>(slice.getType());
  if (from.getRank() < 2 || from.getDimSize(0) < 2 || to.getDimSize(0) != 1 ||
      from.getShape().drop_front() != to.getShape().drop_front())
    return -1;
  return slice.getStartIndices()[0];
}

LayerFinder::LayerFinder(func::FuncOp func, const TrainingStep &step,
                         Layers &result)
    : func(func), block(func.getBody().front()), step(step), result(result) {}

void LayerFinder::run() {
  result.facts.resize(func.getNumArguments());
  collectOps();
  collectPieces();
  segment(0, pieces.size());
  applyGiven();
  placeOps();
  collectReaders();
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    collectFacts(i);
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    for (unsigned state : step.updateOf(i).states)
      stateBelongsTo(state, i);
}

void LayerFinder::collectOps() {
  llvm::DenseSet<Operation *> cheap;
  for (Operation &op : block.without_terminator()) {
    if (isCheapOp(&op, cheap)) {
      cheap.insert(&op);
      continue;
    }
    if (!step.isForward(&op) || isa<sdy::SdyDialect>(op.getDialect()))
      continue;
    place[&op] = ops.size();
    ops.push_back(&op);
  }
}

std::string LayerFinder::nameOf(unsigned argument) {
  auto name = func.getArgAttrOfType<StringAttr>(argument, "partopt.name");
  return name ? name.getValue().str() : "";
}

/// The forward ops that read `value`, through what only hands it on, in program
/// order, with the operand.
void LayerFinder::readsOf(Value value, SmallVectorImpl<OpOperand *> &reads) {
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<OpOperand *, 8> seen;
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      if (!user || user == block.getTerminator() || !step.isForward(user) ||
          !seen.insert(&use).second)
        continue;
      if (user == use.getOwner() && isView(user))
        work.push_back(user->getResult(0));
      else if (place.contains(user))
        reads.push_back(&use);
    }
  llvm::sort(reads, [&](OpOperand *a, OpOperand *b) {
    return std::pair(placeOf(a), a->getOperandNumber()) <
           std::pair(placeOf(b), b->getOperandNumber());
  });
}

int64_t LayerFinder::placeOf(OpOperand *use) {
  return place.lookup(block.findAncestorOpInBlock(*use->getOwner()));
}

void LayerFinder::collectPieces() {
  for (BlockArgument argument : block.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (roleOf(func, index) != "param")
      continue;
    SmallVector<OpOperand *> reads;
    readsOf(argument, reads);
    llvm::SmallDenseSet<int64_t> rows;
    for (OpOperand *use : reads)
      rows.insert(rowOf(use->getOwner()));
    if (reads.empty())
      continue;
    if (rows.size() < 2 || rows.contains(-1)) {
      addPiece({index, -1}, reads);
      continue;
    }
    result.facts[index].isStacked = true;
    std::map<int64_t, SmallVector<OpOperand *>> readsOfRow;
    for (OpOperand *use : reads)
      readsOf(use->getOwner()->getResult(0),
              readsOfRow[rowOf(use->getOwner())]);
    for (auto &[row, list] : readsOfRow)
      if (!list.empty())
        addPiece({index, row}, list);
  }
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tuple(a.firstUse, a.id.argument, a.id.row) <
           std::tuple(b.firstUse, b.id.argument, b.id.row);
  });
  for (const Piece &piece : pieces)
    keys.push_back(piece.key);
}

void LayerFinder::addPiece(ParameterPiece id, ArrayRef<OpOperand *> reads) {
  Piece piece;
  piece.id = id;
  auto type = cast<RankedTensorType>(block.getArgument(id.argument).getType());
  ArrayRef<int64_t> shape = type.getShape().drop_front(id.row >= 0);
  piece.isMatrix = shape.size() >= 2;
  piece.bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : shape)
    piece.bytes *= extent;
  SmallVector<const void *> key{
      RankedTensorType::get(shape, type.getElementType()).getAsOpaquePointer()};
  for (OpOperand *use : reads) {
    Operation *user = use->getOwner();
    piece.reads.push_back(block.findAncestorOpInBlock(*user));
    key.push_back(user->getName().getAsOpaquePointer());
    key.push_back(use->get().getType().getAsOpaquePointer());
    key.push_back(user->getPropertiesAsAttribute().getAsOpaquePointer());
    key.push_back(
        reinterpret_cast<const void *>(uintptr_t(use->getOperandNumber())));
    for (Type one : user->getResultTypes())
      key.push_back(one.getAsOpaquePointer());
  }
  piece.firstUse = placeOf(reads.front());
  piece.key = keyNumber
                  .insert({std::vector<const void *>(key.begin(), key.end()),
                           unsigned(keyNumber.size())})
                  .first->second;
  pieces.push_back(std::move(piece));
}

/// How many copies, from the first on, depend each on the one before: side by
/// side, as the weights of queries, keys and values are, copies are no layers.
unsigned LayerFinder::chainedCopies(const Repeat &repeat) {
  for (unsigned copy = 0; copy + 1 < repeat.copies; ++copy) {
    unsigned begin = repeat.begin + copy * repeat.period;
    unsigned middle = begin + repeat.period, end = middle + repeat.period;
    llvm::DenseSet<Operation *> after;
    for (unsigned i = begin; i < middle; ++i)
      after.insert(pieces[i].reads.front());
    int64_t last = pieces[end - 1].firstUse;
    for (int64_t at = pieces[begin].firstUse; at <= last; ++at)
      if (!after.contains(ops[at]) &&
          llvm::any_of(ops[at]->getOperands(), [&](Value operand) {
            return after.contains(definition(operand));
          }))
        after.insert(ops[at]);
    bool follows = false;
    for (unsigned i = middle; i < end; ++i)
      follows |= after.contains(pieces[i].reads.front()) &&
                 pieces[i].firstUse > pieces[middle - 1].firstUse;
    if (!follows)
      return copy + 1;
  }
  return repeat.copies;
}

void LayerFinder::segment(unsigned first, unsigned last) {
  if (first == last)
    return;
  std::optional<Repeat> repeat = findRepeat(
      keys, first, last, [&](const Repeat &one) { return chainedCopies(one); });
  if (!repeat)
    return plainRun(first, last);
  repeat->begin += bestShift(*repeat);
  segment(first, repeat->begin);
  repeatedRun(*repeat);
  segment(repeat->end(), last);
}

/// Of the rotations of a repeat the first in which every copy has names of one
/// numbered part; 0 where none has.
unsigned LayerFinder::bestShift(const Repeat &repeat) {
  for (unsigned shift = 0; shift <= repeat.slack; ++shift) {
    Repeat moved = repeat;
    moved.begin += shift;
    bool isNamed = true;
    for (unsigned copy = 0; copy < moved.copies && isNamed; ++copy) {
      std::string ignored;
      isNamed = !copyName(moved, copy, ignored).empty();
    }
    if (isNamed && chainedCopies(moved) == moved.copies)
      return shift;
  }
  return 0;
}

/// The name that the parameters of a copy share; else empty, and in `others`
/// the names that they have.
std::string LayerFinder::copyName(const Repeat &repeat, unsigned copy,
                                  std::string &others) {
  llvm::SmallVector<std::string> names;
  unsigned begin = repeat.begin + copy * repeat.period;
  for (unsigned i = begin; i < begin + repeat.period; ++i) {
    std::string name = numberedNameOf(pieces[i]);
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  if (names.size() == 1)
    return names[0];
  for (const std::string &name : names)
    if (!name.empty())
      others += (others.empty() ? "" : ", ") + name;
  return "";
}

std::string LayerFinder::numberedNameOf(const Piece &piece) {
  std::string name = nameOf(piece.id.argument);
  if (piece.id.row < 0)
    return numberedPart(name);
  return firstWord(name) + "." + std::to_string(piece.id.row);
}

unsigned LayerFinder::newLayer(StringRef name, int64_t start) {
  starts.push_back(start);
  result.layers.emplace_back().name = name.str();
  return result.layers.size() - 1;
}

void LayerFinder::repeatedRun(const Repeat &repeat) {
  SmallVector<std::string> names, others(repeat.copies);
  bool isNamed = true;
  for (unsigned copy = 0; copy < repeat.copies; ++copy) {
    names.push_back(copyName(repeat, copy, others[copy]));
    isNamed &= !names.back().empty() && llvm::count(names, names.back()) == 1;
  }
  int64_t front = opsInFront(repeat);
  for (unsigned copy = 0; copy < repeat.copies; ++copy) {
    unsigned begin = repeat.begin + copy * repeat.period;
    std::string name = names[copy];
    if (!isNamed)
      name = "layer" + std::to_string(numUnnamed++);
    unsigned layer = newLayer(name, pieces[begin].firstUse - front);
    result.layers[layer].isRepeated = true;
    if (!isNamed && !others[copy].empty())
      result.layers[layer].note =
          "names say " + others[copy] + ", the ops repeat otherwise";
    for (unsigned i = begin; i < begin + repeat.period; ++i)
      pieces[i].layer = layer;
  }
  // What comes behind starts where the last copy ends as the others do.
  int64_t length = starts.back() - starts[starts.size() - 2];
  for (int64_t at = starts.back(); length > 0; ++at, --length)
    if (at >= int64_t(ops.size()) ||
        !isAlike(ops[at],
                 ops[at - (starts.back() - starts[starts.size() - 2])]))
      break;
  if (length == 0)
    behind = 2 * starts.back() - starts[starts.size() - 2];
}

/// How many ops in front of the first use of each copy's first parameter belong
/// to the copy: as many as all copies have alike, cut where the fewest values
/// cross, and nearest to the parameter of such places.
int64_t LayerFinder::opsInFront(const Repeat &repeat) {
  auto start = [&](unsigned copy) {
    return pieces[repeat.begin + copy * repeat.period].firstUse;
  };
  int64_t most = std::min(start(1) - start(0), start(0));
  for (unsigned copy = 0; copy + 1 < repeat.copies; ++copy) {
    int64_t same = 0;
    while (same < most && isAlike(ops[start(copy) - same - 1],
                                  ops[start(copy + 1) - same - 1]))
      ++same;
    most = same;
  }
  // Values that cross a cut in front of the second copy, by its distance; first
  // as differences between neighbours.
  std::vector<int64_t> crossing(most + 2, 0);
  int64_t end = std::min<int64_t>(start(1) + (start(1) - start(0)), ops.size());
  llvm::DenseMap<int64_t, int64_t> lastUse; // by place
  for (int64_t at = start(0); at < end; ++at)
    for (Value operand : ops[at]->getOperands())
      if (auto def = place.find(definition(operand)); def != place.end())
        lastUse[def->second] = at;
  for (auto [at, use] : lastUse) {
    // It crosses the cuts behind it, up to the one in front of its last use.
    int64_t from = std::max<int64_t>(start(1) - use, 0);
    int64_t to = std::min(start(1) - at - 1, most);
    if (from > to || ofParameterAlone(ops[at]))
      continue;
    ++crossing[from];
    --crossing[to + 1];
  }
  for (int64_t back = 1; back <= most; ++back)
    crossing[back] += crossing[back - 1];
  crossing.pop_back();
  return std::min_element(crossing.begin(), crossing.end()) - crossing.begin();
}

bool LayerFinder::ofParameterAlone(Operation *op) {
  while (isView(op) || rowOf(op) >= 0) {
    Operation *def = op->getOperand(0).getDefiningOp();
    if (!def)
      return true;
    op = def;
  }
  return false;
}

bool LayerFinder::isAlike(Operation *a, Operation *b) {
  return a->getName() == b->getName() &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
         a->getResultTypes() == b->getResultTypes() &&
         a->getOperandTypes() == b->getOperandTypes();
}

Layers::Layers(func::FuncOp func, const TrainingStep &step) {
  LayerFinder(func, step, *this).run();
}

std::optional<unsigned> Layers::layerOf(Operation *op) const {
  auto found = ofOp.find(op);
  if (found == ofOp.end())
    return std::nullopt;
  return found->second;
}

std::string Layers::layerText(unsigned argument) const {
  const ArgumentFacts &about = facts[argument];
  if (about.layers.empty())
    return "";
  StringRef name = layers[about.layers.front()].name;
  if (!about.isStacked)
    return name.str();
  // "layers.0" to "layers.47" are written once.
  StringRef prefix = name.rsplit('.').first;
  for (unsigned layer : about.layers)
    if (StringRef(layers[layer].name).rsplit('.').first != prefix)
      return "";
  return prefix.str() + "." + kEveryRow.str();
}
