//===- VerifyDataflow.cpp - Results are what the compiler meant -----------===//
//
// Runs the program on numbers instead of data and compares what the results
// hold with what the compiler wrote beside them.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/Dataflow.h"

namespace partopt::plan {

void verifyDataflow(const ProgramView &view, Problems &problems) {
  const ProgramT &program = view.program;
  std::vector<ValueNumber> numbers =
      resultNumbers(program, view.rankClass.kernels.get());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const ResultT &result = *program.results[i];
    if (result.value != numbers[i])
      problems.add(view.where() + ": " + result.tensor->index_name + " '" +
                   result.tensor->name +
                   "' is not computed by the operations that the compiled "
                   "program has for it");
  }
}

} // namespace partopt::plan
