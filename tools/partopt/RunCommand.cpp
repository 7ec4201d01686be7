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

/// What --check takes, before anything runs.
static llvm::Error checkOptions(const OptionSet &set) {
  std::string check = set.get("check", "true");
  if (check != "true" && check != "values")
    return userError("option '--check' takes nothing or =values, not '" +
                     check + "'" + didYouMean(check, {"values"}));
  if (set.has("check-memory") && check != "values")
    return userError("option '--check-memory' belongs to '--check=values'");
  const PhaseSpec *from = findPhase(set.get("compile-from"));
  if (set.has("check") && from && from->phase >= Phase::Partition)
    return userError("--check needs the program before it is "
                     "partitioned: --compile-from takes import, strategy or "
                     "propagate with it");
  if (check == "values" && set.get("batch-statistics") == "micro")
    return userError("--check=values compares with the whole batch, value by "
                     "value, which --batch-statistics micro has not; use "
                     "--check");
  return checkMemory(set).takeError();
}

/// The options that the runtime parses itself.
static llvm::Expected<rt::RunOptions> runOptions(const OptionSet &set) {
  rt::RunOptions options;
  if (auto driver = set.getWord("driver", {"host", "cuda"}, "host"); !driver)
    return driver.takeError();
  std::vector<std::string> texts;
  if (set.has("inputs"))
    texts.push_back("--inputs=" + llvm::join(set.getAll("inputs"), ","));
  if (set.has("batches"))
    texts.push_back("--batches=" + llvm::join(set.getAll("batches"), ","));
  for (llvm::StringRef name :
       {"outputs", "expect", "rtol", "atol", "steps", "report-json", "trace",
        "collective-timeout", "fault", "link", "compute", "overlap",
        "calibration", "cluster", "driver", "cuda-graph", "tf32"})
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
  if (llvm::Error error = checkOptions(set))
    return error;
  if ((set.has("rtol") || set.has("atol")) && !set.has("expect"))
    return userError("options '--rtol' and '--atol' belong to '--expect'");
  return options;
}

int partopt::driver::runCommand(const OptionSet &set) {
  llvm::Expected<rt::RunOptions> options = runOptions(set);
  if (!options)
    return fail(options.takeError());
  if (llvm::Error error =
          checkOverwrites(set, {"outputs", "report-json", "trace"}))
    return fail(std::move(error));
  // Compiling may take long.
  for (const rt::Status &status :
       {rt::checkInputs(*options), rt::checkDriver(*options)})
    if (!status.ok())
      return fail(userError(status.message()));
  Compiled compiled = compileInput(
      set, Phase::Codegen, /*mayBePlan=*/true, [&](const plan::PlanT &plan) {
        rt::Status status = rt::checkArrays(plan, *options);
        return status.ok() ? std::string() : status.message();
      });
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
    Compiled whole = compileUnpartitioned(set, *compiled.plan);
    if (whole.exitCode != Good)
      return whole.exitCode;
    takeInputsOf(*compiled.plan, *whole.plan);
    extras.reference = std::move(whole.plan);
    // Known where the import ran, which --compile-from leaves out.
    extras.longestReduction = whole.longestReduction;
    extras.resultEpsilons = whole.resultEpsilons;
  }
  bool differs = false;
  extras.differs = &differs;
  int code = rt::runPlan(std::move(compiled.plan), *options, std::cout,
                         std::cerr, extras);
  if (differs && set.get("check") != "values")
    messages().note("--check=values names the first value of the program that "
                    "differs by more than rounding, or says that none does");
  // Results that differ are what the values are to explain.
  if (set.get("check") != "values" || (code != Good && code != Differs))
    return code;
  int found = checkValues(set, *options);
  if (found == Good && code == Differs)
    messages().note("no value differs by more than what its op makes of its "
                    "operands' rounding: either the program enlarges rounding "
                    "(as Adam does where a gradient is nearly zero), or the "
                    "fault follows the partition stage (fusion, buckets, "
                    "schedule, plan)");
  return found == Good ? code : found;
}
