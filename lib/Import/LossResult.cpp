// See LossResult.h. A derivative takes from the forward computation what its
// rules need: this is what tells the scalar that is derived from a metric
// beside it, and both from what is computed of the gradients.

#include "LossResult.h"

#include "BackwardSlice.h"
#include "ElementFlow.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Import/Import.h"

#include "llvm/ADT/STLExtras.h"

#include <iterator>
#include <tuple>

using namespace mlir;
using namespace partopt;

namespace {

struct Candidate {
  unsigned result;
  StringRef name;
  BackwardSlice slice;
  llvm::BitVector derived; ///< arguments that it has a derivative by

  Candidate(func::FuncOp func, unsigned result, StringRef name)
      : result(result), name(name),
        slice(func.front().getTerminator()->getOperand(result)),
        derived(func.getNumArguments()) {
    llvm::BitVector all(func.getNumArguments());
    slice.run(func.front(), all);
    BackwardSlice(func.front().getTerminator()->getOperand(result),
                  /*differentiable=*/true)
        .run(func.front(), derived);
  }

  bool isCalledLoss() const { return name.contains_insensitive("loss"); }
};

/// An argument that the step gives a new value.
struct Update {
  unsigned argument;
  Value next;
};

class LossFinder {
public:
  LossFinder(func::FuncOp func, ArrayRef<int64_t> carriedTo)
      : func(func), carriedTo(carriedTo) {}
  LossChoice run();

private:
  /// What decides between candidates, the best one least.
  using Rank = std::tuple<size_t, size_t, size_t>;

  void addCandidates();
  void addUpdates();
  bool isUpdated(const Candidate &candidate) const;
  std::vector<llvm::DenseSet<Value>> gradientsOfUpdates() const;
  size_t countUnused(const Candidate &candidate,
                     const llvm::DenseSet<Value> &used);
  LossChoice byDerivative(ArrayRef<const Candidate *> of);
  LossChoice byCost() const;

  Value valueOf(unsigned result) const {
    return func.front().getTerminator()->getOperand(result);
  }

  mutable func::FuncOp func;
  ArrayRef<int64_t> carriedTo;
  std::vector<Candidate> candidates;
  SmallVector<Update> updates;
};

} // namespace

static bool isFloat(Type type, bool isScalar) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (tensor.getRank() == 0) == isScalar &&
         isa<FloatType>(tensor.getElementType());
}

void LossFinder::addCandidates() {
  for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
    if (!isFloat(type, /*isScalar=*/true) ||
        llvm::is_contained(carriedTo, int64_t(index)))
      continue;
    auto info = func.getResultAttrOfType<StringAttr>(index, "jax.result_info");
    candidates.emplace_back(func, index, info ? info.getValue() : "");
  }
}

/// Where no next value is known, a result that the argument goes into element
/// by element.
void LossFinder::addUpdates() {
  auto types = func.getArgumentTypes();
  for (auto [argument, result] : llvm::enumerate(carriedTo))
    if (result >= 0 && isFloat(types[argument], /*isScalar=*/false))
      updates.push_back({unsigned(argument), valueOf(result)});
  if (!updates.empty())
    return;
  for (auto [result, type] : llvm::enumerate(func.getResultTypes())) {
    if (!isFloat(type, /*isScalar=*/false) || !llvm::is_contained(types, type))
      continue;
    Value next = valueOf(result);
    llvm::BitVector from = argumentsFlowingInto(func, next, FlowKind::InPlace);
    for (unsigned argument : from.set_bits())
      if (types[argument] == type && next != func.getArgument(argument))
        updates.push_back({argument, next});
  }
}

bool LossFinder::isUpdated(const Candidate &candidate) const {
  return llvm::any_of(updates, [&](const Update &update) {
    return candidate.derived.test(update.argument);
  });
}

/// By update: what it begins from, without what others of these depend on, as
/// an earlier step within this one has.
std::vector<llvm::DenseSet<Value>> LossFinder::gradientsOfUpdates() const {
  std::vector<llvm::DenseSet<Value>> gradients;
  for (const Update &update : updates) {
    SmallVector<Value> begins = elementOrigins(update.next);
    llvm::DenseSet<Value> &last =
        gradients.emplace_back(begins.begin(), begins.end());
    if (begins.size() < 2)
      continue;
    SmallVector<Value> operands;
    Operation *first = begins.front().getDefiningOp();
    for (Value value : begins) {
      Operation *op = value.getDefiningOp();
      llvm::append_range(operands, op->getOperands());
      if (op->getBlock() == first->getBlock() && op->isBeforeInBlock(first))
        first = op;
    }
    BackwardSlice earlier(operands, /*differentiable=*/false, first);
    llvm::BitVector ignored(func.getNumArguments());
    earlier.run(func.front(), ignored);
    for (Value value : begins)
      if (earlier.contains(value))
        last.erase(value);
  }
  return gradients;
}

/// The derivative of the op by its operands in `varying` is a constant of the
/// others.
static bool isLinear(Operation *op, const llvm::DenseSet<Value> &varying) {
  auto isConstant = [&](unsigned operand) {
    return !varying.contains(op->getOperand(operand));
  };
  return isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::NegOp,
             stablehlo::ConvertOp, stablehlo::ReducePrecisionOp,
             stablehlo::SelectOp>(op) ||
         (isa<stablehlo::MulOp>(op) && (isConstant(0) || isConstant(1))) ||
         (isa<stablehlo::DivOp>(op) && isConstant(1));
}

/// Ops between updated arguments and the candidate whose derivative nothing of
/// `used` can be a part of: they are not linear, and neither operand nor result
/// is there.
size_t LossFinder::countUnused(const Candidate &candidate,
                               const llvm::DenseSet<Value> &used) {
  llvm::DenseSet<Value> varying;
  for (const Update &update : updates)
    varying.insert(func.getArgument(update.argument));
  size_t unused = 0;
  for (Operation &op : func.front().without_terminator()) {
    if (op.getNumResults() != 1 || !candidate.slice.contains(op.getResult(0)))
      continue;
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    auto isVarying = [&](Value value) { return varying.contains(value); };
    if (llvm::none_of(op.getOperands(), isVarying) || !type ||
        !isa<FloatType>(type.getElementType()))
      continue;
    varying.insert(op.getResult(0));
    auto isUsed = [&](Value value) { return used.contains(value); };
    if (op.hasTrait<stablehlo::Elementwise>() && !isLinear(&op, varying) &&
        !isUsed(op.getResult(0)) && llvm::none_of(op.getOperands(), isUsed))
      ++unused;
  }
  return unused;
}

LossChoice LossFinder::byDerivative(ArrayRef<const Candidate *> of) {
  std::vector<llvm::DenseSet<Value>> gradients = gradientsOfUpdates();
  SmallVector<Value> next;
  for (const Update &update : updates)
    next.push_back(update.next);
  BackwardSlice used(next);
  llvm::BitVector ignored(func.getNumArguments());
  used.run(func.front(), ignored);

  SmallVector<Value> behindLoss;
  for (auto [update, values] : llvm::zip(updates, gradients)) {
    unsigned argument = update.argument;
    // What all have that know the argument is made on the way to the loss.
    auto isForward = [&](Value value) {
      return llvm::all_of(of, [&](const Candidate *other) {
        return !other->derived.test(argument) || other->slice.contains(value);
      });
    };
    llvm::copy_if(values, std::back_inserter(behindLoss),
                  [&](Value value) { return !isForward(value); });
  }
  LossChoice choice;
  Rank best;
  for (const Candidate *candidate : of) {
    auto isMadeOf = [&](Value value) {
      return candidate->slice.contains(value);
    };
    Rank rank(llvm::count_if(behindLoss, isMadeOf),
              countUnused(*candidate, used.values()),
              used.values().size() - llvm::count_if(used.values(), isMadeOf));
    if (choice.result < 0 || rank < best)
      choice = {candidate->result, -1}, best = rank;
    else if (rank == best && choice.rival < 0 &&
             valueOf(choice.result) != valueOf(candidate->result))
      choice.rival = candidate->result;
  }
  return choice;
}

LossChoice LossFinder::byCost() const {
  LossChoice choice;
  std::pair<bool, size_t> least;
  for (const Candidate &candidate : candidates) {
    if (candidate.isCalledLoss())
      return {candidate.result, -1};
    bool ofScalars =
        llvm::all_of(candidate.derived.set_bits(), [&](unsigned arg) {
          return cast<RankedTensorType>(func.getArgumentTypes()[arg])
                     .getRank() == 0;
        });
    std::pair<bool, size_t> size(ofScalars, candidate.slice.values().size());
    if (choice.result >= 0 && size >= least)
      continue;
    choice.result = candidate.result;
    least = size;
  }
  return choice;
}

LossChoice LossFinder::run() {
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (func.getResultAttr(i, kLossAttr))
      return {i, -1};
  addCandidates();
  if (candidates.size() < 2)
    return byCost();
  addUpdates();
  SmallVector<const Candidate *> derived, called;
  for (const Candidate &candidate : candidates)
    if (isUpdated(candidate)) {
      derived.push_back(&candidate);
      if (candidate.isCalledLoss())
        called.push_back(&candidate);
    }
  if (derived.empty())
    return byCost();
  if (!called.empty())
    derived = std::move(called);
  return derived.size() == 1 ? LossChoice{derived.front()->result, -1}
                             : byDerivative(derived);
}

LossChoice partopt::findLoss(func::FuncOp func, ArrayRef<int64_t> carriedTo) {
  return LossFinder(func, carriedTo).run();
}
