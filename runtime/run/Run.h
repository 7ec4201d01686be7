//===- Run.h - One run of a plan ------------------------------------------===//
//
// What the command `run` is made of: load, give inputs, steps, write and
// compare results, account. Each part returns a status.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_RUN_H
#define PARTOPT_RUNTIME_RUN_RUN_H

#include "runtime/run/Compare.h"
#include "runtime/run/Inputs.h"
#include "runtime/run/RunCommand.h"

#include <nlohmann/json.hpp>

namespace partopt::rt {

/// A value that differs by more than its operands' differences explain.
struct Suspect {
  size_t value;   ///< its number among the values of the pass
  double allowed; ///< that it exceeds
};

class Run {
public:
  Run(const RunOptions &options, std::ostream &out)
      : options(options), out(out) {}

  Status load(std::shared_ptr<const plan::PlanT> plan);
  /// Shows the device and the libraries, where there is something to show.
  void printMachine() const;
  /// Whether a result becomes an argument of the next step.
  bool feedsBack() const;
  /// Gives the arguments of step `index`; steps come in order from 0.
  Status prepare(uint64_t index);
  /// Runs the step; `print` shows a line.
  Status execute(uint64_t index, bool print);
  /// Loads the plan and runs all steps, without a word.
  Status runAll(std::shared_ptr<const plan::PlanT> plan) {
    Status status = load(std::move(plan));
    return status.ok() ? steps(false) : status;
  }
  /// All steps of the options.
  Status steps(bool print);
  Status writeOutputs() const;
  /// Opens the file of --expect, which has to hold the results' shapes.
  Status openExpected();
  /// Compares the results with what openExpected found.
  Status compareExpected(std::ostream &err) const;
  /// Takes over the arguments of another run of the same program, every number
  /// changed by `change` of its last place, and at least by the fraction
  /// `least` of itself, up or down without a pattern that two values of `seed`
  /// share.
  Status takeArguments(const Run &other, double change = 0, double least = 0,
                       uint64_t seed = 0);
  size_t numResults() const { return results.size(); }
  /// Widens `spread` by what the results of these numbers differ by from those
  /// of `reference`, a run of the same program.
  Status widen(const Run &reference, const std::vector<size_t> &numbers,
               std::vector<ArraySpread> &spread) const;
  /// Compares with the unpartitioned program. Where its spread is given, an
  /// element may differ by four times its own, an array by eight times the
  /// widest that is below an eighth of the cap of --check, and a few elements
  /// by 4 sqrt(longest reduction) times their own, or the wide one.
  Status compareReference(const Run &reference, const Spread *spread,
                          const RunExtras &extras,
                          std::vector<Comparison> &comparisons) const;
  /// Says what was compared with the unpartitioned program, and `how` beside
  /// the tolerance.
  Status referenceVerdict(std::vector<Comparison> comparisons,
                          const RunExtras &extras,
                          const std::string &how) const;
  /// Tells `model` how large the arguments are.
  Status measureArguments(uint64_t step, ToleranceModel &model) const;
  /// Compares the last `count` results with those of the reference, in order.
  /// Those that differ by more than `model` allows are `suspects`.
  Status compareTaps(const Run &reference, size_t count, uint64_t longest,
                     uint64_t step, ToleranceModel &model,
                     ValuesVerdict &verdict,
                     std::vector<Suspect> &suspects) const;
  /// Compares the suspects once more, up to the first that differs by more than
  /// compareReference would let it; `spread` is theirs.
  Status compareSuspects(const Run &reference, size_t count, uint64_t longest,
                         const std::vector<Suspect> &suspects,
                         const Spread &spread,
                         std::vector<Comparison> &comparisons) const;
  Status account(const RunExtras &extras) const;

private:
  Status giveInputs();
  Status checkComplete() const;
  int lossIndex() const;
  double readLoss(int index) const;
  /// Tokens of each expert in the last step, by MoE layer, where the plan
  /// counts them.
  nlohmann::ordered_json expertLoad() const;
  void printStep(uint64_t step, int loss, double seconds) const;
  Status verdict(std::vector<Comparison> comparisons,
                 const std::string &against) const;

  const RunOptions &options;
  std::ostream &out;
  std::unique_ptr<Session> session;
  std::unique_ptr<Inputs> inputs;
  Batches batches;
  int loss = -1;
  size_t entry = 0;
  std::vector<const plan::ResultT *> results;
  std::shared_ptr<SafetensorsFile> expectedFile; ///< null without --expect
  std::vector<const ArrayEntry *> expected;      ///< by result
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_RUN_H
