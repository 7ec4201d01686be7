// See NoLoop.h.

#include "NoLoop.h"

#include "partopt/Support/ArgumentRole.h"

using namespace mlir;

LogicalResult partopt::errorNoLoop(func::FuncOp func) {
  std::string unknown;
  unsigned count = 0;
  for (BlockArgument argument : func.getArguments()) {
    if (roleOf(argument) != "unknown")
      continue;
    auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  "partopt.name");
    if (++count <= 3)
      unknown += (count == 1 ? "" : ", ") + std::string("'") +
                 (name ? name.str() : "") + "'";
  }
  InFlightDiagnostic error = func.emitError()
                             << "the step has no loop over microbatches to "
                                "make a pipeline of: nothing in it depends on "
                                "both a batch argument and a parameter";
  if (count > 3)
    unknown += " and " + std::to_string(count - 3) + " more";
  if (count > 0)
    error << "; the role of " << unknown << (count == 1 ? " is" : " are each")
          << " unknown: say it with "
          << "--arg-role 'REGEX=param' or 'REGEX=batch' (explain --roles "
             "shows all)";
  return error;
}
