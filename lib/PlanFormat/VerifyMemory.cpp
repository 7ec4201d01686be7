//===- VerifyMemory.cpp - Buffers, signature and shared state -------------===//
//
// Static memory is a set of rectangles, bytes by time. A sweep over time with
// the live buffers ordered by offset finds overlaps in n log n.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace partopt::plan {

/// From the begin of the first slot to the end of the last one.
static uint64_t extentOf(const BufferT &buffer) {
  uint64_t others = std::max(1u, buffer.slots) - 1;
  return saturatingAdd(saturatingMul(others, buffer.stride), buffer.bytes);
}

/// Slots do not overlap and are aligned as buffers are.
static void verifySlots(const ProgramView &view, size_t index,
                        Problems &problems) {
  const BufferT &buffer = *view.program.buffers[index];
  bool isGood =
      buffer.slots == 1 || (buffer.slots > 1 && buffer.stride >= buffer.bytes &&
                            buffer.stride % bufferAlignment == 0);
  if (!isGood)
    problems.add(view.where() + ": buffer " + std::to_string(index) + " has " +
                 std::to_string(buffer.slots) + " slots of " +
                 std::to_string(buffer.bytes) + " bytes, " +
                 std::to_string(buffer.stride) +
                 " from one to the next: expected at least one, multiples of " +
                 std::to_string(bufferAlignment) + " apart");
}

static std::string bufferText(const ProgramView &view, size_t index) {
  const BufferT &buffer = *view.program.buffers[index];
  return "buffer " + std::to_string(index) + " (" +
         (buffer.space == Space::Arena ? "arena" : "resident") + " bytes [" +
         std::to_string(buffer.offset) + ", " +
         std::to_string(saturatingAdd(buffer.offset, extentOf(buffer))) +
         "), live [" + std::to_string(buffer.first) + ", " +
         std::to_string(buffer.last) + "])";
}

namespace {

/// A buffer's rectangle, with the lifetime that overlap is judged by.
struct Rectangle {
  uint64_t begin, end;
  uint32_t first, last;
  size_t buffer;
};

/// Reports the first overlap of each rectangle with one placed before it.
void sweep(const ProgramView &view, std::vector<Rectangle> rectangles,
           Problems &problems) {
  std::sort(rectangles.begin(), rectangles.end(),
            [](const Rectangle &a, const Rectangle &b) {
              return std::tie(a.first, a.buffer) < std::tie(b.first, b.buffer);
            });
  std::map<uint64_t, const Rectangle *> live; // by begin, disjoint
  auto later = [](const Rectangle *a, const Rectangle *b) {
    return a->last > b->last;
  };
  std::priority_queue<const Rectangle *, std::vector<const Rectangle *>,
                      decltype(later)>
      ending(later);
  for (const Rectangle &rectangle : rectangles) {
    while (!ending.empty() && ending.top()->last < rectangle.first) {
      live.erase(ending.top()->begin);
      ending.pop();
    }
    auto next = live.lower_bound(rectangle.begin);
    const Rectangle *other = nullptr;
    if (next != live.end() && next->second->begin < rectangle.end)
      other = next->second;
    else if (next != live.begin() &&
             std::prev(next)->second->end > rectangle.begin)
      other = std::prev(next)->second;
    if (other) {
      problems.add(view.where() + ": " + bufferText(view, rectangle.buffer) +
                   " overlaps " + bufferText(view, other->buffer) +
                   " while both are live");
      continue;
    }
    live[rectangle.begin] = &rectangle;
    ending.push(&rectangle);
  }
}

} // namespace

/// The classes of a buffer begin with its lifetime, ascend within it and exist.
static void verifyClasses(const ProgramView &view, size_t index,
                          Problems &problems) {
  const BufferT &buffer = *view.program.buffers[index];
  uint64_t next = buffer.first; // the least place that the next may begin at
  for (const Held &held : buffer.holds) {
    bool isFirst = &held == buffer.holds.data();
    if (held.memory_class() > MemoryClass::MAX || held.first() > buffer.last ||
        held.first() < next || (isFirst && held.first() != next))
      return problems.add(
          view.where() + ": " + bufferText(view, index) + " is of class " +
          std::to_string(static_cast<unsigned>(held.memory_class())) +
          " from instruction " + std::to_string(held.first()) +
          " on, expected a class of at most " +
          std::to_string(static_cast<unsigned>(MemoryClass::MAX)) +
          " and instructions that ascend from the first of its lifetime");
    next = uint64_t(held.first()) + 1;
  }
}

void verifyMemory(const ProgramView &view, Problems &problems) {
  const ProgramT &program = view.program;
  std::vector<bool> isArgument(program.buffers.size());
  for (const auto &argument : program.arguments)
    isArgument[argument->buffer] = true;
  std::vector<Rectangle> arena, resident;
  uint64_t highest = 0;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferT &buffer = *program.buffers[i];
    bool inArena = buffer.space == Space::Arena;
    uint64_t region = inArena ? program.arena_bytes : program.resident_bytes;
    uint64_t end = saturatingAdd(buffer.offset, extentOf(buffer));
    if (buffer.offset % bufferAlignment != 0)
      problems.add(view.where() + ": " + bufferText(view, i) +
                   " is not aligned to " + std::to_string(bufferAlignment) +
                   " bytes");
    if (end > region)
      problems.add(view.where() + ": " + bufferText(view, i) +
                   " ends outside its region of " + std::to_string(region) +
                   " bytes");
    if (buffer.first > buffer.last || buffer.last > view.lastIndex())
      problems.add(view.where() + ": " + bufferText(view, i) +
                   " has no valid lifetime, the program has " +
                   std::to_string(program.instructions.size()) +
                   " instructions");
    verifyClasses(view, i, problems);
    verifySlots(view, i, problems);
    if (inArena)
      highest = std::max(highest, end);
    if (buffer.bytes == 0)
      continue;
    // An argument's contents outlast the step, whatever its last use.
    Rectangle rectangle{buffer.offset, end, buffer.first, buffer.last, i};
    if (isArgument[i]) {
      rectangle.first = 0;
      rectangle.last = view.lastIndex();
    }
    (inArena ? arena : resident).push_back(rectangle);
  }
  sweep(view, std::move(arena), problems);
  sweep(view, std::move(resident), problems);
  if (program.arena_bytes >= saturatingAdd(highest, bufferAlignment))
    problems.add(view.where() + ": the arena has " +
                 std::to_string(program.arena_bytes) +
                 " bytes, but its buffers end at " + std::to_string(highest));
  uint64_t peak = saturatingAdd(program.resident_bytes, program.arena_bytes);
  if (peak != program.peak_bytes)
    problems.add(view.where() + ": the plan says a peak of " +
                 std::to_string(program.peak_bytes) +
                 " bytes, resident bytes and arena add up to " +
                 std::to_string(peak));
}

static void verifyTensor(const ProgramView &view, const TensorT &tensor,
                         uint32_t bufferIndex, Problems &problems) {
  std::string what =
      view.where() + ": " + tensor.index_name + " '" + tensor.name + "'";
  if (elementSize(tensor.type) == 0)
    return problems.add(what + " has no element type");
  uint64_t end = saturatingAdd(tensor.first_row, tensor.rows);
  if (tensor.rows == 0
          ? tensor.first_row > 0
          : tensor.global_shape.empty() || end > tensor.global_shape.front())
    return problems.add(what + " is rows " + rowsText(tensor) + " of " +
                        shapeText(tensor.global_shape, tensor.type) +
                        ", which has no such rows");
  if (tensor.sharding) {
    if (tensor.sharding->dims.size() != tensor.global_shape.size())
      return problems.add(
          what + " of rank " + std::to_string(tensor.global_shape.size()) +
          " has a sharding of " + std::to_string(tensor.sharding->dims.size()) +
          " dimensions");
    std::string bad = view.mesh.checkSharding(*tensor.sharding);
    if (!bad.empty())
      return problems.add(what + " has a bad sharding: " + bad);
  }
  bool same = tensor.local_shape.size() == tensor.global_shape.size();
  std::vector<uint64_t> expected;
  for (size_t dim = 0; dim < tensor.global_shape.size(); ++dim)
    expected.push_back(view.mesh.localExtent(tensor, dim));
  if (!same || expected != tensor.local_shape)
    return problems.add(what + " has the local shape " +
                        shapeText(tensor.local_shape, tensor.type) +
                        (tensor.rows > 0 ? ", its rows and sharding give "
                                         : ", its sharding gives ") +
                        shapeText(expected, tensor.type));
  uint64_t need =
      saturatingMul(elementCount(tensor.local_shape), elementSize(tensor.type));
  if (view.program.buffers[bufferIndex]->bytes < need)
    problems.add(what + " needs " + std::to_string(need) + " bytes, " +
                 bufferText(view, bufferIndex) + " is smaller");
}

static bool sameLayout(const TensorT &a, const TensorT &b) {
  if (a.type != b.type || a.global_shape != b.global_shape ||
      a.local_shape != b.local_shape || a.first_row != b.first_row ||
      a.rows != b.rows)
    return false;
  auto axes = [](const TensorT &tensor, size_t dim) {
    return tensor.sharding && dim < tensor.sharding->dims.size()
               ? tensor.sharding->dims[dim]->axes
               : AxisList();
  };
  for (size_t dim = 0; dim < a.global_shape.size(); ++dim)
    if (!sameAxes(axes(a, dim), axes(b, dim)))
      return false;
  return true;
}

static void verifyAlias(const ProgramView &view, size_t index,
                        std::vector<int> &taker, Problems &problems) {
  const ResultT &result = *view.program.results[index];
  std::string what = view.where() + ": " + result.tensor->index_name + " '" +
                     result.tensor->name + "'";
  if (result.alias < 0)
    return;
  const TensorT &argument = *view.program.arguments[result.alias]->tensor;
  if (!sameLayout(argument, *result.tensor))
    problems.add(what + " of local shape " +
                 shapeText(result.tensor->local_shape, result.tensor->type) +
                 " cannot take " + argument.index_name + " '" + argument.name +
                 "' of local shape " +
                 shapeText(argument.local_shape, argument.type) +
                 ": their layouts differ");
  if (taker[result.alias] >= 0)
    problems.add(what + " and result " + std::to_string(taker[result.alias]) +
                 " both take " + argument.index_name);
  taker[result.alias] = static_cast<int>(index);
}

void verifySignature(const ProgramView &view, Problems &problems) {
  const ProgramT &program = view.program;
  std::vector<int> owner(program.buffers.size(), -1);
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const ArgumentT &argument = *program.arguments[i];
    const BufferT &buffer = *program.buffers[argument.buffer];
    verifyTensor(view, *argument.tensor, argument.buffer, problems);
    if (buffer.space != Space::Resident || buffer.first != 0)
      problems.add(view.where() + ": " + argument.tensor->index_name +
                   " must be resident and live from 0, it is in " +
                   bufferText(view, argument.buffer));
    if (owner[argument.buffer] >= 0)
      problems.add(view.where() + ": arguments " +
                   std::to_string(owner[argument.buffer]) + " and " +
                   std::to_string(i) + " share " +
                   bufferText(view, argument.buffer));
    owner[argument.buffer] = static_cast<int>(i);
  }
  std::vector<int> taker(program.arguments.size(), -1);
  for (size_t i = 0; i < program.results.size(); ++i) {
    const ResultT &result = *program.results[i];
    verifyTensor(view, *result.tensor, result.buffer, problems);
    if (program.buffers[result.buffer]->last != view.lastIndex())
      problems.add(view.where() + ": " + result.tensor->index_name +
                   " must live until the last instruction, it is in " +
                   bufferText(view, result.buffer));
    verifyAlias(view, i, taker, problems);
  }
  for (size_t i = 0; i < program.results.size(); ++i) {
    const ResultT &result = *program.results[i];
    int argument = owner[result.buffer];
    if (argument >= 0 && taker[argument] >= 0 &&
        taker[argument] != static_cast<int>(i))
      problems.add(view.where() + ": " + result.tensor->index_name +
                   " lies in the buffer of argument " +
                   std::to_string(argument) + ", which result " +
                   std::to_string(taker[argument]) +
                   " takes after the step: copy it first");
  }
}

void verifySharedState(const std::vector<ProgramView> &entriesOfClass,
                       Problems &problems) {
  if (entriesOfClass.size() < 2)
    return;
  struct Placed {
    const ProgramView *view;
    const ArgumentT *argument;
    const BufferT *buffer;
  };
  std::vector<Placed> placed;
  for (const ProgramView &view : entriesOfClass)
    for (const auto &argument : view.program.arguments)
      placed.push_back({&view, argument.get(),
                        view.program.buffers[argument->buffer].get()});
  std::sort(placed.begin(), placed.end(), [](const Placed &a, const Placed &b) {
    return std::tie(a.buffer->offset, a.argument->tensor->name) <
           std::tie(b.buffer->offset, b.argument->tensor->name);
  });
  // Neighbours by offset suffice: inside one entry they are disjoint already.
  for (size_t i = 0; i < placed.size(); ++i)
    for (size_t j = i + 1; j < placed.size() && placed[j].buffer->offset <
                                                    placed[i].buffer->offset +
                                                        placed[i].buffer->bytes;
         ++j) {
      const Placed &a = placed[i], &b = placed[j];
      const TensorT &s = *a.argument->tensor, &t = *b.argument->tensor;
      if (a.view == b.view || (s.name == t.name && sameLayout(s, t) &&
                               a.buffer->offset == b.buffer->offset))
        continue;
      problems.add(a.view->where() + ": '" + s.name + "' and '" + t.name +
                   "' of " + b.view->where() +
                   " overlap in resident memory but are not the same state");
    }
}

} // namespace partopt::plan
