//===- MutateLoops.cpp - Random faults in loops and turns -----------------===//
//
// See MutateLoops.h.
//
//===----------------------------------------------------------------------===//

#include "MutateLoops.h"

#include <utility>

using namespace partopt::plan;

namespace partopt::test {

bool otherLoop(Picker &pick) {
  InstructionT *begin =
      pick.where([](const OpUnion &op) { return op.AsLoopBegin() != nullptr; });
  if (!begin)
    return false;
  LoopBeginT &loop = *begin->op.AsLoopBegin();
  InstructionT &end = *pick.p.instructions[loop.end];
  LoopEndT &last = *end.op.AsLoopEnd();
  switch (pick.below(6)) {
  case 0:
    loop.trips = loop.trips > 1 ? loop.trips - 1 : 2;
    break;
  case 1:
    ++loop.id;
    break;
  case 2:
    loop.axis ^= 1;
    break;
  case 3: // a value fewer is carried
    if (loop.carried.empty())
      return false;
    loop.inits.pop_back();
    loop.carried.pop_back();
    last.nexts.pop_back();
    last.carried.pop_back();
    begin->reads = loop.inits;
    begin->writes.pop_back();
    end.reads = last.nexts;
    end.writes = last.carried;
    break;
  case 4:
    loop.end = static_cast<uint32_t>(pick.instruction());
    break;
  default:
    if (CollectiveStartT *start = pick.start())
      ++start->trip_count;
    else
      loop.trips *= 2;
  }
  return true;
}

bool otherTurns(Picker &pick) {
  if (!pick.p.turns)
    return false;
  std::vector<Turn> &turns = pick.p.turns->turns;
  size_t at = pick.below(turns.size()), to = pick.below(turns.size());
  switch (pick.below(5)) {
  case 0:
    std::swap(turns[at], turns[to]);
    break;
  case 1: {
    Turn turn = turns[at];
    turns.erase(turns.begin() + std::ptrdiff_t(at));
    turns.insert(turns.begin() + std::ptrdiff_t(pick.below(turns.size() + 1)),
                 turn);
    break;
  }
  case 2:
    turns.erase(turns.begin() + std::ptrdiff_t(at));
    break;
  case 3:
    turns.insert(turns.begin() + std::ptrdiff_t(at), Turn(turns[to]));
    break;
  default:
    pick.p.turns->ahead = static_cast<uint32_t>(pick.below(4));
  }
  return true;
}

bool otherMessage(Picker &pick) {
  InstructionT *found = pick.where([](const OpUnion &op) {
    const auto *start = op.AsCollectiveStart();
    return start && (start->kind == CollectiveKind::Send ||
                     start->kind == CollectiveKind::Recv);
  });
  if (!found)
    return false;
  CollectiveStartT &message = *found->op.AsCollectiveStart();
  switch (pick.below(5)) {
  case 0: // the channel of another collective
    message.id = pick.start()->id;
    break;
  case 1:
    message.root = static_cast<uint32_t>(pick.below(4));
    break;
  case 2:
    message.stream = static_cast<uint16_t>(pick.below(pick.p.num_streams));
    break;
  case 3:
    message.event = static_cast<uint32_t>(pick.below(pick.p.num_events));
    break;
  default:
    message.kind = message.kind == CollectiveKind::Send ? CollectiveKind::Recv
                                                        : CollectiveKind::Send;
  }
  return true;
}

bool otherSlots(Picker &pick) {
  std::vector<BufferT *> found;
  for (auto &buffer : pick.p.buffers)
    if (buffer->slots > 1)
      found.push_back(buffer.get());
  if (found.empty())
    return false;
  BufferT &buffer = *found[pick.below(found.size())];
  if (pick.below(2))
    buffer.slots = 1 + static_cast<uint32_t>(pick.below(buffer.slots + 1));
  else
    buffer.stride = buffer.stride * pick.below(3) / 2;
  return true;
}

} // namespace partopt::test
