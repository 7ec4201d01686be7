//===- CompileCommand.cpp - partopt compile -------------------------------===//
//
// A model to a plan file, or to the IR of one phase.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/PlanReport.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace partopt;
using namespace partopt::driver;

llvm::Error partopt::driver::writeText(llvm::StringRef path,
                                       llvm::StringRef text) {
  // Written under a temporary name and renamed: no half file is ever seen.
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &out) {
    out << text;
    return llvm::Error::success();
  });
  if (error)
    return userError("cannot write '" + path +
                     "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

int partopt::driver::compileCommand(const OptionSet &options) {
  bool toIr = options.has("compile-to");
  if (!toIr && !options.has("o"))
    return fail(userError("no output named; give -o PLAN"));
  if (options.get("o") == "-" && !toIr)
    return fail(userError("a plan is not written to standard output; give "
                          "-o PLAN"));
  Compiled result = compileInput(options, Phase::Codegen, /*mayBePlan=*/false);
  if (result.exitCode != Good || !result.plan)
    return result.exitCode;
  if (options.has("report-json"))
    if (llvm::Error error =
            writeText(options.get("report-json"),
                      plan::reportJson(*result.plan, result.phases, nullptr)))
      return fail(std::move(error));
  std::string error = plan::writePlanFile(*result.plan, options.get("o"));
  if (!error.empty())
    return fail(userError(error));
  messages().progress("wrote " + options.get("o"));
  return Good;
}
