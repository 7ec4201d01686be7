// See StageHomes.h. In the loop the cut decides; behind it an op runs where
// most of the bytes that it reads are, so that parameters, their state and
// gradients stay where they are and scalars move.

#include "StageHomes.h"

#include "LateSums.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/OpCost.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

#include "llvm/ADT/BitVector.h"
#include <map>

using namespace mlir;
using namespace partopt;

int64_t Segment::place(int64_t stages) const {
  if (part == 'F')
    return 2 * stage;
  return 2 * (2 * stages - 1 - stage) + (part == 'W');
}

std::optional<Segment> StageHomes::segmentOf(Operation *op) const {
  auto stage = op->getAttrOfType<IntegerAttr>(kStageAttr);
  auto part = op->getAttrOfType<StringAttr>(kStagePartAttr);
  if (!stage || !part)
    return std::nullopt;
  char letter = part.getValue().front();
  if (fused && letter != 'F')
    letter = 'B';
  return Segment{stage.getInt(), letter};
}

int64_t StageHomes::stageOf(Operation *op) const {
  if (auto segment = segmentOf(op))
    return segment->stage;
  auto found = late.find(op);
  return found == late.end() ? -1 : found->second;
}

Segment StageHomes::writerOf(unsigned i) const {
  Operation *def = end->getOperand(i).getDefiningOp();
  std::optional<Segment> segment = def ? segmentOf(def) : std::nullopt;
  // What no iteration changes.
  return segment.value_or(Segment{0, 'F'});
}

int64_t StageHomes::rankOfValue(Value value) const {
  Operation *def = value.getDefiningOp();
  if (!def)
    return -1;
  if (def == end)
    return rankOf[writerOf(cast<OpResult>(value).getResultNumber()).stage];
  return rankOfOp(def);
}

/// What moves instead of `value`.
static Value sourceOf(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  return value;
}

void StageHomes::findLate() {
  late.clear();
  auto stageOfValue = [&](Value value) -> int64_t {
    Operation *def = value.getDefiningOp();
    if (!def)
      return -1;
    if (def == end)
      return writerOf(cast<OpResult>(value).getResultNumber()).stage;
    return stageOf(def);
  };
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode()) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      break;
    std::map<int64_t, int64_t> bytes; // by stage
    for (Value operand : op->getOperands())
      if (int64_t stage = stageOfValue(operand); stage >= 0)
        bytes[stage] += tensorBytes(sourceOf(operand).getType());
    int64_t best = -1;
    for (auto [stage, size] : bytes)
      if (best < 0 || size > bytes[best])
        best = stage;
    if (best >= 0)
      late[op] = best;
  }
  // Broadcasts run where they are read.
  for (Operation &op : llvm::reverse(func.getBody().front()))
    if (late.contains(&op) && isa<stablehlo::BroadcastInDimOp>(op) &&
        op.hasOneUse())
      if (int64_t stage = stageOf(*op.user_begin()); stage >= 0)
        late[&op] = stage;
}

/// An argument is wherever an op reads it that runs there, directly or by what
/// is made of it in front of the loop.
void StageHomes::findArgumentRanks() {
  Block &block = func.getBody().front();
  int64_t ranks = *llvm::max_element(rankOf) + 1;
  llvm::DenseMap<Value, llvm::BitVector> readers;
  auto add = [&](Value value, const llvm::BitVector &set) {
    auto [known, isNew] = readers.try_emplace(value, ranks);
    known->second |= set;
  };
  for (Operation &op : llvm::reverse(block)) {
    llvm::BitVector here(ranks);
    if (int64_t rank = rankOfOp(&op); rank >= 0) {
      here.set(rank);
    } else if (!isa<comm::LoopEndOp>(op) &&
               !op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value result : op.getResults())
        if (auto known = readers.find(result); known != readers.end())
          here |= known->second;
    }
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        add(operand, here);
    });
  }
  for (BlockArgument argument : block.getArguments()) {
    auto &list = argumentRanks.emplace_back();
    if (auto known = readers.find(argument); known != readers.end())
      llvm::append_range(list, known->second.set_bits());
  }
}

/// What ranks make for themselves in front of the loop brings the parameters
/// along that it is made of.
LogicalResult StageHomes::checkEarly() {
  llvm::DenseMap<Value, Value> parameter; // the first that a value is made of
  auto isParameter = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && roleOf(argument) == "param";
  };
  for (Operation &op : func.getBody().front()) {
    if (&op == begin)
      return success();
    Value made;
    for (Value operand : op.getOperands()) {
      Value of = isParameter(operand) ? operand : parameter.lookup(operand);
      if (!of)
        continue;
      if (made && made != of &&
          ranksOf(cast<BlockArgument>(made)) !=
              ranksOf(cast<BlockArgument>(of)))
        return op.emitError(
            "is made of parameters of several pipeline stages in front of the "
            "microbatches; compute it from gradients' or layers' own parts, or "
            "leave out pp");
      made = of;
    }
    for (Value result : op.getResults())
      parameter[result] = made;
  }
  return success();
}

void StageHomes::addTransfer(Value value, int64_t to, const Segment *reader) {
  auto [known, isNew] = moveOf.insert({{value, to}, unsigned(moves.size())});
  if (isNew) {
    Transfer move;
    move.value = value;
    move.from = rankOfValue(value);
    move.to = to;
    move.channel = int64_t(moves.size());
    if (reader)
      move.reader = *reader;
    moves.push_back(move);
    return;
  }
  if (!reader)
    return;
  Segment &first = moves[known->second].reader;
  bool isOne = *reader == first;
  if (reader->place(stages()) < first.place(stages()))
    first = *reader;
  // Nothing waits for a weight's gradient: what a lower stage reads too comes
  // with the input's, which is before both.
  if (!isOne && first.part == 'W')
    first.part = 'I';
}

void StageHomes::findTransfers() {
  Block &block = func.getBody().front();
  for (Operation &op : block.without_terminator()) {
    int64_t to = rankOfOp(&op);
    if (to < 0)
      continue;
    std::optional<Segment> reader = segmentOf(&op);
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (int64_t from = rankOfValue(operand); from >= 0 && from != to)
          addTransfer(operand, to, reader ? &*reader : nullptr);
    });
  }
  // The next value of an argument that several ranks have.
  Operation *terminator = block.getTerminator();
  for (BlockArgument argument : block.getArguments()) {
    std::optional<unsigned> result =
        nextResultOf(func, argument.getArgNumber());
    if (!result)
      continue;
    Value next = terminator->getOperand(*result);
    int64_t from = rankOfValue(next);
    for (int64_t to : ranksOf(argument))
      if (from >= 0 && from != to)
        addTransfer(next, to, nullptr);
  }
}

FailureOr<StageHomes> StageHomes::find(func::FuncOp func,
                                       ArrayRef<int64_t> rankOf, bool fused) {
  StageHomes homes;
  homes.func = func;
  homes.rankOf.assign(rankOf.begin(), rankOf.end());
  homes.fused = fused;
  int64_t depth = 0;
  comm::LoopBeginOp outer;
  bool isCut = false;
  for (Operation &op : func.getBody().front()) {
    if (auto begin = dyn_cast<comm::LoopBeginOp>(op))
      if (depth++ == 0)
        outer = begin;
    isCut |= depth > 0 && homes.segmentOf(&op).has_value();
    auto end = dyn_cast<comm::LoopEndOp>(op);
    if (end && --depth == 0 && isCut && !homes.begin) {
      homes.begin = outer;
      homes.end = end;
    }
  }
  if (!homes.begin)
    return func.emitError("has no loop whose ops have stages; run "
                          "partopt-cut-stages before partopt-form-stages");
  copyLateBroadcasts(homes.end);
  homes.findLate();
  auto rankOfValue = [&](Value value) { return homes.rankOfValue(value); };
  if (groupLateSums(homes.end, rankOfValue))
    homes.findLate();
  homes.findArgumentRanks();
  if (failed(homes.checkEarly()))
    return failure();
  homes.findTransfers();
  return homes;
}
