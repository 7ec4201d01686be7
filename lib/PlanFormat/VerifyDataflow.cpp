//===- VerifyDataflow.cpp - Results are what the compiler meant -----------===//
//
// Runs the programs of all classes on numbers instead of data and compares what
// the results hold with what the compiler wrote beside them.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/Dataflow.h"

namespace partopt::plan {

void verifyDataflow(const std::vector<ProgramView> &views, Problems &problems) {
  if (views.empty())
    return;
  std::vector<ClassResults> results =
      resultNumbers(views.front().plan, views.front().program.entry);
  for (size_t i = 0; i < views.size(); ++i) {
    const ProgramT &program = views[i].program;
    if (results[i].reached < program.instructions.size()) {
      problems.add(views[i].at(results[i].reached) +
                   ": receives what is not sent before something that depends "
                   "on it");
      continue;
    }
    for (size_t j = 0; j < program.results.size(); ++j) {
      const ResultT &result = *program.results[j];
      if (result.value != results[i].numbers[j])
        problems.add(views[i].where() + ": " + result.tensor->index_name +
                     " '" + result.tensor->name +
                     "' is not computed by the operations that the compiled "
                     "program has for it");
    }
  }
}

} // namespace partopt::plan
