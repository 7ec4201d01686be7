// Next values that nobody gave. What names say comes first: a pytree has equal
// paths before and after a step. Then what results are computed from: a new
// value is the old one, element by element, and something else. A choice that
// is left is one of order, if at all.

#include "NextValueEvidence.h"

#include "partopt/Import/Import.h"
#include "partopt/Search/ForcedMatching.h"
#include "partopt/Support/Warnings.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <set>

using namespace mlir;
using namespace partopt;

namespace {
class NextValueFinder {
public:
  NextValueFinder(func::FuncOp func, ArrayRef<std::optional<Role>> roles,
                  NextValues &next)
      : func(func), roles(roles), next(next), evidence(func, roles, next),
        guessed(roles.size()) {}
  void run();

private:
  void choose(MutableArrayRef<Choice> choices);
  void dropCrossing(ArrayRef<Choice> choices, MutableArrayRef<int> places);
  void chooseByOrder(MutableArrayRef<Choice> choices,
                     MutableArrayRef<int> places);
  std::string nameOf(unsigned argument);
  void warnOfChoices();
  void warnOfGuesses();
  void warnOfUnpaired();

  func::FuncOp func;
  ArrayRef<std::optional<Role>> roles;
  NextValues &next;
  NextValueEvidence evidence;
  SmallVector<Choice> ambiguous; ///< of arguments that are kept
  llvm::BitVector guessed;       ///< by argument: paired by use or order alone
};
} // namespace

/// Values of one kind that go around in another order than they came in may be
/// a history, of which each becomes the next: that is no evidence.
void NextValueFinder::dropCrossing(ArrayRef<Choice> choices,
                                   MutableArrayRef<int> places) {
  auto kindOf = [&](const Choice &choice) {
    return std::pair<Type, unsigned>(
        func.getArgumentTypes()[choice.argument],
        evidence.uses().reachesLoss(choice.argument));
  };
  llvm::DenseMap<std::pair<Type, unsigned>, int> last;
  llvm::DenseSet<std::pair<Type, unsigned>> crossing;
  auto isFound = [&](size_t i) {
    return places[i] >= 0 && choices[i].reason != "name";
  };
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!isFound(i))
      continue;
    auto [at, isFirst] = last.try_emplace(kindOf(choices[i]), places[i]);
    if (!isFirst && places[i] < at->second)
      crossing.insert(at->first);
    at->second = places[i];
  }
  for (size_t i = 0; i < choices.size(); ++i)
    if (isFound(i) && crossing.contains(kindOf(choices[i])))
      places[i] = NextValues::kNone; // nor is their order
}

/// As many results of a type as arguments of it are open: they are in the same
/// order, if each may take its own.
void NextValueFinder::chooseByOrder(MutableArrayRef<Choice> choices,
                                    MutableArrayRef<int> places) {
  llvm::DenseSet<int> forced(places.begin(), places.end());
  llvm::MapVector<Type, SmallVector<size_t>> open;
  for (auto [i, choice] : llvm::enumerate(choices))
    if (places[i] == NextValues::kUnknown && !choice.results.empty())
      open[func.getArgumentTypes()[choice.argument]].push_back(i);
  for (const auto &entry : open) {
    ArrayRef<size_t> members = entry.second;
    std::set<unsigned> results;
    for (size_t member : members)
      for (unsigned result : choices[member].results)
        if (!forced.contains(int(result)))
          results.insert(result);
    if (results.size() != members.size())
      continue;
    SmallVector<unsigned> ordered(results.begin(), results.end());
    auto may = [&](size_t i) {
      return llvm::is_contained(choices[members[i]].results, ordered[i]);
    };
    if (!llvm::all_of(llvm::seq<size_t>(0, members.size()), may))
      continue;
    for (auto [member, result] : llvm::zip(members, ordered)) {
      places[member] = int(result);
      choices[member].reason = "order";
    }
  }
}

void NextValueFinder::choose(MutableArrayRef<Choice> choices) {
  MatchingProblem problem;
  problem.numPlaces = func.getNumResults();
  for (const Choice &choice : choices)
    problem.places.emplace_back(choice.results.begin(), choice.results.end());
  std::vector<int> places = forcedPlaces(problem);
  dropCrossing(choices, places);
  chooseByOrder(choices, places);
  for (auto [choice, place] : llvm::zip(choices, places)) {
    if (place < 0) {
      if (evidence.isKept(choice.argument) && !choice.results.empty())
        ambiguous.push_back(choice);
      continue;
    }
    next.set(choice.argument, place, choice.reason);
    evidence.take(place);
    bool isTold = choice.reason == "name" || choice.reason == "counter";
    if (!isTold && !evidence.isKept(choice.argument))
      guessed.set(choice.argument);
  }
}

std::string NextValueFinder::nameOf(unsigned argument) {
  auto name = func.getArgAttrOfType<StringAttr>(argument, kNameAttr);
  return "argument " + std::to_string(argument) + " ('" + name.str() + "')";
}

static std::string andOthers(size_t count) {
  if (count < 2)
    return "";
  return "; so with " + std::to_string(count - 1) +
         (count == 2 ? " other argument" : " other arguments");
}

/// One warning for all arguments of which several results may be the next
/// value.
void NextValueFinder::warnOfChoices() {
  if (ambiguous.empty())
    return;
  const Choice &first = ambiguous.front();
  std::string results;
  for (unsigned result : first.results)
    results +=
        (results.empty() ? "result " : " or result ") + std::to_string(result);
  addWarning(func, "next-value",
             "the next value of " + nameOf(first.argument) + " may be " +
                 results + andOthers(ambiguous.size()) +
                 "; say which with --carry 'ARG=RESULT' (or ARG=none), or "
                 "export with donated arguments");
}

/// One warning for all arguments that nothing but the way results are computed
/// pairs: a metric may be computed so as well. Neighbours are named together.
void NextValueFinder::warnOfGuesses() {
  std::string pairs;
  auto add = [&](unsigned first, unsigned last) {
    auto span = [&](StringRef what, int64_t from, int64_t to) {
      return (from == to ? what + " " + Twine(from)
                         : what + "s " + Twine(from) + " to " + Twine(to))
          .str();
    };
    pairs += (pairs.empty() ? "" : ", ") + span("argument", first, last) +
             " ('" + func.getArgAttrOfType<StringAttr>(first, kNameAttr).str() +
             (first == last ? "') as " : "' ...) as ") +
             span("result", next.result[first], next.result[last]);
  };
  std::optional<unsigned> first;
  for (unsigned i = 0; i <= roles.size(); ++i) {
    bool isGuess = i < roles.size() && guessed.test(i);
    bool continues =
        isGuess && first && next.result[i] == next.result[i - 1] + 1;
    if (first && !continues) {
      add(*first, i - 1);
      first.reset();
    }
    if (isGuess && !first)
      first = i;
  }
  if (pairs.empty())
    return;
  addWarning(
      func, "next-value",
      "taken to go around, as what results are computed from suggests: " +
          pairs +
          "; if that is wrong say so with --carry 'ARG=RESULT' or "
          "ARG=none; --arg-role 'ARG=param', opt or state, or an export "
          "with donated arguments, confirms it");
}

/// One warning for all arguments that keep their value though a result of their
/// type, which no argument takes, is computed from them.
void NextValueFinder::warnOfUnpaired() {
  if (evidence.uses().lossResult() < 0)
    return; // what inference returns is new
  SmallVector<std::pair<unsigned, unsigned>> unpaired;
  auto isChoice = [&](unsigned i) {
    return llvm::any_of(ambiguous,
                        [&](const Choice &c) { return c.argument == i; });
  };
  for (unsigned i = 0; i < roles.size(); ++i) {
    if (!evidence.isOpen(i) || roles[i] == Role::Batch || isChoice(i))
      continue;
    if (std::optional<unsigned> result = evidence.openResultFrom(i))
      unpaired.emplace_back(i, *result);
  }
  if (unpaired.empty())
    return;
  auto [argument, result] = unpaired.front();
  addWarning(func, "next-value",
             nameOf(argument) +
                 " is taken to be given anew in every step, "
                 "though result " +
                 Twine(result) +
                 ", of its type, is computed from it and goes nowhere" +
                 andOthers(unpaired.size()) +
                 "; if it goes around say so with --carry 'ARG=RESULT', else "
                 "with ARG=none");
}

void NextValueFinder::run() {
  if (!evidence.hasOpen())
    return;
  SmallVector<Choice> choices;
  for (unsigned i = 0; i < roles.size(); ++i)
    if (evidence.isOpen(i))
      choices.push_back(evidence.choiceOf(i));
  choose(choices);
  SmallVector<Value> parameters;
  for (unsigned i = 0; i < roles.size(); ++i)
    if (next.result[i] >= 0 && (roles[i] == Role::Param ||
                                (!roles[i] && evidence.uses().reachesLoss(i))))
      parameters.push_back(
          func.front().getTerminator()->getOperand(next.result[i]));
  llvm::BitVector toParameters = evidence.uses().reaching(parameters);
  choices.clear();
  for (unsigned i = 0; i < roles.size(); ++i)
    if (evidence.isOpen(i) && !roles[i])
      choices.push_back(evidence.choiceOfUnknown(i, toParameters));
  choose(choices);
  warnOfChoices();
  warnOfGuesses();
  warnOfUnpaired();
}

void partopt::findNextValues(func::FuncOp func,
                             ArrayRef<std::optional<Role>> roles,
                             NextValues &next) {
  NextValueFinder(func, roles, next).run();
}
