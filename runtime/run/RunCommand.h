//===- RunCommand.h - The command `run` -----------------------------------===//
//
// What `partopt run` and `partopt-run` do with a plan: inputs, steps, outputs,
// comparison, report, trace. Both tools call this code, so that a model and a
// plan file give the same bits and the same messages.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_RUNCOMMAND_H
#define PARTOPT_RUNTIME_RUN_RUNCOMMAND_H

#include "runtime/run/Compare.h"

#include <nlohmann/json_fwd.hpp>
#include <ostream>

namespace partopt::rt {

struct RunOptions {
  std::string entry;      ///< name; empty: the first
  std::string inputs;     ///< "F1,F2" or "random:SEED"
  std::string outputs;    ///< file to write, or empty
  std::string expect;     ///< file to compare with, or empty
  std::string batches;    ///< see Batches, or empty
  std::string reportJson; ///< file to write, or empty
  std::string trace;      ///< file to write, or empty
  Tolerance tolerance;
  uint64_t steps = 1;
  bool quiet = false;
  SessionOptions session;
};

/// What else a caller wants from a run.
struct RunExtras {
  /// Parts of the report that only the compiler knows ("time", "compile", …).
  const nlohmann::ordered_json *report = nullptr;
  /// For --check: a plan of the same program for one device, run with the same
  /// inputs and steps; every result is compared with its result. The tolerance
  /// is 4 eps sqrt(longestReduction), at most 1e-3 for f32 and 3e-2 for bf16,
  /// times the array's largest magnitude.
  std::shared_ptr<const plan::PlanT> reference;
  uint64_t longestReduction = 1;
};

/// Runs the command; messages go to `err` as "error: …", everything else to
/// `out`. Returns the exit code.
int runPlan(std::shared_ptr<const plan::PlanT> plan, const RunOptions &options,
            std::ostream &out, std::ostream &err, const RunExtras &extras = {});

/// Parses one command-line option of the command ("--inputs F", "--steps=3");
/// `at` is moved past what was used. Returns false when argv[at] is not one of
/// them; `status` tells of a bad value.
bool parseRunOption(int argc, const char *const *argv, int &at,
                    RunOptions &options, Status &status);

/// One screen about the options that parseRunOption knows.
const char *runOptionsHelp();

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_RUNCOMMAND_H
