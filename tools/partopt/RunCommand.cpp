//===- RunCommand.cpp - partopt run ---------------------------------------===//
//
// Compiles what is not a plan yet, and hands the plan to the same code that the
// run-only tool uses: a model and its plan file give the same bits.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "runtime/run/RunCommand.h"

#include "llvm/ADT/StringExtras.h"

#include <iostream>
#include <nlohmann/json.hpp>

using namespace partopt;
using namespace partopt::driver;

/// The options that the runtime parses itself.
static llvm::Expected<rt::RunOptions> runOptions(const OptionSet &set) {
  rt::RunOptions options;
  std::vector<std::string> texts;
  if (set.has("inputs"))
    texts.push_back("--inputs=" + llvm::join(set.getAll("inputs"), ","));
  if (set.has("batches"))
    texts.push_back("--batches=" + llvm::join(set.getAll("batches"), ","));
  for (llvm::StringRef name :
       {"outputs", "expect", "rtol", "atol", "steps", "report-json", "trace",
        "collective-timeout", "fault"})
    for (const std::string &value : set.getAll(name))
      texts.push_back("--" + name.str() + "=" + value);
  std::vector<const char *> arguments;
  for (const std::string &text : texts)
    arguments.push_back(text.c_str());
  for (int at = 0; at < int(arguments.size());) {
    rt::Status status;
    if (!rt::parseRunOption(int(arguments.size()), arguments.data(), at,
                            options, status))
      return userError("option '" + llvm::Twine(arguments[at]) +
                       "' is not known to the runtime");
    if (!status.ok())
      return userError(status.message());
  }
  options.quiet = set.has("quiet");
  if (set.has("driver") && set.get("driver") != "host")
    return userError("driver '" + set.get("driver") +
                     "' is not available in this version; it has host");
  if (set.has("check") && set.get("check") != "true")
    return userError("option '--check=" + set.get("check") +
                     "' is not available in this version");
  if ((set.has("rtol") || set.has("atol")) && !set.has("expect"))
    return userError("options '--rtol' and '--atol' belong to '--expect'");
  return options;
}

int partopt::driver::runCommand(const OptionSet &set) {
  llvm::Expected<rt::RunOptions> options = runOptions(set);
  if (!options)
    return fail(options.takeError());
  Compiled compiled = compileInput(set, Phase::Codegen, /*mayBePlan=*/true);
  if (compiled.exitCode != Good || !compiled.plan)
    return compiled.exitCode;

  rt::RunExtras extras;
  nlohmann::ordered_json report = compilerReport(compiled);
  if (!compiled.phases.empty())
    extras.report = &report;
  if (set.has("check")) {
    if (compiled.phases.empty())
      return fail(userError("--check needs the model: a plan file does not "
                            "hold the unpartitioned program"));
    Compiled whole = compileUnpartitioned(set);
    if (whole.exitCode != Good)
      return whole.exitCode;
    extras.reference = std::move(whole.plan);
    extras.longestReduction = compiled.longestReduction;
  }
  return rt::runPlan(std::move(compiled.plan), *options, std::cout, std::cerr,
                     extras);
}
