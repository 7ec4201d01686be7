//===- VerifyCollectiveOrder.cpp - One order of collectives ---------------===//
//
// On a GPU a collective occupies the device until all members have come. Two
// that are started in opposite order on two devices may each keep the other
// out, although they are on different streams and nothing waits. So there has
// to be one order of all collectives that every rank's starts follow, whatever
// their axes and streams. Classes are taken along their starts together: a
// collective is taken when it is next for all that it joins; if none can be,
// two classes start some in opposite order.
//
// Messages are left out: a send or a receive waits for one peer only, on a
// stream of its own, and verifyProgress shows that it comes.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ProgramWalk.h"

#include <deque>

namespace partopt::plan {

namespace {

/// A class and the collective that it starts next.
struct Starter {
  explicit Starter(const ProgramView &view) : view(view), walk(view.program) {
    advance();
  }

  void advance() {
    for (next = nullptr; !next && walk.next(step);) {
      const auto *op =
          view.program.instructions[step.instruction]->op.AsCollectiveStart();
      if (op && !isMessage(*op))
        next = op;
    }
  }

  const ProgramView &view;
  ProgramWalk walk;
  WalkStep step;
  const CollectiveStartT *next = nullptr; ///< null at the end
};

class OrderPlay {
public:
  explicit OrderPlay(const std::vector<ProgramView> &views)
      : meetings(views.front().plan) {
    for (const ProgramView &view : views)
      starters.emplace_back(view);
  }

  /// Takes the class's next collective, if it is next for all who join it.
  bool take(size_t index) {
    const CollectiveStartT *op = starters[index].next;
    if (!op)
      return false;
    const std::set<size_t> &joined = meetings.with(index, op->axes);
    for (size_t other : joined)
      if (!starters[other].next || starters[other].next->id != op->id)
        return false;
    for (size_t other : joined)
      starters[other].advance();
    return true;
  }

  void run(Problems &problems) {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < starters.size(); ++i)
        while (take(i))
          moved = true;
    }
    std::string stuck;
    for (const Starter &starter : starters)
      if (starter.next)
        stuck += (stuck.empty() ? "" : "; ") +
                 starter.view.at(starter.step.instruction) + " starts " +
                 collectiveName(starter.next->kind) + " " +
                 std::to_string(starter.next->id) + " next";
    if (!stuck.empty())
      problems.add(
          "collectives have no order that all ranks follow, so that "
          "two of them could keep each other from starting on a GPU: " +
          stuck);
  }

private:
  Meetings meetings;
  std::deque<Starter> starters; // by class
};

} // namespace

void verifyCollectiveOrder(const std::vector<ProgramView> &views,
                           Problems &problems) {
  if (views.size() > 1) // one class has the order of its program
    OrderPlay(views).run(problems);
}

} // namespace partopt::plan
