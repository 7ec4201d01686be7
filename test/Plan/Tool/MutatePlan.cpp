//===- MutatePlan.cpp - One random fault in a plan ------------------------===//
//
// A table of faults; each picks its place by the random numbers that it is
// given.
//
//===----------------------------------------------------------------------===//

#include "MutatePlan.h"
#include "MutateLoops.h"
#include "OperandSlots.h"
#include "Picker.h"

#include "partopt/Plan/PlanFile.h"
#include "test/Unit/RefitProgram.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace partopt::test {

using namespace plan;

namespace {

std::unique_ptr<InstructionT> copyOf(const InstructionT &instruction) {
  return std::make_unique<InstructionT>(instruction);
}

bool drop(Picker &pick) {
  pick.p.instructions.erase(pick.p.instructions.begin() +
                            static_cast<std::ptrdiff_t>(pick.instruction()));
  return true;
}

bool dropKind(Picker &pick, bool collective) {
  InstructionT *victim = pick.where([&](const OpUnion &op) {
    return collective ? op.AsCollectiveStart() != nullptr
                      : op.AsWait() != nullptr;
  });
  auto &list = pick.p.instructions;
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const auto &i) { return i.get() == victim; }),
             list.end());
  return victim != nullptr;
}

/// A collective and its wait vanish together, as if never planned.
bool dropPair(Picker &pick) {
  auto &list = pick.p.instructions;
  std::vector<size_t> starts;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i]->op.AsCollectiveStart())
      starts.push_back(i);
  if (starts.empty())
    return false;
  size_t at = starts[pick.below(starts.size())];
  uint32_t event = list[at]->op.AsCollectiveStart()->event;
  for (size_t i = at + 1; i < list.size(); ++i)
    if (const auto *wait = list[i]->op.AsWait(); wait && wait->event == event) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

bool duplicate(Picker &pick) {
  size_t from = pick.instruction(), to = pick.instruction();
  auto copy = copyOf(*pick.p.instructions[from]);
  pick.p.instructions.insert(pick.p.instructions.begin() +
                                 static_cast<std::ptrdiff_t>(to),
                             std::move(copy));
  return true;
}

bool swapAny(Picker &pick) {
  std::swap(pick.p.instructions[pick.instruction()],
            pick.p.instructions[pick.instruction()]);
  return true;
}

bool swapNeighbours(Picker &pick) {
  size_t at = pick.below(pick.p.instructions.size() - 1);
  std::swap(pick.p.instructions[at], pick.p.instructions[at + 1]);
  return true;
}

bool move(Picker &pick) {
  auto &list = pick.p.instructions;
  size_t from = pick.instruction(), to = pick.instruction();
  auto begin = list.begin();
  if (from < to)
    std::rotate(begin + static_cast<std::ptrdiff_t>(from),
                begin + static_cast<std::ptrdiff_t>(from) + 1,
                begin + static_cast<std::ptrdiff_t>(to) + 1);
  else
    std::rotate(begin + static_cast<std::ptrdiff_t>(to),
                begin + static_cast<std::ptrdiff_t>(from),
                begin + static_cast<std::ptrdiff_t>(from) + 1);
  return from != to;
}

bool moveOffset(Picker &pick) {
  BufferT &buffer = pick.buffer();
  const BufferT &other = pick.buffer();
  uint64_t before = buffer.offset;
  switch (pick.below(3)) {
  case 0:
    buffer.offset = other.space == buffer.space ? other.offset : 0;
    break;
  case 1:
    buffer.offset += bufferAlignment;
    break;
  default:
    buffer.offset -= std::min(buffer.offset, bufferAlignment);
  }
  return buffer.offset != before;
}

bool swapOffsets(Picker &pick) {
  std::swap(pick.buffer().offset, pick.buffer().offset);
  return true;
}

bool otherOperand(Picker &pick) {
  InstructionT &instruction = pick.any();
  std::vector<uint32_t *> slots = operandSlots(instruction);
  if (slots.empty())
    return false;
  uint32_t *slot = slots[pick.below(slots.size())];
  uint32_t before = *slot;
  *slot = pick.otherBuffer(before);
  listTouches(instruction);
  return *slot != before;
}

/// Unlisted: swapped for the executor only, the lists still name the same
/// buffers.
bool swapOperands(Picker &pick, bool listed) {
  InstructionT &instruction = pick.any();
  std::vector<uint32_t *> slots = operandSlots(instruction);
  if (slots.size() < 2)
    return false;
  uint32_t *a = slots[pick.below(slots.size())];
  uint32_t *b = slots[pick.below(slots.size())];
  bool differ = *a != *b;
  std::swap(*a, *b);
  if (listed)
    listTouches(instruction);
  return differ;
}

bool otherEvent(Picker &pick) {
  WaitT *wait = pick.wait();
  if (!wait || pick.p.num_events < 2)
    return false;
  wait->event =
      (wait->event + 1 + pick.below(pick.p.num_events - 1)) % pick.p.num_events;
  return true;
}

bool otherCollective(Picker &pick) {
  CollectiveStartT *start = pick.start();
  if (!start)
    return false;
  switch (pick.below(7)) {
  case 0:
    start->kind = static_cast<CollectiveKind>(
        (static_cast<int>(start->kind) + 1 + pick.below(5)) % 6);
    break;
  case 1:
    start->combiner =
        start->combiner == Combiner::Max ? Combiner::Sum : Combiner::Max;
    break;
  case 2:
    if (CollectiveStartT *other = pick.start();
        other && other->axes.size() != start->axes.size())
      start->axes = other->axes;
    else
      start->axes.clear();
    break;
  case 3:
    start->counts[pick.below(start->counts.size())] /= 2;
    break;
  case 4:
    start->event = (start->event + 1) % std::max(2U, pick.p.num_events);
    break;
  case 5:
    if (CollectiveStartT *other = pick.start(); other && other != start)
      start->id = other->id;
    else
      start->type = ElementType::I32;
    break;
  default:
    start->type =
        start->type == ElementType::F32 ? ElementType::I32 : ElementType::F32;
  }
  return true;
}

bool lifetime(Picker &pick) {
  BufferT &buffer = pick.buffer();
  uint32_t &end = pick.below(2) ? buffer.first : buffer.last;
  uint32_t before = end;
  end = static_cast<uint32_t>(pick.instruction());
  return end != before;
}

bool gemm(Picker &pick) {
  InstructionT *found =
      pick.where([](const OpUnion &op) { return op.AsGemm() != nullptr; });
  if (!found)
    return false;
  GemmT &op = *found->op.AsGemm();
  switch (pick.below(4)) {
  case 0:
    op.trans_a = !op.trans_a;
    break;
  case 1:
    std::swap(op.a, op.b);
    listTouches(*found);
    break;
  case 2:
    op.k /= 2;
    break;
  default:
    op.m = std::max<uint64_t>(1, op.m / 2);
  }
  return true;
}

bool otherKernel(Picker &pick) {
  InstructionT *found =
      pick.where([](const OpUnion &op) { return op.AsLaunch() != nullptr; });
  size_t kernels = pick.plan.classes[0]->kernels->symbols.size();
  if (!found || kernels < 2)
    return false;
  LaunchT &op = *found->op.AsLaunch();
  op.kernel = static_cast<uint32_t>((op.kernel + 1 + pick.below(kernels - 1)) %
                                    kernels);
  return true;
}

bool swapResults(Picker &pick) {
  size_t n = pick.p.results.size();
  if (n < 2)
    return false;
  size_t a = pick.below(n), b = pick.below(n);
  if (pick.below(2))
    std::swap(pick.p.results[a]->buffer, pick.p.results[b]->buffer);
  else
    std::swap(pick.p.results[a]->alias, pick.p.results[b]->alias);
  return a != b;
}

bool swapArguments(Picker &pick) {
  size_t n = pick.p.arguments.size();
  if (n < 2)
    return false;
  size_t a = pick.below(n), b = pick.below(n);
  std::swap(pick.p.arguments[a]->buffer, pick.p.arguments[b]->buffer);
  return a != b;
}

bool sizes(Picker &pick) {
  switch (pick.below(4)) {
  case 0:
    pick.p.arena_bytes /= 2;
    break;
  case 1:
    pick.p.peak_bytes -= std::min<uint64_t>(64, pick.p.peak_bytes);
    break;
  case 2:
    pick.p.num_events = 0;
    break;
  default:
    pick.buffer().bytes /= 2;
  }
  return true;
}

struct Mutation {
  const char *name;
  std::function<bool(Picker &)> apply;
};

const Mutation table[] = {
    {"instruction dropped", drop},
    {"collective dropped", [](Picker &p) { return dropKind(p, true); }},
    {"wait dropped", [](Picker &p) { return dropKind(p, false); }},
    {"collective and wait dropped", dropPair},
    {"instruction duplicated", duplicate},
    {"instructions swapped", swapAny},
    {"neighbours swapped", swapNeighbours},
    {"instruction moved", move},
    {"offset changed", moveOffset},
    {"offsets swapped", swapOffsets},
    {"other operand", otherOperand},
    {"operands swapped", [](Picker &p) { return swapOperands(p, true); }},
    {"operands swapped unlisted",
     [](Picker &p) { return swapOperands(p, false); }},
    {"other event awaited", otherEvent},
    {"collective changed", otherCollective},
    {"lifetime changed", lifetime},
    {"product changed", gemm},
    {"other kernel", otherKernel},
    {"results swapped", swapResults},
    {"arguments swapped", swapArguments},
    {"sizes changed", sizes},
    {"loop changed", otherLoop},
    {"turns changed", otherTurns},
    {"message changed", otherMessage},
    {"slots changed", otherSlots},
};

} // namespace

unsigned numMutations() { return std::size(table); }

const char *mutationName(unsigned kind) { return table[kind].name; }

bool mutatePlan(PlanT &plan, unsigned kind, bool repair, std::mt19937 &random) {
  Picker pick(plan, random);
  if (pick.p.instructions.size() < 2 || !table[kind].apply(pick))
    return false;
  if (repair)
    refitProgram(pick.p);
  return true;
}

} // namespace partopt::test
