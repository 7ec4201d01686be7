// Which ops code generation can compute, for tests and early errors.
#include "Rules.h"
#include "partopt/Codegen/Codegen.h"

bool partopt::hasKernel(llvm::StringRef opName) {
  return opName == "stablehlo.dot_general" || opName == "stablehlo.constant" ||
         codegen::RuleTable::get().lookup(opName);
}
