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
#include <optional>
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
  /// The first that was given of those that the CUDA driver alone takes
  /// ("tf32"), or empty.
  std::string cudaOption;
  SessionOptions session;
};

/// What else a caller wants from a run.
struct RunExtras {
  /// Parts of the report that only the compiler knows ("time", "compile", …).
  const nlohmann::ordered_json *report = nullptr;
  /// For --check: a plan of the same program for one device, run with the same
  /// inputs and steps; every result is compared with its result. The tolerance
  /// is 4 eps sqrt(longestReduction), at most 1e-3 for f32 and 3e-2 for bf16,
  /// times the array's largest magnitude. Where that is not met, every step is
  /// compared from the state that the plan has reached, and an element may
  /// differ by a few times what the last bits of that state change in it; an
  /// array by what they change in any of it, up to the same 1e-3 and 3e-2.
  std::shared_ptr<const plan::PlanT> reference;
  uint64_t longestReduction = 1;
  /// Of each of the reference's results: the largest eps that a value has from
  /// which it is computed. Empty: its own type's.
  std::vector<double> resultEpsilons;
  /// Set when results differ from the reference's.
  bool *differs = nullptr;
};

/// Opens the files of --inputs and --expect: fails where one cannot be read or
/// is no good array file. What they hold is compared by checkArrays.
Status checkInputs(const RunOptions &options);

/// Compares what is given for arguments with a plan's first entry, of which the
/// signature is enough: before kernels are compiled.
Status checkArrays(const plan::PlanT &plan, const RunOptions &options);

/// Fails, saying what is missing, where this machine or this build does not
/// have the driver, and where another one was given its options.
Status checkDriver(const RunOptions &options);

/// Runs the command; messages go to `err` as "error: …", everything else to
/// `out`. Returns the exit code.
int runPlan(std::shared_ptr<const plan::PlanT> plan, const RunOptions &options,
            std::ostream &out, std::ostream &err, const RunExtras &extras = {});

/// What a comparison value by value found.
struct ValuesVerdict {
  double loosest = 0; ///< the largest relative tolerance that was used
  // Numbers among the values of the pass:
  std::optional<size_t> nan;     ///< the first that has NaN on both sides
  std::optional<size_t> differs; ///< the first that differs
  Comparison difference;         ///< of that one
  /// By value: of those that differ as rounding alone moves them, in the step
  /// in which it moved most of their elements.
  std::vector<Comparison> moved;
};

/// Of an array's finite elements: the largest magnitude, the smallest that is
/// not zero, and the root of the mean square.
struct Magnitude {
  double largest = 0, smallest = 0, typical = 0;
};

/// Decides how much a value may differ; called in the order of the program.
class ToleranceModel {
public:
  virtual ~ToleranceModel() = default;
  /// Before each step, for every argument.
  virtual void setArgument(uint64_t step, size_t argument,
                           const Magnitude &magnitude) = 0;
  /// For value `value` of the pass; `relative` is the tolerance of --check for
  /// its type.
  virtual double allowed(uint64_t step, size_t value,
                         const Magnitude &magnitude, double relative) = 0;
  /// What it turned out to differ by.
  virtual void setDifference(uint64_t step, size_t value,
                             double difference) = 0;
};

/// For --check=values: runs the plan and extras.reference, whose last `count`
/// results each are the values to compare, with the same inputs, and compares
/// them in order after every step up to the first that differs: by more than
/// `model` says, and by more than the last bits of the step's arguments change
/// in it.
Status compareValues(const std::shared_ptr<const plan::PlanT> &plan,
                     const RunExtras &extras, size_t count,
                     ToleranceModel &model, const RunOptions &options,
                     std::ostream &out, ValuesVerdict &verdict);

/// Parses one command-line option of the command ("--inputs F", "--steps=3");
/// `at` is moved past what was used. Returns false when argv[at] is not one of
/// them; `status` tells of a bad value.
bool parseRunOption(int argc, const char *const *argv, int &at,
                    RunOptions &options, Status &status);

/// "; did you mean '--steps'?" for the text of an option that parseRunOption
/// does not know ("--stesp=3"), or "" where none is near.
std::string meantRunOption(const std::string &text);

/// One screen about the options that parseRunOption knows.
const char *runOptionsHelp();

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_RUNCOMMAND_H
