#include "ModelInput.h"
using namespace partopt;
int partopt::driver::runCommand(const OptionSet &options) {
  Compiled result = compileInput(options, Phase::Codegen, true);
  return result.exitCode;
}
