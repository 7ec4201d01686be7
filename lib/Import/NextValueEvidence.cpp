// See NextValueEvidence.h.

#include "NextValueEvidence.h"

#include "partopt/Import/Import.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partopt;

static SmallVector<StringRef> pathOf(Attribute name) {
  auto text = dyn_cast_or_null<StringAttr>(name);
  return text ? pathParts(text.getValue()) : SmallVector<StringRef>();
}

NextValueEvidence::NextValueEvidence(func::FuncOp func,
                                     ArrayRef<std::optional<Role>> roles,
                                     const NextValues &next)
    : func(func), roles(roles), next(next), taken(func.getNumResults()),
      anyDonated(llvm::is_contained(next.reason, "donated")) {
  for (int64_t result : next.result)
    if (result >= 0)
      taken.set(result);
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    paths.push_back(pathOf(func.getArgAttr(i, kNameAttr)));
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    ofType[func.getResultTypes()[i]].push_back(i);
    resultPaths.push_back(pathOf(func.getResultAttr(i, kNameAttr)));
    if (!resultPaths.back().empty() && resultPaths.back().front() == "result")
      resultPaths.back().erase(resultPaths.back().begin());
  }
}

bool NextValueEvidence::hasOpen() const {
  for (unsigned i = 0; i < roles.size(); ++i)
    if (isOpen(i))
      for (unsigned result : ofType.lookup(func.getArgumentTypes()[i]))
        if (!taken.test(result))
          return true;
  return false;
}

SmallVector<unsigned>
NextValueEvidence::openResults(unsigned argument,
                               llvm::function_ref<bool(unsigned)> holds) const {
  SmallVector<unsigned> results;
  for (unsigned result : ofType.lookup(func.getArgumentTypes()[argument]))
    if (!taken.test(result) && holds(result))
      results.push_back(result);
  return results;
}

std::optional<unsigned> NextValueEvidence::openResultFrom(unsigned argument) {
  SmallVector<unsigned> results = openResults(argument, [&](unsigned result) {
    return int64_t(result) != uses().lossResult() &&
           !isUnchanged(argument, result) &&
           uses().reaching(valueOf(result)).test(argument);
  });
  return results.empty() ? std::nullopt : std::optional(results.front());
}

bool NextValueEvidence::flows(unsigned argument, unsigned result,
                              FlowKind kind) {
  auto [at, isNew] = flow.try_emplace({result, unsigned(kind)});
  if (isNew)
    at->second = argumentsFlowingInto(func, valueOf(result), kind);
  return at->second.test(argument);
}

/// Scalars that go around under a name of theirs are not the loss.
const ArgumentUses &NextValueEvidence::uses() {
  if (found)
    return *found;
  SmallVector<int64_t> likely(next.result);
  for (unsigned i = 0; i < roles.size(); ++i)
    if (auto type = cast<RankedTensorType>(func.getArgumentTypes()[i]);
        isOpen(i) && isKept(i) && type.getRank() == 0)
      if (SmallVector<unsigned> results = named(i); !results.empty())
        likely[i] = results.front();
  return found.emplace(func, likely);
}

/// The step has a loss, which does not need the result.
bool NextValueEvidence::followsLoss(unsigned result) {
  return uses().lossResult() >= 0 && !uses().lossNeeds(valueOf(result));
}

double NextValueEvidence::share(unsigned argument, unsigned result,
                                bool isTerm) const {
  return shareOf(func.getArgument(argument), valueOf(result), isTerm);
}

/// Some of the optimizer's state has gone into the result.
bool NextValueEvidence::dependsOnOptimizer(unsigned result) {
  if (!ofOptimizer) {
    ofOptimizer.emplace();
    SmallVector<Value> work;
    for (BlockArgument argument : func.getArguments())
      if (isRole(argument.getArgNumber(), Role::Opt))
        work.push_back(argument);
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        Operation *op = func.front().findAncestorOpInBlock(*user);
        if (ofOptimizer->insert(op).second)
          llvm::append_range(work, op->getResults());
      }
  }
  return ofOptimizer->contains(valueOf(result).getDefiningOp());
}

/// A result with the argument's name is its next value. A parameter's may be
/// its gradient, which the parameter is hardly in.
bool NextValueEvidence::mayBeNamed(unsigned argument, unsigned result) {
  if (!isRole(argument, Role::Param) || isUnchanged(argument, result))
    return true;
  bool isMoved = share(argument, result, /*isTerm=*/false) >= kLeastShare;
  if (flows(argument, result, FlowKind::InPlace))
    return isMoved;
  // A copy in a narrower type is made anew of the one that the optimizer keeps.
  return followsLoss(result) && (isMoved || dependsOnOptimizer(result));
}

/// The result is made of nothing but the argument.
bool NextValueEvidence::isOwnFunction(unsigned argument, unsigned result) {
  llvm::BitVector arguments = uses().reaching(valueOf(result));
  return arguments.count() == 1 && arguments.test(argument);
}

/// The result may be a parameter that the step has trained: made after the
/// loss, and still the parameter for the most part. What is only reported of a
/// batch looks alike, but a parameter is donated if anything is, and learns of
/// others.
bool NextValueEvidence::isTrainedBy(unsigned argument, unsigned result) {
  if (!isKept(argument) && (anyDonated || isOwnFunction(argument, result)))
    return false;
  return uses().reachesLoss(argument) && followsLoss(result) &&
         share(argument, result, /*isTerm=*/true) >= kLeastShare;
}

/// What the result is computed from lets it be the argument's next value. That
/// of a parameter is made after the loss, which tells it from what the model
/// adds to a parameter.
bool NextValueEvidence::mayFlow(unsigned argument, unsigned result,
                                FlowKind kind) {
  if (isUnchanged(argument, result))
    return isKept(argument);
  if (!flows(argument, result, kind))
    return false;
  if (isRole(argument, Role::Opt) || isRole(argument, Role::State))
    return true;
  return isTrainedBy(argument, result);
}

/// The result is a whole number that only the argument tells.
bool NextValueEvidence::isCounter(unsigned argument, unsigned result) {
  auto type = cast<RankedTensorType>(func.getArgumentTypes()[argument]);
  return type.getRank() == 0 && type.getElementType().isInteger() &&
         isOwnFunction(argument, result);
}

/// What the name belongs to has parts of known roles: `state.step` beside
/// `state.params`.
bool NextValueEvidence::belongsToKept(unsigned argument) const {
  for (unsigned i = 0; i < roles.size(); ++i)
    if (isKept(i) && paths[i].size() > 1 && paths[argument].size() > 1 &&
        paths[i].front() == paths[argument].front())
      return true;
  return false;
}

/// Results of the argument's type that share most of its path's end. The path
/// but for what stands outermost has to be the same, and to hold a name.
SmallVector<unsigned> NextValueEvidence::named(unsigned argument) const {
  ArrayRef<StringRef> path = paths[argument];
  SmallVector<unsigned> best;
  size_t most = 0;
  auto all = [](unsigned) { return true; };
  for (unsigned result : openResults(argument, all)) {
    ArrayRef<StringRef> other = resultPaths[result];
    size_t shared = 0;
    bool hasName = false;
    while (shared < std::min(path.size(), other.size()) &&
           path.rbegin()[shared] == other.rbegin()[shared]) {
      hasName |= !llvm::all_of(path.rbegin()[shared], llvm::isDigit);
      ++shared;
    }
    bool isWhole = shared + 1 >= path.size() || shared + 1 >= other.size();
    if (!hasName || !isWhole || shared < most)
      continue;
    if (shared > most)
      best.clear();
    most = shared;
    best.push_back(result);
  }
  return best;
}

/// Results that the argument flows into, by moves only where there are no
/// others.
SmallVector<unsigned> NextValueEvidence::flowing(unsigned argument) {
  auto by = [&](FlowKind kind) {
    return openResults(argument, [&](unsigned result) {
      return mayFlow(argument, result, kind);
    });
  };
  SmallVector<unsigned> results = by(FlowKind::InPlace);
  return results.empty() && isKept(argument) ? by(FlowKind::Moved) : results;
}

Choice NextValueEvidence::choiceOf(unsigned argument) {
  Choice choice{argument, {}, "name"};
  auto type = cast<RankedTensorType>(func.getArgumentTypes()[argument]);
  bool mayBelong = !roles[argument] || isRole(argument, Role::Rng);
  if (isKept(argument) || (mayBelong && belongsToKept(argument)))
    choice.results = named(argument);
  llvm::erase_if(choice.results, [&](unsigned result) {
    return !mayBeNamed(argument, result);
  });
  auto isInPlace = [&](unsigned result) {
    return flows(argument, result, FlowKind::InPlace);
  };
  if (choice.results.size() > 1 && llvm::any_of(choice.results, isInPlace))
    llvm::erase_if(choice.results,
                   [&](unsigned result) { return !isInPlace(result); });
  if (!choice.results.empty())
    return choice;
  bool mayBeParameter =
      !roles[argument] && isa<FloatType>(type.getElementType());
  if (isKept(argument) || mayBeParameter)
    choice.results = flowing(argument);
  choice.reason = "use";
  return choice;
}

Choice NextValueEvidence::choiceOfUnknown(unsigned argument,
                                          const llvm::BitVector &toParameters) {
  Choice choice{argument, {}, "use"};
  choice.results = openResults(argument, [&](unsigned result) {
    if (isUnchanged(argument, result) || !followsLoss(result) ||
        !flows(argument, result, FlowKind::InPlace))
      return false;
    double part = share(argument, result, /*isTerm=*/true);
    // What the loss needs is no optimizer state; a batch that is reported
    // again, scaled, is no state either.
    bool isOfLoss = uses().reachesLoss(argument);
    if (toParameters.test(argument) && !isOfLoss)
      return part > 0;
    if (isOfLoss && isOwnFunction(argument, result))
      return false;
    bool isAverage = part >= kLeastShare && part < 1;
    return isAverage || (toParameters.any() && isCounter(argument, result));
  });
  if (llvm::any_of(choice.results, [&](unsigned result) {
        return isCounter(argument, result);
      }))
    choice.reason = "counter";
  return choice;
}
