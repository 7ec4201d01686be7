//===- FitMemory.cpp - Choices that a device's memory decides -------------===//
//
// See FitMemory.h. Memory is known only of a compiled plan, so every attempt
// compiles, from the first phase that it changes.
//
//===----------------------------------------------------------------------===//

#include "FitMemory.h"

#include "DoesNotFit.h"
#include "PlanRemarks.h"

#include "partopt/Plan/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace partopt;
using plan::MemoryClass;

/// Accumulators may be kept in shards or not.
static bool choosesAccumulators(const CompileOptions &options) {
  return options.accumulate == "auto" && options.microbatches > 1 &&
         (!options.strategy.data || options.strategy.data->zeroStage >= 2);
}

static bool choosesContextForm(const CompileOptions &options) {
  return options.strategy.context && options.contextForm == "auto";
}

static bool choosesSequenceRegather(const CompileOptions &options) {
  return options.strategy.sequence && options.sequenceRegather == "auto";
}

std::optional<MemoryChoice> partopt::useLessMemory(CompileOptions &options) {
  if (choosesAccumulators(options)) {
    options.accumulate = "sharded";
    return MemoryChoice{Phase::Strategy, MemoryClass::Gradients};
  }
  // A ring sends more, most of it while it computes.
  if (choosesContextForm(options)) {
    options.contextForm = "auto:ring";
    return MemoryChoice{Phase::Strategy, MemoryClass::Activations};
  }
  // Cheapest first: what takes little work, then a forward part more.
  if (options.recompute == "auto") {
    options.recompute = "auto:selective";
    return MemoryChoice{Phase::Strategy, MemoryClass::Activations};
  }
  // Sends a quarter more, and takes less than the forward part once more.
  if (choosesSequenceRegather(options)) {
    options.sequenceRegather = "auto:yes";
    return MemoryChoice{Phase::Optimise, MemoryClass::Activations};
  }
  if (options.recompute == "auto:selective") {
    options.recompute = "auto:layer";
    return MemoryChoice{Phase::Strategy, MemoryClass::Activations};
  }
  if (options.reshardIfShort) {
    options.reshardIfShort = false;
    options.reshardAfterForward = true;
    return MemoryChoice{Phase::Propagate, MemoryClass::Gathered};
  }
  return std::nullopt;
}

namespace {
/// An option that was left open, and its value in some options.
struct OpenChoice {
  llvm::StringLiteral name;
  bool (*isOpen)(const CompileOptions &asked);
  std::string (*value)(const CompileOptions &options);
};
} // namespace

/// "selective" of "auto:selective", `first` of "auto".
static std::string turned(llvm::StringRef word, llvm::StringRef first) {
  return word == "auto" ? first.str()
                        : word.substr(word.find(':') + 1).str(); // npos + 1: 0
}

static const OpenChoice openChoices[] = {
    {"accumulate", choosesAccumulators,
     [](const CompileOptions &options) {
       return turned(options.accumulate, "full");
     }},
    {"cp-form", choosesContextForm,
     [](const CompileOptions &options) {
       return turned(options.contextForm, "what sends less");
     }},
    {"recompute",
     [](const CompileOptions &asked) { return asked.recompute == "auto"; },
     [](const CompileOptions &options) {
       return turned(options.recompute, "none");
     }},
    {"sp-regather", choosesSequenceRegather,
     [](const CompileOptions &options) {
       return turned(options.sequenceRegather, "no");
     }},
    {"reshard-after-forward",
     [](const CompileOptions &asked) { return asked.reshardIfShort; },
     [](const CompileOptions &options) {
       return std::string(options.reshardAfterForward ? "yes" : "no");
     }}};

std::set<Phase> MemorySearch::startingPhases() const {
  std::set<Phase> phases;
  CompileOptions options = asked;
  while (std::optional<MemoryChoice> choice = useLessMemory(options))
    phases.insert(choice->actsIn);
  return phases;
}

std::optional<Phase> MemorySearch::next(CompileOptions &options,
                                        const CompileOutcome &outcome) {
  const plan::ProgramT &program = largestProgram(*outcome.plan);
  attempts.push_back({options, program.peak_bytes, false});
  plan::ClassBytes held = plan::countMemory(program).atPeak;
  // What other and staging buffers become is not foreseen.
  held[size_t(MemoryClass::Other)] = held[size_t(MemoryClass::Staging)] = 0;
  std::optional<Phase> start;
  while (std::optional<MemoryChoice> choice = useLessMemory(options)) {
    start = std::min(start.value_or(choice->actsIn), choice->actsIn);
    held[size_t(choice->spares)] = 0;
    uint64_t rest = 0;
    for (uint64_t bytes : held)
      rest += bytes;
    if (rest <= options.deviceMemory)
      return start;
    attempts.push_back({options, rest, true});
  }
  return std::nullopt;
}

/// "none needs 14.20 GiB and selective 9.10 GiB" of the values of one option.
template <typename Attempts>
static std::string whyNot(const OpenChoice &open, llvm::StringRef chosen,
                          const Attempts &attempts) {
  std::vector<std::pair<std::string, std::string>> needs;
  for (const auto &attempt : attempts) {
    std::string value = open.value(attempt.options);
    if (value == chosen)
      continue;
    if (needs.empty() || needs.back().first != value)
      needs.emplace_back(value, "");
    // With the others turned as far as they had been.
    needs.back().second =
        (attempt.isBound ? "at least " : "") + bytesText(attempt.bytes);
  }
  std::string text;
  for (const auto &[value, bytes] : needs)
    text += (text.empty() ? "" : ", ") + value +
            (text.empty() ? " needs " : " ") + bytes;
  return text;
}

void MemorySearch::report(const CompileOptions &options,
                          CompileOutcome &outcome) const {
  if (outcome.status == CompileStatus::DoesNotFit && !attempts.empty()) {
    plan::Table table({"tried", "per device"}, {1});
    for (const Attempt &attempt : attempts) {
      std::string choices;
      for (const OpenChoice &open : openChoices)
        if (open.isOpen(asked))
          choices += (choices.empty() ? "" : ", ") + open.name.str() + " " +
                     open.value(attempt.options);
      table.add({choices, (attempt.isBound ? "at least " : "") +
                              bytesText(attempt.bytes)});
    }
    std::string text = table.text();
    if (attempts.size() > 1)
      outcome.problem += "\n" + text.substr(0, text.size() - 1);
  }
  if (outcome.status != CompileStatus::Done || !outcome.plan)
    return;
  std::string limit = bytesText(options.deviceMemory);
  for (const OpenChoice &open : openChoices) {
    if (!open.isOpen(asked))
      continue;
    std::string chosen = open.value(options);
    std::string why = whyNot(open, chosen, attempts);
    if (options.deviceMemory == 0)
      why = "no limit is known; --device-memory or --cluster gives one";
    else if (why.empty())
      why = "the plan needs " +
            bytesText(largestProgram(*outcome.plan).peak_bytes) + " of " +
            limit;
    else
      why += ", of " + limit;
    addRemark(outcome.plan->notes, "auto",
              open.name.str() + ": " + chosen + " (auto: " + why + ")");
  }
}
