//===- main.cpp - partopt-run: execute a plan file ------------------------===//
//
// The run-only tool: loads a plan and runs it, without any compiler.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/PlanFile.h"
#include "runtime/run/RunCommand.h"

#include <iostream>

using namespace partopt;

static int usage(const std::string &problem) {
  std::cerr << "error: " << problem << "\n"
            << "usage: partopt-run PLAN [options]; see partopt-run --help\n";
  return static_cast<int>(rt::Code::BadInput);
}

int main(int argc, char **argv) {
  rt::RunOptions options;
  std::string path;
  for (int at = 1; at < argc;) {
    std::string text = argv[at];
    if (text == "--help" || text == "-h") {
      std::cout << "usage: partopt-run PLAN [options]\n\n"
                << rt::runOptionsHelp();
      return 0;
    }
    rt::Status status;
    if (rt::parseRunOption(argc, argv, at, options, status)) {
      if (!status.ok())
        return usage(status.message());
      continue;
    }
    if (text.size() > 1 && text[0] == '-')
      return usage("unknown option '" + text + "'" + rt::meantRunOption(text));
    if (!path.empty())
      return usage("more than one plan file: '" + path + "' and '" + text +
                   "'");
    path = text;
    ++at;
  }
  if (path.empty())
    return usage("no plan file given");
  std::string error;
  std::shared_ptr<const plan::PlanT> plan = plan::readPlanFile(path, error);
  if (!plan) {
    std::cerr << "error: " << error << "\n";
    return static_cast<int>(rt::Code::BadInput);
  }
  return rt::runPlan(std::move(plan), options, std::cout, std::cerr);
}
