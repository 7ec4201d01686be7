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

class Run {
public:
  Run(const RunOptions &options, std::ostream &out)
      : options(options), out(out) {}

  Status load(std::shared_ptr<const plan::PlanT> plan);
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
  Status compareExpected() const;
  /// Changes the last bit of every number of the arguments, up or down, before
  /// the first step: what results then differ by is what rounding makes of
  /// them.
  void disturb() { isDisturbed = true; }
  /// Compares with the unpartitioned program. Where `disturbed` is given, the
  /// same program with disturbed arguments, an array may differ by 4
  /// sqrt(longest reduction) times what the two differ by, at most the cap of
  /// --check.
  Status compareReference(const Run &reference, const Run *disturbed,
                          const RunExtras &extras,
                          std::vector<Comparison> &comparisons) const;
  /// Says what was compared with the unpartitioned program.
  Status referenceVerdict(std::vector<Comparison> comparisons,
                          const RunExtras &extras, bool disturbed) const;
  /// Tells `model` how the arguments differ from the reference's.
  Status compareArguments(const Run &reference, uint64_t step,
                          ToleranceModel &model) const;
  /// Compares the last `count` results with those of the reference, in order,
  /// up to the first that differs.
  Status compareTaps(const Run &reference, size_t count, uint64_t longest,
                     ToleranceModel &model, ValuesVerdict &verdict) const;
  Status account(const RunExtras &extras) const;

private:
  Status giveInputs();
  Status disturbArguments();
  double tolerated(const Run &reference, const Run *disturbed, size_t result,
                   const RunExtras &extras, const ArrayCopy &want) const;
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
  bool isDisturbed = false;
  size_t entry = 0;
  std::vector<const plan::ResultT *> results;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_RUN_H
