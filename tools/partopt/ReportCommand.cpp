//===- ReportCommand.cpp - partopt report ---------------------------------===//
//
// A plan file as one page, with the step that is predicted for a machine.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "partopt/Report/PlanPage.h"
#include "runtime/base/OutputFile.h"

using namespace partopt;
using namespace partopt::driver;

int partopt::driver::reportCommand(const OptionSet &options) {
  std::string output = options.get("o");
  if (output.empty())
    return fail(userError("no output named; give -o R.html"));
  if (llvm::Error error = checkOverwrites(options, {"o"}))
    return fail(std::move(error));
  Compiled input = readPlanInput(options);
  if (input.exitCode != Good)
    return input.exitCode;
  llvm::Expected<simulate::Machine> machine = machineOf(options, *input.plan);
  if (!machine)
    return fail(machine.takeError());
  std::string page = report::planPage(*input.plan, 0, *machine);
  if (output == "-") {
    llvm::outs() << page;
    return Good;
  }
  rt::Status status = rt::writeTextFile(output, page);
  return status.ok() ? int(Good) : fail(userError(status.message()));
}
