// See RankProgram.h. The whole function is copied; then what other ranks do is
// replaced by what is received of it, the loop is taken apart into segments,
// and what nobody needs any more goes.

#include "RankProgram.h"

#include "NestLoops.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Support/NextValues.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace partopt;

namespace {

class RankProgram {
public:
  RankProgram(func::FuncOp func, const StageHomes &homes, int64_t rank,
              comm::AxesAttr axis)
      : original(func), homes(homes), rank(rank), axis(axis),
        builder(func.getContext()) {}

  func::FuncOp make();

private:
  Operation *copyOf(Operation *op) { return copies.lookup(op); }
  void copy();
  void addSends();
  void addReceives();
  void dropForeign();
  void splitLoop();
  void emitSegment(const Segment &segment, IRMapping &mapping);
  void copyFree(Operation *op, IRMapping &mapping,
                llvm::DenseSet<Operation *> &here);
  void eraseLoop(comm::LoopBeginOp begin, Operation *end);
  void eraseUnused();
  void dropSignature();
  void mark(Operation *op, const Segment &segment);

  func::FuncOp original, func;
  const StageHomes &homes;
  int64_t rank;
  comm::AxesAttr axis;
  OpBuilder builder;
  llvm::DenseMap<Operation *, Operation *> copies;
  comm::LoopBeginOp begin;
  comm::LoopEndOp end;
  /// By number of what the old loop carried: what is behind the new ones.
  llvm::DenseMap<unsigned, Value> finals;
  llvm::BitVector droppedResults;
};

void RankProgram::copy() {
  IRMapping mapping;
  func = original.clone(mapping);
  func.setName((original.getName() + "_rank" + Twine(rank)).str());
  original->getBlock()->getOperations().insertAfter(original->getIterator(),
                                                    func);
  for (auto [from, to] :
       llvm::zip_equal(original.getBody().front(), func.getBody().front()))
    copies[&from] = &to;
  begin = cast<comm::LoopBeginOp>(copyOf(homes.begin));
  end = cast<comm::LoopEndOp>(copyOf(homes.end));
}

void RankProgram::mark(Operation *op, const Segment &segment) {
  if (segment.stage < 0)
    return;
  op->setAttr(kStageAttr, builder.getI64IntegerAttr(segment.stage));
  op->setAttr(kStagePartAttr,
              builder.getStringAttr(StringRef(&segment.part, 1)));
}

/// Behind what makes the value, in the same segment.
void RankProgram::addSends() {
  for (const Transfer &move : homes.transfers()) {
    if (move.from != rank)
      continue;
    Operation *def = move.value.getDefiningOp();
    Operation *mine = copyOf(def);
    builder.setInsertionPointAfter(mine);
    Value value = mine->getResult(cast<OpResult>(move.value).getResultNumber());
    auto send = builder.create<comm::SendOp>(mine->getLoc(), axis, move.to,
                                             move.channel, value);
    if (auto segment = homes.segmentOf(def))
      mark(send, *segment);
  }
}

/// Where the value was made, for its first reader.
void RankProgram::addReceives() {
  for (const Transfer &move : homes.transfers()) {
    if (move.to != rank)
      continue;
    Operation *theirs = copyOf(move.value.getDefiningOp());
    builder.setInsertionPointAfter(theirs);
    Value value =
        theirs->getResult(cast<OpResult>(move.value).getResultNumber());
    auto receive = builder.create<comm::RecvOp>(
        theirs->getLoc(), value.getType(), axis, move.from, move.channel);
    mark(receive, move.reader);
    value.replaceUsesWithIf(receive.getResult(0), [&](OpOperand &use) {
      return use.getOwner() != end;
    });
  }
}

/// Ops that another rank runs: nothing that stays reads them now, but for what
/// the loop carries and what is returned.
void RankProgram::dropForeign() {
  Operation *terminator = func.getBody().front().getTerminator();
  droppedResults.resize(terminator->getNumOperands());
  Operation *theirs = original.getBody().front().getTerminator();
  for (OpOperand &result : theirs->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    int64_t home = homes.rankOfValue(result.get());
    bool isReceived =
        terminator->getOperand(i).getDefiningOp<comm::RecvOp>() != nullptr;
    bool isOwn = home < 0 ? homes.returns(i, rank) : home == rank;
    if (!isOwn && !isReceived)
      droppedResults.set(i);
  }
  terminator->eraseOperands(droppedResults);
  SmallVector<Operation *> foreign;
  for (Operation &op : original.getBody().front().without_terminator()) {
    int64_t home = homes.rankOfOp(&op);
    if (home >= 0 && home != rank)
      foreign.push_back(copyOf(&op));
  }
  for (Operation *op : llvm::reverse(foreign)) {
    // What the loop carries of theirs is dropped with the loop.
    op->dropAllUses();
    op->erase();
  }
}

/// What a segment needs of masks and positions is made in it.
void RankProgram::copyFree(Operation *op, IRMapping &mapping,
                           llvm::DenseSet<Operation *> &here) {
  op->walk([&](Operation *at) {
    for (Value operand : at->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || def->getBlock() != begin->getBlock() ||
          !begin->isBeforeInBlock(def) || def->hasAttr(kStageAttr) ||
          !here.insert(def).second)
        continue;
      copyFree(def, mapping, here);
      builder.clone(*def, mapping);
    }
  });
}

void RankProgram::emitSegment(const Segment &segment, IRMapping &mapping) {
  SmallVector<unsigned> numbers;
  SmallVector<Value> inits, nexts;
  SmallVector<Type> types{begin.getIndex().getType()};
  for (unsigned i = 0; i < begin.getInits().size(); ++i)
    if (homes.writerOf(i) == segment && end.getNexts()[i]) {
      numbers.push_back(i);
      inits.push_back(begin.getInits()[i]);
      types.push_back(begin.getInits()[i].getType());
    }
  auto first = builder.create<comm::LoopBeginOp>(
      begin.getLoc(), types, begin.getAxisAttr(), begin.getTripsAttr(), inits);
  mark(first, segment);
  mapping.map(begin.getIndex(), first.getIndex());
  for (auto [i, number] : llvm::enumerate(numbers))
    mapping.map(begin.getCarried()[number], first.getCarried()[i]);
  llvm::DenseSet<Operation *> here;
  for (Operation *op = begin->getNextNode(); op != end;
       op = op->getNextNode()) {
    auto own = homes.segmentOf(op);
    if (!own || !(*own == segment))
      continue;
    copyFree(op, mapping, here);
    Operation *made = builder.clone(*op, mapping);
    made->removeAttr(kStageAttr);
    made->removeAttr(kStagePartAttr);
  }
  for (unsigned number : numbers)
    nexts.push_back(mapping.lookup(end.getNexts()[number]));
  auto last = builder.create<comm::LoopEndOp>(
      end.getLoc(), ValueRange(nexts).getTypes(), nexts);
  for (auto [i, number] : llvm::enumerate(numbers))
    finals[number] = last.getFinals()[i];
}

void RankProgram::splitLoop() {
  SmallVector<Segment> segments;
  for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode())
    if (auto segment = homes.segmentOf(op))
      if (!llvm::is_contained(segments, *segment))
        segments.push_back(*segment);
  llvm::sort(segments, [&](const Segment &a, const Segment &b) {
    return a.place(homes.stages()) < b.place(homes.stages());
  });
  builder.setInsertionPointAfter(end);
  IRMapping mapping;
  for (const Segment &segment : segments)
    emitSegment(segment, mapping);
  for (auto [number, value] : finals)
    end.getFinals()[number].replaceAllUsesWith(value);
  eraseLoop(begin, end);
}

void RankProgram::eraseLoop(comm::LoopBeginOp first, Operation *last) {
  SmallVector<Operation *> ops;
  for (Operation *op = first; op != last; op = op->getNextNode())
    ops.push_back(op);
  ops.push_back(last);
  for (Operation *op : llvm::reverse(ops)) {
    op->dropAllUses();
    op->erase();
  }
}

/// Backwards, whole loops at once.
void RankProgram::eraseUnused() {
  Block &block = func.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (auto last = dyn_cast<comm::LoopEndOp>(op)) {
      size_t depth = 1, at = ops.size();
      bool sends = false;
      while (depth > 0) {
        Operation *inner = ops[--at];
        depth += isa<comm::LoopEndOp>(inner);
        depth -= isa<comm::LoopBeginOp>(inner);
        sends |= inner->hasAttr(kStageAttr);
      }
      if (!last->use_empty() || sends)
        continue;
      eraseLoop(cast<comm::LoopBeginOp>(ops[at]), last);
      ops.resize(at);
      continue;
    }
    if (isOpTriviallyDead(op))
      op->erase();
  }
}

void RankProgram::dropSignature() {
  // Results that arguments become have other places now.
  SmallVector<int64_t> place;
  int64_t kept = 0;
  for (unsigned i = 0; i < droppedResults.size(); ++i)
    place.push_back(droppedResults.test(i) ? -1 : kept++);
  func.eraseResults(droppedResults);
  llvm::BitVector unused(func.getNumArguments());
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    for (StringRef next : {kAliasingAttr, kNextResultAttr}) {
      auto old = func.getArgAttrOfType<IntegerAttr>(i, next);
      if (!old || old.getInt() < 0)
        continue;
      func.removeArgAttr(i, next);
      if (int64_t now = place[size_t(old.getInt())]; now >= 0)
        func.setArgAttr(i, next, IntegerAttr::get(old.getType(), now));
    }
    if (func.getArgument(i).use_empty())
      unused.set(i);
  }
  func.eraseArguments(unused);
}

func::FuncOp RankProgram::make() {
  copy();
  addSends();
  addReceives();
  dropForeign();
  splitLoop();
  eraseUnused();
  flattenLoops(func);
  numberSignature(func);
  dropSignature();
  func->setAttr(kPipelineRankAttr, builder.getI64IntegerAttr(rank));
  func->setAttr(kPipelineAxisAttr, axis.getNames().front());
  return func;
}

} // namespace

void partopt::numberSignature(func::FuncOp func) {
  Builder builder(func.getContext());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (!func.getArgAttr(i, kArgumentNumberAttr))
      func.setArgAttr(i, kArgumentNumberAttr, builder.getI64IntegerAttr(i));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (!func.getResultAttr(i, kResultNumberAttr))
      func.setResultAttr(i, kResultNumberAttr, builder.getI64IntegerAttr(i));
  if (!func->hasAttr(kResultCountAttr))
    func->setAttr(kResultCountAttr,
                  builder.getI64IntegerAttr(func.getNumResults()));
}

func::FuncOp partopt::makeRankProgram(func::FuncOp func,
                                      const StageHomes &homes, int64_t rank,
                                      comm::AxesAttr axis) {
  return RankProgram(func, homes, rank, axis).make();
}
