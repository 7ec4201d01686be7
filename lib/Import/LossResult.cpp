// See LossResult.h. A derivative takes from the forward computation what its
// rules need: this is what tells the scalar that is derived from a metric
// beside it, and both from what is computed of the gradients.

#include "LossResult.h"

#include "BackwardSlice.h"
#include "ElementFlow.h"
#include "SameValues.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Import/Import.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>
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

  bool isCalledLoss() const;
};

/// An argument that the step gives a new value.
struct Update {
  unsigned argument;
  Value next;
};

class LossFinder {
public:
  LossFinder(func::FuncOp func, ArrayRef<int64_t> carriedTo)
      : func(func), carriedTo(carriedTo), same(func.front()) {}
  LossChoice run();

private:
  /// What decides between candidates, the best one least.
  using Rank = std::tuple<size_t, size_t, size_t>;

  void addCandidates();
  void addUpdates();
  bool isScalarsNextValue(const Candidate &candidate) const;
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
  SameValues same;
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
  auto mayBeLoss = [&](const Candidate &candidate) {
    return !isScalarsNextValue(candidate);
  };
  if (llvm::any_of(candidates, mayBeLoss))
    llvm::erase_if(candidates, std::not_fn(mayBeLoss));
}

/// A scalar argument, but for a constant share, and something else: a trained
/// scalar, or an average of losses, that is not known to go around.
bool LossFinder::isScalarsNextValue(const Candidate &candidate) const {
  for (BlockArgument argument : func.getArguments()) {
    if (!isFloat(argument.getType(), /*isScalar=*/true) ||
        carriedTo[argument.getArgNumber()] >= 0)
      continue;
    auto sum = addendsBeside(argument, valueOf(candidate.result));
    if (sum && !sum->isScaled)
      return true;
  }
  return false;
}

/// Its derivatives are called after it, such as loss_tangent and dloss.
bool Candidate::isCalledLoss() const {
  constexpr StringLiteral others[] = {"derivative", "directional", "dloss",
                                      "dot",        "grad",        "gradient",
                                      "jvp",        "scale",       "tangent"};
  std::string lower = name.lower();
  SmallVector<StringRef> words;
  llvm::SplitString(lower, words, "[]()'\"./_- ");
  return StringRef(lower).contains("loss") &&
         llvm::none_of(words, [&](StringRef word) {
           return llvm::is_contained(others, word);
         });
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

/// One number in every place, which a derivative may well have folded.
static bool isNumber(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    DenseElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)))
      return elements.isSplat();
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::ConvertOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Calls `visit` with the values of which the derivative of the op by its
/// operands in `varying` needs one: the other factor of a product, operand or
/// result of what is not linear.
template <typename Fn>
static void forEachNeed(Operation *op, const llvm::DenseSet<Value> &varying,
                        Fn visit) {
  auto isVarying = [&](unsigned operand) {
    return varying.contains(op->getOperand(operand));
  };
  auto needOperand = [&](unsigned operand) {
    if (!isNumber(op->getOperand(operand)))
      visit(ArrayRef<Value>(op->getOperand(operand)));
  };
  if (isa<stablehlo::MulOp, stablehlo::DotGeneralOp>(op)) {
    for (unsigned operand : {0, 1})
      if (isVarying(operand))
        needOperand(1 - operand);
    return;
  }
  if (isa<stablehlo::DivOp>(op) && !isVarying(1))
    return needOperand(1);
  bool isLinear = isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::NegOp,
                      stablehlo::ConvertOp, stablehlo::ReducePrecisionOp,
                      stablehlo::SelectOp>(op);
  if (isLinear || !op->hasTrait<stablehlo::Elementwise>())
    return;
  SmallVector<Value> values(op->getOperands());
  values.push_back(op->getResult(0));
  visit(ArrayRef<Value>(values));
}

/// What the derivative of the candidate by updated arguments needs, and `used`
/// does not have: the candidate is not what the update is derived from.
size_t LossFinder::countUnused(const Candidate &candidate,
                               const llvm::DenseSet<Value> &used) {
  llvm::DenseSet<Value> varying;
  for (const Update &update : updates)
    varying.insert(func.getArgument(update.argument));
  size_t unused = 0;
  auto isUsed = [&](Value value) { return used.contains(same.firstOf(value)); };
  for (Operation &op : func.front().without_terminator()) {
    if (op.getNumResults() != 1 || !candidate.slice.contains(op.getResult(0)))
      continue;
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    auto isVarying = [&](Value value) { return varying.contains(value); };
    if (llvm::none_of(op.getOperands(), isVarying) || !type ||
        !isa<FloatType>(type.getElementType()))
      continue;
    varying.insert(op.getResult(0));
    forEachNeed(&op, varying, [&](ArrayRef<Value> values) {
      unused += llvm::none_of(values, isUsed);
    });
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
  const llvm::DenseSet<Value> needed = same.firstOf(used.values());

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
    const llvm::DenseSet<Value> values =
        same.firstOf(candidate->slice.values());
    Rank rank(llvm::count_if(behindLoss, isMadeOf),
              countUnused(*candidate, needed),
              llvm::count_if(needed, [&](Value value) {
                return !values.contains(value);
              }));
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
