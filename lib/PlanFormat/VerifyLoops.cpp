//===- VerifyLoops.cpp - Loops over axes in time --------------------------===//
//
// Begins and ends in pairs, what they carry, and how often the collectives in
// between run.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include <algorithm>
#include <set>

namespace partopt::plan {

namespace {

class LoopChecker {
public:
  LoopChecker(const ProgramView &view, Problems &problems)
      : view(view), problems(problems) {}
  void run();

private:
  void fail(const std::string &why) {
    problems.add(view.at(current) + ": " + why);
  }
  void begin(const LoopBeginT &op);
  void end(const LoopEndT &op);
  void repeats(const CollectiveStartT &start);
  void sizes(const std::vector<uint32_t> &sources,
             const std::vector<uint32_t> &targets);

  const ProgramView &view;
  Problems &problems;
  size_t current = 0;
  uint32_t numLoops = 0;
  /// With the instruction that each begins at.
  std::vector<std::pair<const LoopBeginT *, size_t>> open;
};

/// Every value that is copied fits where it goes.
void LoopChecker::sizes(const std::vector<uint32_t> &sources,
                        const std::vector<uint32_t> &targets) {
  if (sources.size() != targets.size())
    return fail("has " + std::to_string(sources.size()) + " values for " +
                std::to_string(targets.size()) + " carried buffers");
  for (size_t i = 0; i < sources.size(); ++i)
    if (view.program.buffers[sources[i]]->bytes <
        view.program.buffers[targets[i]]->bytes)
      fail("buffer " + std::to_string(sources[i]) + " is smaller than buffer " +
           std::to_string(targets[i]) + ", which it is copied to");
}

void LoopChecker::begin(const LoopBeginT &op) {
  open.push_back({&op, current});
  if (op.id != numLoops++)
    fail("is loop " + std::to_string(op.id) + ", expected " +
         std::to_string(numLoops - 1));
  std::string bad = view.mesh.checkLoopAxis(op.axis, op.trips);
  if (!bad.empty())
    fail(bad);
  sizes(op.inits, op.carried);
  std::set<uint32_t> once(op.carried.begin(), op.carried.end());
  if (once.size() != op.carried.size() || once.count(op.index))
    fail("carries a buffer twice");
}

void LoopChecker::end(const LoopEndT &op) {
  if (open.empty())
    return fail("ends no loop");
  auto [begun, begunAt] = open.back();
  open.pop_back();
  if (op.begin != begunAt || begun->end != current)
    fail("ends the loop of instruction " + std::to_string(op.begin) +
         ", the open one is of instruction " + std::to_string(begunAt) +
         " and ends at " + std::to_string(begun->end));
  if (op.carried != begun->carried)
    fail("carries other buffers than its begin");
  sizes(op.nexts, op.carried);
  // Copies are made in order: none may destroy what a later one reads.
  for (size_t i = 0; i < op.nexts.size() && i < op.carried.size(); ++i)
    if (op.nexts[i] != op.carried[i] &&
        std::count(op.carried.begin(), op.carried.end(), op.nexts[i]) > 0)
      fail("goes on with buffer " + std::to_string(op.nexts[i]) +
           ", which carries another value");
}

/// A collective says how often it runs per step.
void LoopChecker::repeats(const CollectiveStartT &start) {
  uint64_t trips = 1;
  for (const auto &[loop, begunAt] : open)
    trips *= loop->trips;
  if (start.trip_count != trips)
    fail("says that it runs " + std::to_string(start.trip_count) +
         " times per step, it runs " + std::to_string(trips) + " times");
}

void LoopChecker::run() {
  const auto &instructions = view.program.instructions;
  for (current = 0; current < instructions.size(); ++current) {
    const OpUnion &op = instructions[current]->op;
    if (const auto *first = op.AsLoopBegin())
      begin(*first);
    else if (const auto *last = op.AsLoopEnd())
      end(*last);
    else if (const auto *start = op.AsCollectiveStart())
      repeats(*start);
  }
  for (const auto &[loop, begunAt] : open)
    problems.add(view.at(begunAt) + ": the loop has no end");
}

} // namespace

void verifyLoops(const ProgramView &view, Problems &problems) {
  LoopChecker(view, problems).run();
}

} // namespace partopt::plan
