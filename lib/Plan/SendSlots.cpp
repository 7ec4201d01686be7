//===- SendSlots.cpp - How many messages of a channel are under way -------===//
//
// The turns of all ranks, each as early as what it receives lets it be. With a
// slot for each message that is then sent and not yet received no rank waits
// for a slot in that order of events, so none waits forever in any.
//
//===----------------------------------------------------------------------===//

#include "ProgramModel.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Support/StageAttributes.h"

using namespace mlir;
using namespace partopt;

namespace {

struct LoopMessages {
  SmallVector<int64_t> sends, receives; ///< channels
};

struct Rank {
  std::vector<LoopMessages> loops; ///< by number
  ArrayRef<int64_t> turns;         ///< pairs of loop and iteration
  size_t done = 0;                 ///< of `turns`
  int64_t now = 0;
};

/// By iteration, in turns.
struct Channel {
  std::vector<int64_t> begun, sent, received;

  int64_t mostUnderWay() const {
    size_t most = 1, behind = 0;
    for (size_t i = 0; i < received.size(); ++i) {
      while (behind < begun.size() && begun[behind] < received[i])
        ++behind;
      most = std::max(most, behind - i);
    }
    return int64_t(most);
  }
};

} // namespace

static std::vector<LoopMessages> messagesOf(func::FuncOp func) {
  std::vector<LoopMessages> loops;
  SmallVector<size_t> open;
  for (Operation &op : func.getBody().front()) {
    if (isa<comm::LoopBeginOp>(op)) {
      open.push_back(loops.size());
      loops.emplace_back();
    } else if (isa<comm::LoopEndOp>(op)) {
      open.pop_back();
    } else if (open.empty()) {
      continue;
    } else if (auto send = dyn_cast<comm::SendOp>(op)) {
      loops[open.front()].sends.push_back(int64_t(send.getChannel()));
    } else if (auto receive = dyn_cast<comm::RecvOp>(op)) {
      loops[open.front()].receives.push_back(int64_t(receive.getChannel()));
    }
  }
  return loops;
}

/// Makes the rank's next turn if what it receives has been sent.
static bool makeTurn(Rank &rank, std::map<int64_t, Channel> &channels) {
  if (rank.done + 1 >= rank.turns.size() ||
      rank.turns[rank.done] >= int64_t(rank.loops.size()))
    return false;
  const LoopMessages &loop = rank.loops[size_t(rank.turns[rank.done])];
  auto iteration = size_t(rank.turns[rank.done + 1]);
  int64_t begin = rank.now;
  for (int64_t channel : loop.receives) {
    const Channel &from = channels[channel];
    if (from.sent.size() <= iteration)
      return false;
    begin = std::max(begin, from.sent[iteration]);
  }
  rank.now = begin + 1;
  rank.done += 2;
  for (int64_t channel : loop.receives)
    channels[channel].received.push_back(rank.now);
  for (int64_t channel : loop.sends) {
    channels[channel].begun.push_back(begin);
    channels[channel].sent.push_back(rank.now);
  }
  return true;
}

SendSlots partopt::findSendSlots(ModuleOp module) {
  std::vector<Rank> ranks;
  for (auto func : module.getOps<func::FuncOp>())
    if (auto turns = func->getAttrOfType<DenseI64ArrayAttr>(kTurnsAttr))
      ranks.push_back({messagesOf(func), turns.asArrayRef()});
  std::map<int64_t, Channel> channels;
  bool moved = true;
  while (moved) {
    moved = false;
    for (Rank &rank : ranks)
      while (makeTurn(rank, channels))
        moved = true;
  }
  SendSlots slots;
  for (const auto &[number, channel] : channels)
    slots[number] = channel.mostUnderWay();
  return slots;
}
