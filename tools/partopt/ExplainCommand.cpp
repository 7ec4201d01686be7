//===- ExplainCommand.cpp - partopt explain -------------------------------===//
//
// The plan's own tables on standard output; a model is compiled up to its plan,
// without object code.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Report/Stages.h"
#include "partopt/Simulate/Simulate.h"

#include "llvm/ADT/StringExtras.h"

using namespace partopt;
using namespace partopt::driver;

using S = plan::ExplainSection;

static constexpr std::pair<llvm::StringLiteral, S> sectionNames[] = {
    {"all", S::All},         {"arguments", S::Arguments},
    {"results", S::Results}, {"collectives", S::Collectives},
    {"mapping", S::Mapping}, {"memory", S::Memory},
    {"stages", S::Stages},   {"warnings", S::Warnings},
    {"notes", S::Notes},     {"roles", S::Roles},
    {"layers", S::Layers}};

static llvm::Expected<S> sectionCalled(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> words;
  for (const auto &[word, section] : sectionNames) {
    if (word == name)
      return section;
    words.push_back(word);
  }
  return wrongWord("option '--section'", name, words);
}

/// A table that is asked for stands alone, unless a section is named as well.
static llvm::Expected<std::vector<S>> sectionsOf(const OptionSet &options) {
  std::vector<S> sections;
  for (const std::string &list : options.getAll("section"))
    for (llvm::StringRef name : llvm::split(list, ",")) {
      llvm::Expected<S> section = sectionCalled(name);
      if (!section)
        return section.takeError();
      sections.push_back(*section);
    }
  if (options.has("layers"))
    sections.push_back(S::Layers);
  if (options.has("roles"))
    sections.push_back(S::Roles);
  if (sections.empty())
    sections.push_back(S::All);
  return sections;
}

/// The stages of a pipeline, whose times are predicted.
static llvm::Expected<std::string> stagesText(const OptionSet &options,
                                              const plan::PlanT &plan,
                                              llvm::ArrayRef<S> sections) {
  bool isNamed = llvm::is_contained(sections, S::Stages);
  if (!isNamed && !llvm::is_contained(sections, S::All))
    return "";
  llvm::Expected<simulate::Machine> machine = machineOf(options, plan);
  if (!machine)
    return machine.takeError();
  std::vector<simulate::Timeline> timelines;
  simulate::simulateEntry(plan, 0, *machine, &timelines);
  std::string table = report::stageTable(plan, 0, timelines);
  if (table.empty() && isNamed)
    table = "  none: the plan is no pipeline (--strategy pp)\n";
  return table.empty() ? "" : "\nstages (bytes per device)\n" + table;
}

int partopt::driver::explainCommand(const OptionSet &options) {
  llvm::Expected<std::vector<S>> sections = sectionsOf(options);
  if (!sections)
    return fail(sections.takeError());
  if (llvm::Error error = checkOverwrites(options, {"report-json"}))
    return fail(std::move(error));
  Compiled result = compileInput(options, Phase::Plan, /*mayBePlan=*/true);
  if (result.exitCode != Good || !result.plan)
    return result.exitCode;
  if (llvm::Error error = writeReport(options, result))
    return fail(std::move(error));
  llvm::Expected<std::string> stages =
      stagesText(options, *result.plan, *sections);
  if (!stages)
    return fail(stages.takeError());
  llvm::outs() << plan::explainText(*result.plan, *sections) << *stages;
  return Good;
}
