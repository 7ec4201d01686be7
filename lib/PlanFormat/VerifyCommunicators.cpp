//===- VerifyCommunicators.cpp - Same collectives on all members ----------===//
//
// Ranks of one class run one program, so a communicator can only disagree
// between classes. Classes that meet in some group of an axis list are
// compared pairwise.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <map>
#include <set>

namespace partopt::plan {

namespace {

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
  void compareLoops(size_t a, size_t b, const AxisKey &axes);
  void compare(size_t a, size_t b, const AxisKey &axes);

  const std::vector<ProgramView> &views;
  Problems &problems;
  std::map<AxisKey, AxisList> axisLists;
  /// By class: its collectives per communicator, in order.
  std::vector<std::map<Communicator, std::vector<Started>>> sequences;
};

CommunicatorChecker::CommunicatorChecker(const std::vector<ProgramView> &views,
                                         Problems &problems)
    : views(views), problems(problems), sequences(views.size()) {}

void CommunicatorChecker::collect(size_t index) {
  std::set<uint32_t> ids;
  const ProgramT &program = views[index].program;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const auto *op = program.instructions[i]->op.AsCollectiveStart();
    if (!op || isMessage(*op))
      continue;
    if (!ids.insert(op->id).second)
      problems.add(views[index].at(i) + ": collective id " +
                   std::to_string(op->id) + " is used twice");
    AxisKey key = keyOf(op->axes);
    axisLists.emplace(key, op->axes);
    sequences[index][{key, op->stream}].push_back({op, i});
  }
}

/// Classes that communicate inside of loops repeat the same collectives.
void CommunicatorChecker::compareLoops(size_t a, size_t b,
                                       const AxisKey &axes) {
  using Loop = std::pair<uint32_t, std::vector<uint32_t>>; // trips, ids
  auto loopsOf = [&](size_t index) {
    std::vector<Loop> loops;
    std::vector<size_t> open; // the innermost last
    for (const auto &instruction : views[index].program.instructions) {
      if (const auto *begin = instruction->op.AsLoopBegin()) {
        open.push_back(loops.size());
        loops.emplace_back(begin->trips, std::vector<uint32_t>());
      } else if (instruction->op.AsLoopEnd()) {
        open.pop_back();
      } else if (const auto *op = instruction->op.AsCollectiveStart();
                 op && !open.empty() && !isMessage(*op) &&
                 keyOf(op->axes) == axes) {
        loops[open.back()].second.push_back(op->id);
      }
    }
    loops.erase(
        std::remove_if(loops.begin(), loops.end(),
                       [](const Loop &loop) { return loop.second.empty(); }),
        loops.end());
    return loops;
  };
  if (loopsOf(a) != loopsOf(b))
    problems.add(views[a].where() + " and " + views[b].where() +
                 " repeat different collectives in their loops");
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

void CommunicatorChecker::run() {
  size_t before = problems.size();
  for (size_t i = 0; i < views.size(); ++i)
    collect(i);
  if (views.size() < 2 || problems.size() != before)
    return; // one class runs in step with itself
  Meetings meetings(views.front().plan);
  for (const auto &[key, axes] : axisLists)
    for (const auto &[a, b] : meetings.pairs(axes)) {
      compareLoops(a, b, key);
      compare(a, b, key);
    }
}

} // namespace

void verifyCommunicators(const std::vector<ProgramView> &views,
                         Problems &problems) {
  if (!views.empty())
    CommunicatorChecker(views, problems).run();
}

} // namespace partopt::plan
