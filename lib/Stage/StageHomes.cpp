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

/// What only ops behind the loop read is made behind it, each part where its
/// parameters are.
static void sinkEarly(Operation *begin, Operation *end) {
  Operation *behind = end->getNextNode();
  for (Operation *op = begin->getPrevNode(); op;) {
    Operation *before = op->getPrevNode();
    bool isLate = !op->use_empty() && op->getNumOperands() > 0 &&
                  llvm::all_of(op->getUsers(), [&](Operation *user) {
                    Operation *top =
                        end->getBlock()->findAncestorOpInBlock(*user);
                    return end->isBeforeInBlock(top);
                  });
    if (isLate) {
      op->moveBefore(behind);
      behind = op;
    }
    op = before;
  }
}

/// The stage of an argument that is kept from step to step, where all that read
/// it run on one rank; `any`: or the first of several.
int64_t StageHomes::homeOf(BlockArgument argument, bool any) const {
  auto found = homes.find(argument);
  if (found == homes.end())
    return -1;
  int first = found->second.find_first();
  for (unsigned stage : found->second.set_bits())
    if (!any && rankOf[stage] != rankOf[first])
      return -1;
  return first;
}

void StageHomes::findHomes() {
  homes.clear();
  // Not by what is made of it behind the loop, for which a home is looked for.
  for (auto &[value, stages] :
       readers(stages(), [&](Operation *op) { return stageOf(op); }, begin)) {
    auto argument = dyn_cast<BlockArgument>(value);
    StringRef role = argument ? roleOf(argument) : "";
    if (role == "param" || role == "opt" || role == "state")
      if (stages.any())
        homes.insert({argument, stages});
  }
}

void StageHomes::findLate() {
  late.clear();
  auto stageOfValue = [&](Value value) -> int64_t {
    Operation *def = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value))
      return homeOf(argument, /*any=*/false);
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
    // Of parameters alone that several ranks have.
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && best < 0)
        best = homeOf(argument, /*any=*/true);
    if (best >= 0)
      late[op] = best;
  }
  takeReaders();
  // Broadcasts run where they are read.
  for (Operation &op : llvm::reverse(func.getBody().front()))
    if (late.contains(&op) && isa<stablehlo::BroadcastInDimOp>(op) &&
        op.hasOneUse())
      if (int64_t stage = stageOf(*op.user_begin()); stage >= 0)
        late[&op] = stage;
}

/// What is made of state alone, such as moments that decay, is made where it is
/// read, if one stage reads it.
void StageHomes::takeReaders() {
  for (Operation *op = func.getBody().front().getTerminator()->getPrevNode();
       op && op != end; op = op->getPrevNode()) {
    bool isOfState = llvm::any_of(op->getOperands(), [&](Value operand) {
      return isa<BlockArgument>(operand) ||
             late.contains(operand.getDefiningOp());
    });
    if (late.contains(op) || !isOfState)
      continue;
    int64_t stage = -1;
    bool isOne = true;
    for (Operation *user : op->getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>())
        continue;
      int64_t reader =
          stageOf(func.getBody().front().findAncestorOpInBlock(*user));
      isOne &= reader >= 0 && (stage < 0 || reader == stage);
      stage = reader;
    }
    if (isOne && stage >= 0)
      late[op] = stage;
  }
}

/// By value: which of `count` readers, as `of` numbers ops (-1: whoever needs
/// it), read it, directly or by what is made of it up to `madeUntil` (null:
/// anywhere).
llvm::DenseMap<Value, llvm::BitVector>
StageHomes::readers(int64_t count, llvm::function_ref<int64_t(Operation *)> of,
                    Operation *madeUntil) {
  llvm::DenseMap<Value, llvm::BitVector> readers;
  auto add = [&](Value value, const llvm::BitVector &set) {
    auto [known, isNew] = readers.try_emplace(value, count);
    known->second |= set;
  };
  for (Operation &op : llvm::reverse(func.getBody().front())) {
    llvm::BitVector here(count);
    if (int64_t reader = of(&op); reader >= 0) {
      here.set(reader);
    } else if (!isa<comm::LoopEndOp>(op) &&
               !op.hasTrait<OpTrait::IsTerminator>() &&
               (!madeUntil || op.isBeforeInBlock(madeUntil))) {
      for (Value result : op.getResults())
        if (auto known = readers.find(result); known != readers.end())
          here |= known->second;
    }
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        add(operand, here);
    });
  }
  return readers;
}

void StageHomes::findArgumentRanks() {
  int64_t ranks = *llvm::max_element(rankOf) + 1;
  auto read = readers(ranks, [&](Operation *op) { return rankOfOp(op); });
  for (BlockArgument argument : func.getArguments()) {
    auto &list = argumentRanks.emplace_back();
    if (auto known = read.find(argument); known != read.end())
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
  sinkEarly(homes.begin, homes.end);
  copyLateBroadcasts(homes.end);
  homes.findLate();
  // State lies where its update is, which reads gradients.
  homes.findHomes();
  homes.findLate();
  auto rankOfValue = [&](Value value) { return homes.rankOfValue(value); };
  if (groupLateSums(homes.end, rankOfValue))
    homes.findLate();
  homes.findArgumentRanks();
  homes.findResultRanks();
  if (failed(homes.checkEarly()))
    return failure();
  homes.findTransfers();
  return homes;
}
