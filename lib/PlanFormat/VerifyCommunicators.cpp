//===- VerifyCommunicators.cpp - Same collectives on all members ----------===//
//
// Ranks of one class run one program, so a communicator can only disagree
// between classes. Classes that meet in some group of an axis list are
// compared pairwise, and all classes are played against each other until they
// finish or stand still. Devices are visited only to find who meets whom.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace partopt::plan {

namespace {

using AxisKey = std::vector<std::tuple<uint16_t, uint32_t, uint32_t>>;

AxisKey keyOf(const AxisList &axes) {
  AxisKey key;
  for (const AxisRef &ref : axes)
    key.emplace_back(ref.axis(), ref.pre_size(), ref.size());
  return key;
}

struct Started {
  const CollectiveStartT *op;
  size_t instruction;
};

std::string describe(const Started &started) {
  const CollectiveStartT &op = *started.op;
  std::string text = std::string(collectiveName(op.kind)) + " " +
                     std::to_string(op.id) + " (" + combinerName(op.combiner) +
                     ", " + elementName(op.type) + ", counts";
  for (uint64_t count : op.counts)
    text += " " + std::to_string(count);
  return text + ")";
}

bool sameCollective(const CollectiveStartT &a, const CollectiveStartT &b) {
  return a.id == b.id && a.kind == b.kind && a.combiner == b.combiner &&
         a.type == b.type && a.counts == b.counts && a.root == b.root &&
         a.permutation == b.permutation && a.trip_count == b.trip_count;
}

class CommunicatorChecker {
public:
  CommunicatorChecker(const std::vector<ProgramView> &views,
                      Problems &problems);
  void run();

private:
  using Communicator = std::pair<AxisKey, uint16_t>; // axes and stream

  void collect(size_t index);
  void findPartners();
  void compareLoops();
  void compare(size_t a, size_t b, const AxisKey &axes);
  bool step(size_t index);
  bool ready(size_t index, const CollectiveStartT &op) const;
  void play();

  const std::vector<ProgramView> &views;
  Problems &problems;
  std::map<AxisKey, AxisList> axisLists;
  /// By class: its collectives per communicator, in order.
  std::vector<std::map<Communicator, std::vector<Started>>> sequences;
  /// By axes: pairs of classes with members in one group, a <= b.
  std::map<AxisKey, std::set<std::pair<size_t, size_t>>> partners;

  // The play: each class's next instruction, stream queues and open events.
  std::vector<size_t> next;
  std::vector<std::map<uint16_t, std::deque<const CollectiveStartT *>>> queues;
  std::vector<std::set<uint32_t>> open;
};

CommunicatorChecker::CommunicatorChecker(const std::vector<ProgramView> &views,
                                         Problems &problems)
    : views(views), problems(problems), sequences(views.size()),
      next(views.size()), queues(views.size()), open(views.size()) {}

void CommunicatorChecker::collect(size_t index) {
  std::set<uint32_t> ids;
  const ProgramT &program = views[index].program;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const auto *op = program.instructions[i]->op.AsCollectiveStart();
    if (!op)
      continue;
    if (!ids.insert(op->id).second)
      problems.add(views[index].at(i) + ": collective id " +
                   std::to_string(op->id) + " is used twice");
    AxisKey key = keyOf(op->axes);
    axisLists.emplace(key, op->axes);
    sequences[index][{key, op->stream}].push_back({op, i});
  }
}

void CommunicatorChecker::findPartners() {
  const PlanT &plan = views.front().plan;
  std::map<const RankClassT *, size_t> viewOf;
  for (size_t i = 0; i < views.size(); ++i)
    viewOf[&views[i].rankClass] = i;
  for (const auto &[key, axes] : axisLists) {
    std::map<uint64_t, std::set<size_t>> classesOfGroup;
    for (uint32_t rank = 0; rank < plan.devices; ++rank) {
      const RankClassT *rankClass = plan.classes[plan.rank_class[rank]].get();
      classesOfGroup[views.front().mesh.groupId(rank, axes)].insert(
          viewOf[rankClass]);
    }
    for (const auto &[group, classes] : classesOfGroup)
      for (size_t a : classes)
        for (size_t b : classes)
          if (a < b)
            partners[key].insert({a, b});
  }
}

/// Classes that communicate inside of loops repeat the same collectives.
void CommunicatorChecker::compareLoops() {
  using Loop = std::pair<uint32_t, std::vector<uint32_t>>; // trips, ids
  std::vector<std::vector<Loop>> loops(views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    std::vector<size_t> open; // the innermost last
    for (const auto &instruction : views[i].program.instructions) {
      if (const auto *begin = instruction->op.AsLoopBegin()) {
        open.push_back(loops[i].size());
        loops[i].emplace_back(begin->trips, std::vector<uint32_t>());
      } else if (instruction->op.AsLoopEnd()) {
        if (!open.empty())
          open.pop_back();
      } else if (const auto *op = instruction->op.AsCollectiveStart();
                 op && !open.empty()) {
        loops[i][open.back()].second.push_back(op->id);
      }
    }
    loops[i].erase(
        std::remove_if(loops[i].begin(), loops[i].end(),
                       [](const Loop &loop) { return loop.second.empty(); }),
        loops[i].end());
    if (loops[i] != loops[0])
      problems.add(views[0].where() + " and " + views[i].where() +
                   " repeat different collectives in their loops");
  }
}

void CommunicatorChecker::compare(size_t a, size_t b, const AxisKey &axes) {
  std::set<uint16_t> streams;
  for (size_t index : {a, b})
    for (const auto &[communicator, sequence] : sequences[index])
      if (communicator.first == axes)
        streams.insert(communicator.second);
  for (uint16_t stream : streams) {
    const auto &left = sequences[a][{axes, stream}];
    const auto &right = sequences[b][{axes, stream}];
    std::string where = "communicators over " +
                        views[a].mesh.axesText(axisLists[axes]) +
                        " on stream " + std::to_string(stream) + ": ";
    for (size_t i = 0; i < left.size() && i < right.size(); ++i)
      if (!sameCollective(*left[i].op, *right[i].op)) {
        problems.add(where + views[a].at(left[i].instruction) + " runs " +
                     describe(left[i]) + " where " +
                     views[b].at(right[i].instruction) + " runs " +
                     describe(right[i]));
        return;
      }
    if (left.size() != right.size()) {
      problems.add(where + views[a].where() + " runs " +
                   std::to_string(left.size()) + " collectives, " +
                   views[b].where() + " " + std::to_string(right.size()));
      return;
    }
  }
}

/// Whether everyone whom class `index` meets over the axes of `op`, directly or
/// through others, has `op` at the head of its queue: then all complete it.
bool CommunicatorChecker::ready(size_t index,
                                const CollectiveStartT &op) const {
  auto found = partners.find(keyOf(op.axes));
  if (found == partners.end())
    return true;
  std::set<size_t> meets{index};
  for (size_t before = 0; before != meets.size();) {
    before = meets.size();
    for (const auto &[a, b] : found->second)
      if (meets.count(a) || meets.count(b))
        meets.insert({a, b});
  }
  for (size_t other : meets) {
    auto queue = queues[other].find(op.stream);
    if (queue == queues[other].end() || queue->second.empty() ||
        queue->second.front()->id != op.id)
      return false;
  }
  return true;
}

/// Runs class `index` until it waits; true when it moved.
bool CommunicatorChecker::step(size_t index) {
  const ProgramT &program = views[index].program;
  bool moved = false;
  for (; next[index] < program.instructions.size(); ++next[index]) {
    const OpUnion &op = program.instructions[next[index]]->op;
    if (const auto *start = op.AsCollectiveStart()) {
      queues[index][start->stream].push_back(start);
      open[index].insert(start->event);
    } else if (const auto *wait = op.AsWait()) {
      if (open[index].count(wait->event))
        return moved;
    }
    moved = true;
  }
  return moved;
}

void CommunicatorChecker::play() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (size_t i = 0; i < views.size(); ++i)
      moved |= step(i);
    // Find what can complete first, then complete it everywhere at once.
    std::vector<std::pair<size_t, uint16_t>> done;
    for (size_t i = 0; i < views.size(); ++i)
      for (const auto &[stream, queue] : queues[i])
        if (!queue.empty() && ready(i, *queue.front()))
          done.emplace_back(i, stream);
    for (const auto &[index, stream] : done) {
      open[index].erase(queues[index][stream].front()->event);
      queues[index][stream].pop_front();
      moved = true;
    }
  }
  std::string stuck;
  for (size_t i = 0; i < views.size(); ++i)
    if (next[i] < views[i].program.instructions.size())
      stuck += (stuck.empty() ? "" : "; ") + views[i].at(next[i]);
  if (!stuck.empty())
    problems.add("the waits are cyclic, nothing can move: " + stuck);
}

void CommunicatorChecker::run() {
  size_t before = problems.size();
  for (size_t i = 0; i < views.size(); ++i)
    collect(i);
  if (views.size() < 2 || problems.size() != before)
    return; // one class runs in step with itself
  compareLoops();
  findPartners();
  for (const auto &[axes, pairs] : partners)
    for (const auto &[a, b] : pairs)
      compare(a, b, axes);
  if (problems.size() == before)
    play();
}

} // namespace

void verifyCommunicators(const std::vector<ProgramView> &views,
                         Problems &problems) {
  if (!views.empty())
    CommunicatorChecker(views, problems).run();
}

} // namespace partopt::plan
