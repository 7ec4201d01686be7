// See PipelineBody.h.

#include "PipelineBody.h"

#include "NoLoop.h"
#include "StackRows.h"

#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

using namespace mlir;
using namespace partopt;

namespace {

bool isState(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  StringRef role = argument ? roleOf(argument) : "";
  return role == "param" || role == "opt" || role == "state";
}

/// Work that is cheaper to repeat than to send.
bool isLight(Operation *op) {
  using namespace stablehlo;
  return op->hasTrait<Elementwise>() ||
         isa<ConstantOp, IotaOp, BroadcastInDimOp, ReshapeOp, TransposeOp,
             SliceOp, DynamicSliceOp, PadOp, ConcatenateOp, ReverseOp,
             comm::AxisIndexOp>(op);
}

/// A gather of a stored parameter, or what is done to bring it into its form.
bool isOfGather(Operation *op) {
  using namespace stablehlo;
  return isa<comm::AllGatherOp, ConvertOp, ReshapeOp, TransposeOp, SliceOp,
             ConcatenateOp>(op);
}

/// The ops that `values` depend on, transitively, of those that `holds`.
template <typename Predicate>
llvm::DenseSet<Operation *> coneOf(ValueRange values, Predicate holds) {
  llvm::DenseSet<Operation *> cone;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Operation *def = work.pop_back_val().getDefiningOp();
    if (!def || !holds(def) || !cone.insert(def).second)
      continue;
    def->walk([&](Operation *inner) {
      llvm::append_range(work, inner->getOperands());
    });
  }
  return cone;
}

/// A loop in which a parameter or other state has a part.
bool readsState(comm::LoopBeginOp begin, Operation *end) {
  for (Operation *op = begin; op != end; op = op->getNextNode()) {
    auto cone = coneOf(op->getOperands(), [&](Operation *def) {
      return def->isBeforeInBlock(begin);
    });
    cone.insert(op);
    for (Operation *user : cone)
      if (llvm::any_of(user->getOperands(), isState))
        return true;
  }
  return false;
}

} // namespace

Operation *PipelineBody::inLoop(Operation *op) const {
  Operation *own = block->findAncestorOpInBlock(*op);
  return own && bodySet.contains(own) ? own : nullptr;
}

std::optional<int64_t> PipelineBody::forwardPosition(Operation *op) const {
  Operation *own = inLoop(op);
  if (!own || !forwardSet.contains(own))
    return std::nullopt;
  return position.lookup(own);
}

bool PipelineBody::isInFront(Operation *op) const {
  Operation *own = block->findAncestorOpInBlock(*op);
  return own && own->isBeforeInBlock(begin);
}

/// Batch arguments, the iteration, and what is made of them and of values that
/// no state has a part in; or what is made of state alone: a stored parameter
/// is gathered where it is used.
void PipelineBody::findFree() {
  llvm::DenseSet<Value> ofBatch; // or of the iteration
  for (BlockArgument argument : block->getArguments())
    (isState(argument) ? ofState : ofBatch).insert(argument);
  ofBatch.insert(begin->result_begin(), begin->result_end());
  auto anyOperand = [](Operation &op, const llvm::DenseSet<Value> &values) {
    return op
        .walk([&](Operation *inner) {
          return llvm::any_of(
                     inner->getOperands(),
                     [&](Value operand) { return values.contains(operand); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Operation &op : *block) {
    bool readsState = anyOperand(op, ofState);
    bool readsBatch = anyOperand(op, ofBatch);
    // What a loop carries is looked at where it is made.
    if (readsState && !isa<comm::LoopBeginOp>(op))
      ofState.insert(op.result_begin(), op.result_end());
    if (readsBatch)
      ofBatch.insert(op.result_begin(), op.result_end());
    if ((readsState && readsBatch) || !bodySet.contains(&op) ||
        !(readsState ? isOfGather(&op) : isLight(&op)))
      continue;
    bool isMadeOfFree = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !def || !bodySet.contains(def) || freeOps.contains(def);
    });
    bool readsCarried = llvm::any_of(op.getOperands(), [&](Value operand) {
      return llvm::is_contained(begin.getCarried(), operand);
    });
    if (isMadeOfFree && !readsCarried)
      freeOps.insert(&op);
  }
}

/// It returns new parameters, or their gradients.
static bool trains(func::FuncOp func) {
  llvm::DenseSet<Type> types;
  for (BlockArgument argument : func.getArguments())
    if (roleOf(argument) == "param") {
      types.insert(argument.getType());
      if (nextResultOf(func, argument.getArgNumber()))
        return true;
    }
  return llvm::any_of(func.getResultTypes(),
                      [&](Type type) { return types.contains(type); });
}

void PipelineBody::findForward(func::FuncOp func) {
  auto inBody = [&](Operation *op) { return bodySet.contains(op); };
  SmallVector<Value> roots;
  Operation *terminator = block->getTerminator();
  bool isTraining = trains(func);
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    // A number that inference returns is no loss.
    if (!isTraining || !func.getResultAttr(i, "partopt.loss"))
      continue;
    // Behind the loop, back to what it has accumulated.
    Value loss = terminator->getOperand(i);
    SmallVector<Value> work{loss};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      Operation *def = value.getDefiningOp();
      if (!def || !seen.insert(value).second)
        continue;
      if (def == end)
        roots.push_back(
            end.getNexts()[cast<OpResult>(value).getResultNumber()]);
      else if (!def->isBeforeInBlock(end))
        llvm::append_range(work, def->getOperands());
    }
  }
  if (!roots.empty())
    forwardSet = coneOf(roots, inBody);
  for (Operation *op : body) {
    if (freeOps.contains(op))
      continue;
    if (!roots.empty() && !forwardSet.contains(op)) {
      backward.push_back(op);
      continue;
    }
    forwardSet.insert(op);
    position[op] = int64_t(forward.size());
    forward.push_back(op);
  }
}

int64_t PipelineBody::lastForwardUse(Value value) const {
  auto [known, isNew] = lastUses.insert({value, -1});
  if (!isNew)
    return known->second;
  int64_t last = -1;
  for (Operation *user : value.getUsers()) {
    Operation *own = block->findAncestorOpInBlock(*user);
    if (forwardSet.contains(own) && !freeOps.contains(own))
      last = std::max(last, position.lookup(own));
    else if (own && (own->isBeforeInBlock(begin) || freeOps.contains(own)))
      for (Value result : own->getResults())
        last = std::max(last, lastForwardUse(result));
  }
  return lastUses[value] = last;
}

/// How far up the chain a backward op may lie that reads `value`.
int64_t PipelineBody::anchor(Value value) const {
  auto known = anchors.find(value);
  if (known != anchors.end())
    return known->second;
  Operation *def = value.getDefiningOp();
  Operation *own = def ? inLoop(def) : nullptr;
  int64_t found = kAnywhere;
  if (own && !freeOps.contains(own)) {
    found = forwardSet.contains(own)
                ? std::max(lastForwardUse(value), position.lookup(own))
                : position.lookup(own);
  } else if (ofState.contains(value)) {
    // A parameter, or what is made of parameters alone.
    if (int64_t last = lastForwardUse(value); last >= 0)
      found = last;
    else if (def && (own || (def != begin && def->isBeforeInBlock(begin))))
      for (Value operand : def->getOperands())
        found = std::min(found, anchor(operand));
  } else if (own) {
    // Made of the batch: the first layer's weights' gradient is beside them.
    if (int64_t last = lastForwardUse(value); last >= 0)
      found = last;
  }
  anchors[value] = found;
  return found;
}

void PipelineBody::findBackward() {
  int64_t last = std::max<int64_t>(int64_t(forward.size()) - 1, 0);
  for (Operation *op : backward) {
    int64_t at = kAnywhere;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          at = std::min(at, anchor(operand));
    });
    position[op] = std::min(at, last);
  }
}

/// What reads these rows of a parameter that has one per layer, or null.
static Value readerOfRows(Value parameter, RowRange rows) {
  for (Operation *user : parameter.getUsers())
    if (std::optional<RowRange> read = slicedRows(user); read && *read == rows)
      return user->getResult(0);
  return {};
}

namespace {

/// By number of what the loop carries: the parameter, or the rows of one, whose
/// next value is made of it element by element.
class GradientFinder {
public:
  GradientFinder(func::FuncOp func, comm::LoopEndOp end)
      : func(func), end(end) {}

  llvm::DenseMap<unsigned, Value> run() {
    Operation *terminator = func.front().getTerminator();
    for (BlockArgument argument : func.getArguments()) {
      auto next = nextResultOf(func, argument.getArgNumber());
      if (next && roleOf(argument) == "param")
        follow(terminator->getOperand(*next), argument);
    }
    return std::move(parameterOf);
  }

private:
  static int64_t elementsOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getNumElements() : -1;
  }

  /// Collectives behind the loop scatter and gather what is one tensor still.
  void follow(Value root, Value parameter) {
    SmallVector<std::pair<Value, int64_t>> work{{root, elementsOf(root)}};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      auto [value, elements] = work.pop_back_val();
      Operation *def = value.getDefiningOp();
      if (!def || elementsOf(value) != elements || !seen.insert(value).second)
        continue;
      unsigned number = cast<OpResult>(value).getResultNumber();
      if (def == end) {
        parameterOf[number] = parameter;
      } else if (auto rows = dyn_cast<stablehlo::ConcatenateOp>(def)) {
        followRows(rows, parameter);
      } else if (isa<comm::CollectiveOpInterface>(def)) {
        Value before = def->getOperand(number);
        work.push_back({before, elementsOf(before)});
      } else if (!def->isBeforeInBlock(end)) {
        for (Value operand : def->getOperands())
          work.push_back({operand, elements});
      }
    }
  }

  /// A gradient that is put together of the layers'.
  void followRows(stablehlo::ConcatenateOp gradient, Value parameter) {
    int64_t begin = 0;
    if (gradient.getDimension() != 0)
      return;
    for (Value operand : gradient.getOperands()) {
      RowRange rows{begin, begin + rowsOf(operand)};
      begin = rows.end;
      if (Value reader = readerOfRows(parameter, rows))
        follow(operand, reader);
    }
  }

  func::FuncOp func;
  comm::LoopEndOp end;
  llvm::DenseMap<unsigned, Value> parameterOf;
};

} // namespace

/// The gradient of a bias reads nothing but the gradient of what it was added
/// to, which may be another stage's: what one parameter's gradient alone needs
/// goes to where the parameter is used, if it reads gradients only.
void PipelineBody::pullToParameters(func::FuncOp func) {
  constexpr int64_t kNone = -1, kSeveral = -2;
  llvm::DenseMap<unsigned, Value> parameterOf = GradientFinder(func, end).run();
  llvm::DenseMap<Operation *, int64_t> only; // the accumulator of an op's users
  for (Operation *op : llvm::reverse(backward)) {
    int64_t accumulator = kNone;
    for (OpOperand &use : op->getUses()) {
      Operation *user = inLoop(use.getOwner());
      int64_t here = !user                 ? int64_t(use.getOperandNumber())
                     : only.contains(user) ? only.lookup(user)
                                           : kSeveral;
      accumulator =
          accumulator == kNone || accumulator == here ? here : kSeveral;
    }
    only[op] = accumulator;
    bool readsGradients = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !forwardSet.contains(def) &&
             (def == begin || !ofState.contains(operand) ||
              (bodySet.contains(def) && !freeOps.contains(def)));
    });
    // What a loop inside reads is more than its operands.
    readsGradients &= !isa<comm::LoopOp>(op);
    if (accumulator < 0 || !readsGradients)
      continue;
    Value parameter = parameterOf.lookup(unsigned(accumulator));
    int64_t last = parameter ? lastForwardUse(parameter) : -1;
    if (last < 0)
      continue;
    // Not below what reads it: gradients flow down.
    for (Operation *user : op->getUsers())
      if (Operation *own = inLoop(user))
        last = std::max(last, position.lookup(own));
    position[op] = std::min(position[op], last);
  }
}

FailureOr<PipelineBody> PipelineBody::read(func::FuncOp func) {
  PipelineBody found;
  found.block = &func.getBody().front();
  for (auto begin : found.block->getOps<comm::LoopBeginOp>()) {
    comm::LoopEndOp end = begin.getEnd();
    if (!readsState(begin, end))
      continue;
    if (found.begin)
      return begin.emitError()
             << "pipeline stages cannot be cut where every microbatch waits "
                "for a sum over the whole batch in which parameters have a "
                "part; use --batch-statistics micro, or leave out pp";
    found.begin = begin;
    found.end = end;
  }
  if (!found.begin)
    return errorNoLoop(func);
  for (Operation *op = found.begin->getNextNode(); op != found.end;
       op = op->getNextNode()) {
    found.body.push_back(op);
    found.bodySet.insert(op);
  }
  found.findFree();
  found.findForward(func);
  found.findBackward();
  found.pullToParameters(func);
  return found;
}
