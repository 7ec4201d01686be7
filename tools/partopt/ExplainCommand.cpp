//===- ExplainCommand.cpp - partopt explain -------------------------------===//
//
// The plan's own tables on standard output; a model is compiled up to its plan,
// without object code.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "partopt/Plan/ExplainPlan.h"

#include "llvm/ADT/StringSwitch.h"

using namespace partopt;
using namespace partopt::driver;

int partopt::driver::explainCommand(const OptionSet &options) {
  using S = plan::ExplainSection;
  std::string name = options.get("section", "all");
  auto section = llvm::StringSwitch<std::optional<S>>(name)
                     .Case("all", S::All)
                     .Case("arguments", S::Arguments)
                     .Case("results", S::Results)
                     .Case("collectives", S::Collectives)
                     .Case("memory", S::Memory)
                     .Case("warnings", S::Warnings)
                     .Case("notes", S::Notes)
                     .Default(std::nullopt);
  if (!section)
    return fail(userError("option '--section' takes all, arguments, results, "
                          "collectives, memory, warnings or notes, "
                          "not '" +
                          llvm::Twine(name) + "'"));
  Compiled result = compileInput(options, Phase::Plan, /*mayBePlan=*/true);
  if (result.exitCode != Good || !result.plan)
    return result.exitCode;
  if (llvm::Error error = writeReport(options, result))
    return fail(std::move(error));
  llvm::outs() << plan::explainText(*result.plan, *section);
  return Good;
}
