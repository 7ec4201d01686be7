//===- ScheduleCollectives.cpp - Starts early, waits late -----------------===//
//
// States the block as a scheduling problem, and rebuilds it in the order of the
// answer. Views cost nothing: they follow their first reader.
//
//===----------------------------------------------------------------------===//

#include "ScheduleCost.h"
#include "UnitNotes.h"
#include "UpdateOrder.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/ShapeOps.h"

#include "partopt/Schedule/Passes.h"
#include "partopt/Schedule/ScheduleProblem.h"
#include "partopt/Support/MappingAttributes.h"
#include "partopt/Support/UnitAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_SCHEDULECOLLECTIVES
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class BlockScheduler {
public:
  BlockScheduler(func::FuncOp function, ScheduleCost &cost)
      : block(function.getBody().front()), cost(cost), updates(function) {}

  /// States a run of ops between the bounds of loops as a problem.
  ScheduleProblem problem(ArrayRef<Operation *> ops, unsigned prefetch,
                          unsigned lookahead);
  void rebuild(ArrayRef<ScheduleEntry> order);
  /// Places the begin or the end of a loop, across which nothing moves.
  void bound(Operation *op);
  /// After all sections.
  void finish();

  SmallVector<Operation *> steps;

private:
  void placeViews(Operation *reader);
  void start(unsigned step);
  void wait(unsigned step);

  Block &block;
  ScheduleCost &cost;
  UpdateOrder updates;
  llvm::DenseMap<Operation *, Operation *> startOf; // by original collective
};

ScheduleProblem BlockScheduler::problem(ArrayRef<Operation *> ops,
                                        unsigned prefetch, unsigned lookahead) {
  ScheduleProblem problem;
  steps.clear();
  problem.prefetch = prefetch;
  problem.lookahead = lookahead;
  llvm::DenseMap<Operation *, unsigned> stepOf;
  llvm::MapVector<Attribute, unsigned> streams;
  for (Operation *each : ops) {
    Operation &op = *each;
    if (isa<stablehlo::ReshapeOp>(op))
      continue;
    ScheduleStep step;
    step.nanoseconds = cost.nanoseconds(&op);
    if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op)) {
      step.isCollective = true;
      if (isa<comm::AllGatherOp>(op))
        step.limited = op.hasAttr(kStorageGatherAttr) ? LimitedGather::Parameter
                       : op.hasAttr(kRegatherAttr) ? LimitedGather::Activation
                                                   : LimitedGather::None;
      step.paced = isa<comm::ReduceScatterOp>(op) && op.hasAttr(kWrapUnitAttr);
      step.stream =
          streams.insert({collective.getAxes(), streams.size()}).first->second;
    }
    for (Value operand : op.getOperands())
      if (Operation *def = viewed(operand).getDefiningOp())
        if (stepOf.contains(def) &&
            !llvm::is_contained(step.needs, stepOf.lookup(def)))
          step.needs.push_back(stepOf.lookup(def));
    stepOf[&op] = steps.size();
    steps.push_back(&op);
    problem.steps.push_back(std::move(step));
  }
  updates.state(steps, problem);
  return problem;
}

/// Moves the views that `reader` reads to the end of what is placed.
void BlockScheduler::placeViews(Operation *reader) {
  for (Value operand : reader->getOperands())
    if (auto view = operand.getDefiningOp<stablehlo::ReshapeOp>()) {
      placeViews(view);
      if (!startOf.contains(view)) {
        view->moveBefore(block.getTerminator());
        startOf[view] = view;
      }
    }
}

void BlockScheduler::start(unsigned step) {
  Operation *op = steps[step];
  placeViews(op);
  SmallVector<Type> pending;
  for (Type type : op->getResultTypes())
    pending.push_back(comm::PendingType::get(type.getContext(),
                                             cast<RankedTensorType>(type)));
  OpBuilder builder(block.getTerminator());
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), pending,
                       op->getAttrs());
  startOf[op] = builder.create(state);
}

void BlockScheduler::wait(unsigned step) {
  Operation *op = steps[step];
  OpBuilder builder(block.getTerminator());
  auto wait = builder.create<comm::WaitOp>(op->getLoc(), op->getResultTypes(),
                                           startOf.lookup(op)->getResults());
  op->replaceAllUsesWith(wait);
}

void BlockScheduler::rebuild(ArrayRef<ScheduleEntry> order) {
  for (const ScheduleEntry &entry : order) {
    switch (entry.action) {
    case ScheduleAction::Run:
      placeViews(steps[entry.step]);
      steps[entry.step]->moveBefore(block.getTerminator());
      break;
    case ScheduleAction::Start:
      start(entry.step);
      break;
    case ScheduleAction::Wait:
      wait(entry.step);
      break;
    }
  }
}

void BlockScheduler::bound(Operation *op) {
  placeViews(op);
  op->moveBefore(block.getTerminator());
}

void BlockScheduler::finish() {
  placeViews(block.getTerminator());
  // What is left of the old order: replaced collectives and unread views.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa<stablehlo::ReshapeOp, comm::CollectiveOpInterface>(op) &&
        op.use_empty())
      op.erase();
}

struct ScheduleCollectivesPass
    : public partopt::impl::ScheduleCollectivesBase<ScheduleCollectivesPass> {
  using ScheduleCollectivesBase::ScheduleCollectivesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || function->hasAttr("partopt.kernel"))
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("needs one block to be scheduled");
      return signalPassFailure();
    }
    Block &block = function.getBody().front();
    if (failed(checkForm(block)))
      return signalPassFailure();
    if (failed(schedule(function, block)))
      return signalPassFailure();
  }

  /// Section by section: a collective is started and waited for between the
  /// same bounds of loops.
  LogicalResult schedule(func::FuncOp function, Block &block) {
    ScheduleCost cost;
    std::string wrong = cost.parse(machine);
    if (!wrong.empty())
      return function.emitOpError()
             << "cannot be scheduled for the machine: " << wrong;
    cost.useMapping(
        function->getParentOfType<ModuleOp>()->getAttrOfType<DictionaryAttr>(
            kMappingAttr));
    BlockScheduler scheduler(function, cost);
    SmallVector<Operation *> ops, section;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops) {
      bool isBound = isa<comm::LoopBeginOp, comm::LoopEndOp>(op);
      if (!isBound && op != block.getTerminator()) {
        section.push_back(op);
        continue;
      }
      if (failed(scheduleSection(function, scheduler, section)))
        return failure();
      section.clear();
      if (isBound)
        scheduler.bound(op);
    }
    scheduler.finish();
    noteUnits(function, prefetch);
    return success();
  }

  LogicalResult scheduleSection(func::FuncOp function,
                                BlockScheduler &scheduler,
                                ArrayRef<Operation *> section) {
    ScheduleProblem problem = scheduler.problem(section, prefetch, lookahead);
    std::string wrong = problem.check();
    std::vector<ScheduleEntry> order;
    if (wrong.empty()) {
      order = scheduleSteps(problem);
      wrong = verifySchedule(problem, order);
    }
    if (!wrong.empty())
      return function.emitOpError() << "has no valid schedule: " << wrong;
    count(problem, scheduler.steps, order);
    scheduler.rebuild(order);
    return success();
  }

  LogicalResult checkForm(Block &block) {
    for (Operation &op : block) {
      if (op.getNumRegions() != 0)
        return op.emitOpError("has regions; run partopt-form-kernels before "
                              "partopt-schedule-collectives");
      auto collective = dyn_cast<comm::CollectiveOpInterface>(op);
      if (isa<comm::WaitOp>(op) || (collective && collective.isStart()))
        return op.emitOpError(
            "is part of a started collective; "
            "partopt-schedule-collectives starts them itself");
    }
    return success();
  }

  void count(const ScheduleProblem &problem, ArrayRef<Operation *> steps,
             ArrayRef<ScheduleEntry> order) {
    llvm::DenseMap<unsigned, unsigned> startedAt;
    unsigned runs = 0;
    for (const ScheduleEntry &entry : order) {
      if (entry.action == ScheduleAction::Run) {
        ++runs;
      } else if (entry.action == ScheduleAction::Start) {
        startedAt[entry.step] = runs;
        ++collectives;
        payloadBytes += cast<comm::CollectiveOpInterface>(steps[entry.step])
                            .getPayloadBytes();
      } else {
        overlapped += runs > startedAt[entry.step];
      }
    }
  }
};

} // namespace
