//===- CompileCommand.cpp - partopt compile -------------------------------===//
//
// A model to a plan file, or to the IR of one phase.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "partopt/Plan/PlanFile.h"
#include "runtime/base/OutputFile.h"
#include "runtime/run/Report.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace partopt;
using namespace partopt::driver;

nlohmann::ordered_json
partopt::driver::compilerReport(const Compiled &compiled) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  double total = 0;
  for (const auto &[name, seconds] : compiled.phases) {
    phases.push_back({{"name", name}, {"s", seconds}});
    total += seconds;
  }
  return {{"compile", {{"total_s", total}, {"phases", phases}}}};
}

/// The machine that the plan was made for.
static simulate::MachineOptions ownMachine(const plan::PlanT &plan) {
  auto options = nlohmann::json::parse(plan.options_json, nullptr,
                                       /*allow_exceptions=*/false);
  std::string text;
  if (options.is_object() && options.contains("machine") &&
      options["machine"].is_string())
    text = options["machine"].get<std::string>();
  simulate::MachineOptions machine;
  if (std::string wrong = machine.parse(text); !wrong.empty()) {
    messages().warning("the plan was made for the machine '" +
                       llvm::Twine(text) +
                       "', which is not known here: " + wrong +
                       "; times are those of this host, or of another "
                       "--cluster");
    return {};
  }
  return machine;
}

llvm::Expected<simulate::Machine>
partopt::driver::machineOf(const OptionSet &options, const plan::PlanT &plan) {
  llvm::Expected<CompileOptions> parsed = makeCompileOptions(options);
  if (!parsed)
    return parsed.takeError();
  simulate::MachineOptions from = parsed->machine;
  bool isGiven = false;
  for (llvm::StringRef name : {"cluster", "link", "compute", "calibration"})
    isGiven |= options.has(name);
  if (!isGiven) {
    from = ownMachine(plan);
    if (options.has("overlap")) // was parsed above
      (void)from.set("overlap", options.get("overlap"));
  }
  simulate::Machine machine;
  std::string wrong = from.resolve(plan, machine);
  if (!wrong.empty())
    return userError(wrong);
  return machine;
}

llvm::Error partopt::driver::writeReport(const OptionSet &options,
                                         const Compiled &compiled) {
  bool isWanted = options.has("report-json");
  if (!isWanted && !options.has("link"))
    return llvm::Error::success();
  llvm::Expected<simulate::Machine> machine =
      machineOf(options, *compiled.plan);
  if (!machine)
    return machine.takeError();
  if (!isWanted)
    return llvm::Error::success();
  nlohmann::ordered_json report = rt::planReport(*compiled.plan, 0, *machine);
  report.update(compilerReport(compiled));
  rt::Status status = rt::writeReport(options.get("report-json"), report);
  return status.ok() ? llvm::Error::success() : userError(status.message());
}

llvm::Error
partopt::driver::checkOverwrites(const OptionSet &set,
                                 llvm::ArrayRef<llvm::StringRef> outputs) {
  auto named = [&](llvm::StringRef option) {
    return rt::NamedPath{(option.size() == 1 ? "-" : "--") + option.str(),
                         set.get(option)};
  };
  std::vector<rt::NamedPath> written,
      read = {named("config"), named("calibration"), named("cluster")};
  if (!set.positionals.empty())
    read.push_back({"the model", set.positionals[0]});
  for (llvm::StringRef option : outputs)
    written.push_back(named(option));
  rt::Status status = rt::checkDistinct(written, read);
  return status.ok() ? llvm::Error::success() : userError(status.message());
}

int partopt::driver::compileCommand(const OptionSet &options) {
  const PhaseSpec *last = findPhase(options.get("compile-to", "codegen"));
  bool toIr = !last || last->phase != Phase::Codegen;
  if (options.has("print-config") && !options.has("o") && !toIr)
    return printConfig(options);
  if (options.get("o").empty() && (!toIr || options.has("o")))
    return fail(userError("no output named; give -o PLAN"));
  if (options.get("o") == "-" && !toIr)
    return fail(userError("a plan is not written to standard output; give "
                          "-o PLAN"));
  if (llvm::Error error = checkOverwrites(options, {"o", "report-json"}))
    return fail(std::move(error));
  Compiled result = compileInput(options, Phase::Codegen, /*mayBePlan=*/false);
  if (result.exitCode != Good || !result.plan)
    return result.exitCode;
  if (llvm::Error error = writeReport(options, result))
    return fail(std::move(error));
  std::string error = plan::writePlanFile(*result.plan, options.get("o"));
  if (!error.empty())
    return fail(userError(error));
  messages().progress("wrote " + options.get("o"));
  return Good;
}
