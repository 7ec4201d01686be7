// See TrainingStep.h. Cones of dependence from the loss and from the gradients;
// gradients are found by walking back from each new parameter through ops that
// work element by element.

#include "partopt/Analysis/TrainingStep.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

static int64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : -1;
}

TrainingStep::TrainingStep(func::FuncOp func)
    : func(func), block(func.getBody().front()),
      updates(func.getNumArguments()) {
  int64_t next = 0;
  for (Operation &op : block)
    place[&op] = next++;
  findLoss();
  SmallVector<Value> states;
  for (BlockArgument argument : block.getArguments())
    if (roleOf(argument) == "opt" && !scalesGradients(argument))
      states.push_back(argument);
  ofState = dependentsOf(states);
  if (loss >= 0)
    for (unsigned i = 0; i < updates.size(); ++i)
      if (roleOf(func, i) == "param")
        findUpdate(i);
  findPhases();
}

/// A scalar that products depend on: a scale of the loss, which all gradients
/// are multiplied with, is none of what an update begins from.
bool TrainingStep::scalesGradients(BlockArgument argument) {
  if (elementsOf(argument) != 1)
    return false;
  OpSet dependents = dependentsOf(Value(argument));
  return llvm::any_of(dependents, [](Operation *op) {
    return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
  });
}

/// The ops of the block that `values` depend on, without those of `stop` and
/// what only these depend on.
TrainingStep::OpSet TrainingStep::dependencesOf(ValueRange values,
                                                const OpSet *stop) {
  OpSet cone;
  SmallVector<Operation *> work;
  auto visit = [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    if (def)
      def = block.findAncestorOpInBlock(*def);
    if (def && !(stop && stop->contains(def)) && cone.insert(def).second)
      work.push_back(def);
  };
  llvm::for_each(values, visit);
  while (!work.empty())
    work.pop_back_val()->walk(
        [&](Operation *inner) { llvm::for_each(inner->getOperands(), visit); });
  return cone;
}

TrainingStep::OpSet TrainingStep::dependentsOf(ArrayRef<Value> values) {
  OpSet cone;
  SmallVector<Value> work(values);
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      Operation *op = block.findAncestorOpInBlock(*user);
      if (op && op != block.getTerminator() && cone.insert(op).second)
        llvm::append_range(work, op->getResults());
    }
  return cone;
}

void TrainingStep::findLoss() {
  llvm::SmallDenseSet<int64_t> carried;
  SmallVector<Value> parameters;
  for (unsigned i = 0; i < updates.size(); ++i) {
    if (std::optional<unsigned> next = nextResultOf(func, i))
      carried.insert(updates[i].result = *next);
    if (roleOf(func, i) == "param")
      parameters.push_back(block.getArgument(i));
  }
  // Import has said which it is.
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (func.getResultAttr(i, "partopt.loss")) {
      loss = i;
      forward = dependencesOf(block.getTerminator()->getOperand(i), nullptr);
      return;
    }
  OpSet ofParameters = dependentsOf(parameters);
  bool isNamed = false;
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      continue;
    if (carried.contains(i) || !ofParameters.contains(value.getDefiningOp()))
      continue;
    auto name = func.getResultAttrOfType<StringAttr>(i, "partopt.name");
    bool saysLoss = name && name.getValue().contains_insensitive("loss");
    if (isNamed && !saysLoss)
      continue;
    OpSet cone = dependencesOf(value, nullptr);
    if (loss >= 0 && saysLoss == isNamed && cone.size() >= forward.size())
      continue;
    forward = std::move(cone);
    loss = i;
    isNamed = saysLoss;
  }
}

/// True for an op that only belongs to the update of a parameter of this size.
bool TrainingStep::isWithinUpdate(Operation *op, int64_t elements) {
  if (forward.contains(op) || op->getNumResults() != 1 ||
      elementsOf(op->getResult(0)) != elements)
    return false;
  return op->hasTrait<stablehlo::Elementwise>() ||
         isa<stablehlo::ReshapeOp, sdy::ShardingConstraintOp, sdy::ReshardOp>(
             op);
}

/// Where the walk ends: a gradient, unless it is a scale, a constant, or made
/// from what the optimizer keeps.
bool TrainingStep::isPureLeaf(Value value) {
  Operation *op = value.getDefiningOp();
  return op && !ofState.contains(op) &&
         !isa<stablehlo::BroadcastInDimOp, stablehlo::ConstantOp,
              stablehlo::IotaOp>(op);
}

void TrainingStep::findUpdate(unsigned argument) {
  ParameterUpdate &update = updates[argument];
  if (update.result < 0)
    return;
  int64_t elements = elementsOf(block.getArgument(argument));
  llvm::DenseMap<Operation *, bool> pure; // of the ops within the update
  SmallVector<Operation *> order;
  SmallVector<Value> work{
      block.getTerminator()->getOperand(unsigned(update.result))};
  Value root = work.front();
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto other = dyn_cast<BlockArgument>(value)) {
      if (roleOf(other) == "opt" &&
          !llvm::is_contained(update.states, other.getArgNumber()))
        update.states.push_back(other.getArgNumber());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isWithinUpdate(op, elements) || !pure.insert({op, true}).second)
      continue;
    order.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
  llvm::sort(update.states);
  llvm::sort(order, [&](Operation *a, Operation *b) {
    return place.lookup(a) < place.lookup(b);
  });
  auto isPure = [&](Value value) {
    auto inner = pure.find(value.getDefiningOp());
    return inner != pure.end() ? inner->second : isPureLeaf(value);
  };
  // A value whose use is not pure is where the update starts.
  for (Operation *op : order)
    pure[op] = llvm::all_of(op->getOperands(), isPure);
  auto addGradient = [&](Value value) {
    if (isPure(value) && elementsOf(value) == elements &&
        !llvm::is_contained(update.gradients, value))
      update.gradients.push_back(value);
  };
  for (Operation *op : order)
    if (!pure[op])
      llvm::for_each(op->getOperands(), addGradient);
  addGradient(root);
  anyGradient |= !update.gradients.empty();
}

void TrainingStep::findPhases() {
  if (!anyGradient)
    return;
  SmallVector<Value> gradients, next;
  for (unsigned i = 0; i < updates.size(); ++i) {
    llvm::append_range(gradients, updates[i].gradients);
    StringRef role = roleOf(func, i);
    if ((role == "param" || role == "opt") && updates[i].result >= 0)
      next.push_back(block.getTerminator()->getOperand(updates[i].result));
  }
  OpSet backward = dependencesOf(gradients, &forward);
  OpSet after = dependentsOf(gradients);
  OpSet feeds = dependencesOf(next, &forward);
  for (Operation &op : block) {
    if (forward.contains(&op))
      continue;
    if (backward.contains(&op))
      phases[&op] = StepPhase::Backward;
    else if (after.contains(&op) || ofState.contains(&op) ||
             feeds.contains(&op))
      phases[&op] = StepPhase::Update;
    else // what nobody reads, such as the batch's own gradient
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *def = operand.getDefiningOp())
            if (StepPhase phase = phaseOf(def); phase > phaseOf(&op))
              phases[&op] = phase;
      });
  }
}

StepPhase TrainingStep::phaseOf(Operation *op) const {
  if (Operation *own = block.findAncestorOpInBlock(*op))
    return phases.lookup(own); // the first phase where nothing is known
  return StepPhase::Forward;
}

bool TrainingStep::feedsLoss(Operation *op) const {
  return forward.contains(block.findAncestorOpInBlock(*op));
}
