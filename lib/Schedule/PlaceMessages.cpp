//===- PlaceMessages.cpp - Where a pipeline's messages stand --------------===//
//
// See PlaceMessages.h. Scheduling moves what stands behind the loops without
// knowing what other ranks wait for; segments are in the order of the chain.
//
//===----------------------------------------------------------------------===//

#include "PlaceMessages.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Support/StageAttributes.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace partopt;

namespace {

/// An op behind the segments, or a loop with all that is in it.
struct Unit {
  SmallVector<Operation *> ops;
  int64_t level = 0; ///< messages that it waits for, one for another
};

struct Rank {
  func::FuncOp func;
  SmallVector<Unit> behind;
};

class Placer {
public:
  explicit Placer(ArrayRef<func::FuncOp> funcs) {
    for (func::FuncOp func : funcs)
      ranks.push_back({func, {}});
  }
  LogicalResult run();

private:
  void placeBesideUses(func::FuncOp func);
  void collectBehind(Rank &rank);
  bool raise(Rank &rank);
  LogicalResult sortBehind();
  void sortReceives(func::FuncOp func);

  SmallVector<Rank> ranks;
  llvm::DenseMap<Value, int64_t> levelOf;
  std::map<uint64_t, int64_t> levelOfChannel;
  /// By channel: the segment that sends (its begin, null behind the loops), and
  /// the place among all sends.
  std::map<uint64_t, std::pair<Operation *, int64_t>> sends;
};

/// The end of the last segment, or null.
Operation *endOfSegments(func::FuncOp func) {
  Operation *last = nullptr;
  int64_t depth = 0;
  bool isSegment = false;
  for (Operation &op : func.getBody().front()) {
    if (isa<comm::LoopBeginOp>(op) && depth++ == 0)
      isSegment = op.hasAttr(kStageAttr);
    if (isa<comm::LoopEndOp>(op) && --depth == 0 && isSegment)
      last = &op;
  }
  return last;
}

void Placer::placeBesideUses(func::FuncOp func) {
  Operation *end = endOfSegments(func);
  SmallVector<comm::SendOp> sends(func.getOps<comm::SendOp>());
  llvm::DenseMap<Operation *, Operation *> behind; // sends keep their order
  for (comm::SendOp send : sends) {
    Operation *made = send->getOperand(0).getDefiningOp();
    // What segments leave is sent behind all of them.
    if (end && end->isBeforeInBlock(send) &&
        (!made || made->isBeforeInBlock(end)))
      made = end;
    if (!made)
      continue;
    Operation *&last = behind.try_emplace(made, made).first->second;
    send->moveAfter(last);
    last = send;
  }
  // A receive stays in its segment, of which others may come before its first
  // reader, and in front of a loop in which that is.
  llvm::DenseMap<Operation *, int64_t> sectionOf;
  llvm::DenseMap<Operation *, Operation *> loopOf;
  int64_t depth = 0, section = 0;
  Operation *inner = nullptr;
  for (Operation &op : func.getBody().front()) {
    bool isBegin = isa<comm::LoopBeginOp>(op), isEnd = isa<comm::LoopEndOp>(op);
    section += isBegin && depth == 0;
    if (isBegin && depth++ == 1)
      inner = &op;
    sectionOf[&op] = section;
    loopOf[&op] = inner ? inner : &op;
    if (isEnd && --depth == 1)
      inner = nullptr;
    section += isEnd && depth == 0;
  }
  SmallVector<comm::RecvOp> receives(func.getOps<comm::RecvOp>());
  for (comm::RecvOp receive : receives) {
    Operation *first = nullptr;
    for (Operation *user : receive->getResult(0).getUsers())
      if (Operation *place = loopOf.lookup(user);
          place && (!first || place->isBeforeInBlock(first)))
        first = place;
    if (first && sectionOf.lookup(first) == sectionOf.lookup(receive))
      receive->moveBefore(first);
  }
}

void Placer::collectBehind(Rank &rank) {
  Operation *last = endOfSegments(rank.func);
  Operation *op =
      last ? last->getNextNode() : &rank.func.getBody().front().front();
  int64_t depth = 0;
  for (; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    if (depth == 0)
      rank.behind.emplace_back();
    rank.behind.back().ops.push_back(op);
    depth += isa<comm::LoopBeginOp>(op);
    depth -= isa<comm::LoopEndOp>(op);
  }
}

/// Raises levels to those of what is read; true where one changed.
bool Placer::raise(Rank &rank) {
  bool changed = false;
  for (Unit &unit : rank.behind) {
    int64_t level = unit.level;
    for (Operation *op : unit.ops) {
      for (Value operand : op->getOperands())
        level = std::max(level, levelOf.lookup(operand));
      if (auto receive = dyn_cast<comm::RecvOp>(op))
        if (auto sent = levelOfChannel.find(receive.getChannel());
            sent != levelOfChannel.end())
          level = std::max(level, sent->second + 1);
    }
    for (Operation *op : unit.ops) {
      for (Value result : op->getResults())
        levelOf[result] = level;
      if (auto send = dyn_cast<comm::SendOp>(op))
        levelOfChannel[send.getChannel()] = level;
    }
    changed |= level != unit.level;
    unit.level = level;
  }
  return changed;
}

LogicalResult Placer::sortBehind() {
  for (Rank &rank : ranks)
    collectBehind(rank);
  bool changed = true;
  for (size_t round = 0; changed; ++round) {
    changed = false;
    for (Rank &rank : ranks)
      changed |= raise(rank);
    // A level more per message at most.
    if (round > levelOfChannel.size() + 1)
      return ranks.front().func.emitError(
          "messages between the ranks of the pipeline depend on themselves");
  }
  for (Rank &rank : ranks) {
    std::vector<std::pair<int64_t, size_t>> order;
    for (auto [i, unit] : llvm::enumerate(rank.behind))
      order.push_back({unit.level, i});
    llvm::sort(order);
    Operation *end = rank.func.getBody().front().getTerminator();
    for (auto [level, i] : order)
      for (Operation *op : rank.behind[i].ops)
        op->moveBefore(end);
  }
  return success();
}

/// Calls `visit` with the sends and receives of a program, and the segment that
/// each is in.
template <typename OpT>
void forMessages(func::FuncOp func,
                 llvm::function_ref<void(OpT, Operation *)> visit) {
  Operation *segment = nullptr;
  int64_t depth = 0;
  for (Operation &op : func.getBody().front()) {
    if (isa<comm::LoopBeginOp>(op) && depth++ == 0)
      segment = &op;
    if (isa<comm::LoopEndOp>(op) && --depth == 0)
      segment = nullptr;
    if (auto message = dyn_cast<OpT>(op))
      visit(message, segment);
  }
}

/// Whoever is waited for first has been sent first.
void Placer::sortReceives(func::FuncOp func) {
  using Group = std::tuple<uint64_t, Operation *, Operation *>;
  std::map<Group, SmallVector<comm::RecvOp>> groups;
  forMessages<comm::RecvOp>(func, [&](comm::RecvOp op, Operation *segment) {
    auto sent = sends.find(op.getChannel());
    Operation *from = sent == sends.end() ? nullptr : sent->second.first;
    groups[{op.getFrom(), from, segment}].push_back(op);
  });
  for (auto &[group, receives] : groups) {
    llvm::sort(receives, [&](comm::RecvOp a, comm::RecvOp b) {
      return sends[a.getChannel()].second < sends[b.getChannel()].second;
    });
    for (size_t i = receives.size() - 1; i > 0; --i)
      if (!receives[i - 1]->isBeforeInBlock(receives[i]))
        receives[i - 1]->moveBefore(receives[i]);
  }
}

LogicalResult Placer::run() {
  for (Rank &rank : ranks)
    placeBesideUses(rank.func);
  if (failed(sortBehind()))
    return failure();
  for (Rank &rank : ranks)
    forMessages<comm::SendOp>(
        rank.func, [&](comm::SendOp op, Operation *segment) {
          sends[op.getChannel()] = {segment, int64_t(sends.size())};
        });
  for (Rank &rank : ranks)
    sortReceives(rank.func);
  return success();
}

} // namespace

LogicalResult partopt::placeMessages(ArrayRef<func::FuncOp> ranks) {
  return Placer(ranks).run();
}
