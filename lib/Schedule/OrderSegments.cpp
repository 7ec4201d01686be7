//===- OrderSegments.cpp - partopt-order-segments -------------------------===//
//
// Which segment runs which microbatch next, on every rank of a pipeline: an
// order of a named schedule, or one made for the segments' own times.
//
//===----------------------------------------------------------------------===//

#include "PlaceMessages.h"
#include "ScheduleCost.h"

#include "dialects/Comm/Comm.h"

#include "partopt/PipelineSchedule/ChooseSchedule.h"
#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/SimulateSchedule.h"
#include "partopt/PipelineSchedule/Synthesis.h"
#include "partopt/PipelineSchedule/VerifySchedule.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Schedule/Passes.h"
#include "partopt/Support/MappingAttributes.h"
#include "partopt/Support/StageAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_ORDERSEGMENTS
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// A loop of a rank's program that is a part of a stage.
struct SegmentLoop {
  int64_t number; ///< among all loops of the program
  int64_t trips;
  Operation *begin, *end;
  double nanoseconds = 0; ///< of one iteration
  double messages = 0;    ///< nanoseconds that what it sends is on its way
};

/// One rank's program, its segments by stage and part.
struct RankSegments {
  func::FuncOp func;
  std::map<std::pair<int64_t, char>, SegmentLoop> segments;
};

RankSegments readSegments(func::FuncOp func, ScheduleCost &cost) {
  RankSegments rank{func, {}};
  int64_t number = 0, depth = 0;
  SmallVector<double> times{1}; // that an iteration runs an op, by depth
  SegmentLoop *open = nullptr;
  for (Operation &op : func.getBody().front()) {
    if (auto begin = dyn_cast<comm::LoopBeginOp>(op)) {
      auto stage = op.getAttrOfType<IntegerAttr>(kStageAttr);
      auto part = op.getAttrOfType<StringAttr>(kStagePartAttr);
      if (depth++ == 0 && stage && part) {
        open = &rank.segments[{stage.getInt(), part.getValue().front()}];
        *open = {number, int64_t(begin.getTrips()), begin, nullptr};
      }
      times.push_back(depth == 1 ? 1 : times.back() * double(begin.getTrips()));
      ++number;
    } else if (isa<comm::LoopEndOp>(op)) {
      times.pop_back();
      if (--depth == 0 && open) {
        open->end = &op;
        open = nullptr;
      }
    } else if (auto send = dyn_cast<comm::SendOp>(op)) {
      if (open)
        open->messages += 1e9 * cost.message(send);
    } else if (open && !isa<comm::RecvOp>(op)) {
      open->nanoseconds += times.back() * double(cost.nanoseconds(&op));
    }
  }
  return rank;
}

/// What stands between the first segment and the last and is in none of them
/// reads nothing that they make: it goes in front.
void hoistBetween(RankSegments &rank) {
  Operation *first = nullptr, *last = nullptr;
  for (auto &[key, segment] : rank.segments) {
    if (!first || segment.begin->isBeforeInBlock(first))
      first = segment.begin;
    if (!last || last->isBeforeInBlock(segment.end))
      last = segment.end;
  }
  bool inside = false;
  SmallVector<Operation *> between;
  for (Operation *op = first; op && op != last; op = op->getNextNode()) {
    inside |= op->hasAttr(kStageAttr) && isa<comm::LoopBeginOp>(op);
    if (!inside)
      between.push_back(op);
    for (auto &[key, segment] : rank.segments)
      inside &= segment.end != op;
  }
  for (Operation *op : between)
    op->moveBefore(first);
}

struct OrderSegmentsPass
    : public partopt::impl::OrderSegmentsBase<OrderSegmentsPass> {
  using OrderSegmentsBase::OrderSegmentsBase;

  void runOnOperation() override {
    ScheduleCost cost;
    std::string wrong = cost.parse(machine);
    cost.useMapping(
        getOperation()->getAttrOfType<DictionaryAttr>(kMappingAttr));
    std::map<int64_t, RankSegments> ranks;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (auto rank = func->getAttrOfType<IntegerAttr>(kPipelineRankAttr))
        ranks.emplace(rank.getInt(), readSegments(func, cost));
    if (ranks.empty())
      return;
    pipeline::Problem problem;
    pipeline::Schedule order;
    if (wrong.empty())
      wrong = makeOrder(ranks, problem, order);
    if (wrong.empty())
      wrong = pipeline::verifySchedule(problem, order);
    if (!wrong.empty()) {
      getOperation().emitError("--schedule ") << schedule << ": " << wrong;
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> programs;
    for (auto &[number, rank] : ranks) {
      writeTurns(rank, order.ranks[size_t(number)]);
      hoistBetween(rank);
      programs.push_back(rank.func);
    }
    if (failed(placeMessages(programs)))
      signalPassFailure();
  }

  /// Which stages the ranks have, and what these take.
  std::string describe(const std::map<int64_t, RankSegments> &ranks,
                       pipeline::Problem &problem) {
    std::map<int64_t, int> rankOf;
    std::map<int64_t, pipeline::StageTimes> times;
    for (const auto &[number, rank] : ranks)
      for (const auto &[key, segment] : rank.segments) {
        auto [stage, part] = key;
        rankOf[stage] = int(number);
        problem.microbatches = int(segment.trips);
        pipeline::StageTimes &time =
            times.try_emplace(stage, pipeline::StageTimes{0, 0, 0})
                .first->second;
        problem.latency = std::max(problem.latency, segment.messages);
        (part == 'F'   ? time.forward
         : part == 'W' ? time.weightGrad
                       : time.inputGrad) += segment.nanoseconds;
      }
    std::vector<int> stageRanks;
    for (auto [stage, rank] : rankOf) {
      if (stage != int64_t(stageRanks.size()))
        return "stage " + std::to_string(stageRanks.size()) + " has no segment";
      stageRanks.push_back(rank);
      problem.times.push_back(times[stage]);
    }
    problem.placement = pipeline::Placement(int(ranks.size()), stageRanks);
    return problem.check();
  }

  std::string makeOrder(const std::map<int64_t, RankSegments> &ranks,
                        pipeline::Problem &problem, pipeline::Schedule &order) {
    bool hasBackward = false;
    for (const auto &[number, rank] : ranks)
      for (const auto &[key, segment] : rank.segments)
        hasBackward |= key.second != 'F';
    problem.forwardOnly = !hasBackward;
    if (hasBackward && schedule == "inference")
      return "it runs forward alone, and this step computes gradients; 1f1b "
             "and zb-h1 run both";
    if (std::string wrong = describe(ranks, problem); !wrong.empty())
      return wrong;
    pipeline::ScheduleRequest request;
    request.name = hasBackward ? schedule.getValue() : "inference";
    request.ranks = problem.ranks();
    request.microbatches = problem.microbatches;
    request.stages = problem.stages();
    if (std::string wrong = readScheduleFile(request); !wrong.empty())
      return wrong;
    pipeline::ScheduleChoice choice;
    if (std::string wrong = chooseSchedule(request, choice); !wrong.empty())
      return wrong;
    for (int stage = 0; !hasBackward && stage < problem.stages(); ++stage)
      if (choice.placement.rank(stage, 0) != problem.placement.rank(stage, 0))
        return "it has two stages per rank, down and up, and this step "
               "computes no gradients; use --schedule inference";
    if (choice.order) {
      order = std::move(*choice.order);
      return "";
    }
    problem.rankCaps.assign(caps.begin(), caps.end());
    if (std::string wrong = problem.check(); !wrong.empty())
      return wrong;
    pipeline::Synthesis made;
    std::string wrong = pipeline::synthesize({problem}, made);
    if (wrong.empty() && hasBackward)
      addNote(getOperation(), "schedule", whyMade(made));
    order = std::move(made.schedule);
    return wrong;
  }

  /// The order that was made beside the named ones of the same stages.
  static std::string whyMade(const pipeline::Synthesis &made) {
    auto text = [](double nanoseconds) {
      return plan::secondsText(nanoseconds * 1e-9);
    };
    const pipeline::Problem &problem = made.problem;
    pipeline::ScheduleShape shape;
    shape.ranks = problem.ranks();
    shape.microbatches = problem.microbatches;
    shape.chunks = problem.stages() / problem.ranks();
    std::string others;
    for (const std::string &name : pipeline::scheduleNames()) {
      if (name == "inference" || !pipeline::checkShape(name, shape).empty())
        continue;
      pipeline::Schedule order = pipeline::makeSchedule(name, shape);
      if (pipeline::verifySchedule(problem, order).empty())
        others += name + " " +
                  text(pipeline::simulateSchedule(problem, order).makespan) +
                  ", ";
    }
    return "schedule: an order made for this step (auto: by the segments' own "
           "times and messages of " +
           text(problem.latency) + " it takes " + text(made.makespan) + ", " +
           others + "and no order of these stages less than " +
           text(made.lowerBound) + ")";
  }

  void writeTurns(const RankSegments &rank,
                  const std::vector<pipeline::Step> &steps) {
    std::vector<int64_t> turns;
    auto add = [&](const pipeline::Action &action, char part) {
      auto found = rank.segments.find({action.stage, part});
      if (found == rank.segments.end())
        return; // nothing to do there
      turns.push_back(found->second.number);
      turns.push_back(action.microbatch);
    };
    auto addAction = [&](const pipeline::Action &action) {
      switch (action.kind) {
      case pipeline::ActionKind::Forward:
        return add(action, 'F');
      case pipeline::ActionKind::InputGrad:
        // With both gradients in one, which then take no time apart.
        for (char part : {'B', 'I'})
          add(action, part);
        return;
      case pipeline::ActionKind::WeightGrad:
        return add(action, 'W');
      case pipeline::ActionKind::Backward:
        for (char part : {'B', 'I', 'W'})
          add(action, part);
      }
    };
    for (const pipeline::Step &step : steps) {
      addAction(step.action);
      if (step.overlapped)
        addAction(*step.overlapped);
    }
    Builder builder(&getContext());
    rank.func->setAttr(kTurnsAttr, builder.getDenseI64ArrayAttr(turns));
  }
};

} // namespace
