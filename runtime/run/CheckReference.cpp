//===- CheckReference.cpp - A plan against the unpartitioned program ------===//
//
// Results, step by step where rounding drives them apart, and value by value.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/CheckReference.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace partopt::rt {

/// The options of the unpartitioned program's run.
static RunOptions plainOptions(const RunOptions &options) {
  RunOptions plain = options;
  plain.session.faults.clear();
  plain.session.trace = false;
  plain.session.machine.links = simulate::LinkModel();
  plain.session.machine.cluster = simulate::Cluster();
  plain.session.machine.device = simulate::ComputeModel();
  return plain;
}

static Status inReference(const Status &status) {
  return status.ok() ? status
                     : Status(status.code(),
                              "the unpartitioned program: " + status.message());
}

static size_t numFailed(const std::vector<Comparison> &comparisons) {
  return std::count_if(comparisons.begin(), comparisons.end(),
                       [](const Comparison &one) { return !one.passed(); });
}

/// Keeps `one`, of `step`, where rounding moved more of its elements than it
/// did in `kept`.
static void keepMoved(const Comparison &one, uint64_t step, Comparison &kept) {
  if (one.moved + one.excused <= kept.moved + kept.excused)
    return;
  kept = one;
  kept.step = step;
}

/// The unpartitioned program is disturbed to see what it enlarges, in rounds of
/// so many runs: by last bits, and by eight times that. One round shows what
/// all elements of an array do, more of them what a few do now and then.
constexpr uint64_t kNearRuns = 8, kWideRuns = 4, kRounds = 8;
constexpr double kWide = 8;

/// Where more runs may explain what a few elements differ by.
static bool fewFail(const std::vector<Comparison> &comparisons) {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [](const Comparison &one) {
                       return one.passed() || one.mismatches + one.excused <=
                                                  2 + one.elements / 10;
                     });
}

/// One program of a plan that is compared step by step.
struct StepCheck {
  StepCheck(const RunOptions &options, std::ostream &out,
            const RunExtras &extras)
      : extras(extras), run(options, out), reference(options, out),
        start(options, out), disturbed(options, out) {}

  Status load(const std::shared_ptr<const plan::PlanT> &plan) {
    Status status = run.load(plan);
    for (Run *other : {&reference, &start, &disturbed})
      if (status.ok())
        status = inReference(other->load(extras.reference));
    return status;
  }
  Status compare(uint64_t step, std::vector<Comparison> &comparisons);
  /// The same of the last `count` results, which are values of the program.
  Status compareTaps(uint64_t step, size_t count, ToleranceModel &model,
                     ValuesVerdict &verdict);

private:
  Status prepare(uint64_t step);
  Status execute(uint64_t step);
  /// Widens `spread` by one more round.
  Status disturb(uint64_t step, uint64_t round, Spread &spread);
  /// Widens `spread` until `again`, which compares anew, finds nothing wrong or
  /// more than rounding does.
  Status explain(uint64_t step, Spread &spread,
                 const std::vector<Comparison> &comparisons,
                 const std::function<Status()> &again);

  const RunExtras &extras;
  /// `start` never runs: it keeps the arguments of the step.
  Run run, reference, start, disturbed;
};

/// The plan goes on from the state that it has reached, and the unpartitioned
/// program from the same. In the first step each gets its arguments by itself,
/// or what the plan makes of them on the way would not show.
Status StepCheck::prepare(uint64_t step) {
  Status status = run.prepare(step);
  for (Run *other : {&reference, &start, &disturbed})
    if (status.ok())
      status = inReference(other->prepare(step));
  if (status.ok() && step > 0)
    status = reference.takeArguments(run);
  return status.ok() ? start.takeArguments(reference) : status;
}

Status StepCheck::execute(uint64_t step) {
  Status status = run.execute(step, false);
  return status.ok() ? inReference(reference.execute(step, false)) : status;
}

Status StepCheck::disturb(uint64_t step, uint64_t round, Spread &spread) {
  // Mostly by as much as the coarsest type in the program rounds.
  double coarsest = 0;
  for (double epsilon : extras.resultEpsilons)
    coarsest = std::max(coarsest, epsilon);
  Status status;
  constexpr uint64_t runs = kNearRuns + kWideRuns;
  for (uint64_t i = 0; i < runs && status.ok(); ++i) {
    bool isWide = i >= kNearRuns;
    double by = isWide ? kWide : 1;
    status = disturbed.takeArguments(start, by, i % 4 ? by * coarsest / 2 : 0,
                                     (round * runs + i) << 16);
    if (status.ok())
      status = inReference(disturbed.execute(step, false));
    if (status.ok())
      status = disturbed.widen(reference, spread.results,
                               isWide ? spread.wide : spread.near);
  }
  return status;
}

Status StepCheck::explain(uint64_t step, Spread &spread,
                          const std::vector<Comparison> &comparisons,
                          const std::function<Status()> &again) {
  Status status;
  for (uint64_t round = 0; round < kRounds && status.ok(); ++round) {
    status = disturb(step, round, spread);
    if (status.ok())
      status = again();
    if (numFailed(comparisons) == 0 || !fewFail(comparisons))
      break;
  }
  return status;
}

Status StepCheck::compare(uint64_t step, std::vector<Comparison> &comparisons) {
  Status status = prepare(step);
  if (status.ok())
    status = execute(step);
  if (status.ok())
    status = run.compareReference(reference, nullptr, extras, comparisons);
  if (!status.ok() || numFailed(comparisons) == 0)
    return status;
  Spread spread;
  spread.results.resize(reference.numResults());
  std::iota(spread.results.begin(), spread.results.end(), size_t(0));
  return explain(step, spread, comparisons, [&] {
    return run.compareReference(reference, &spread, extras, comparisons);
  });
}

Status StepCheck::compareTaps(uint64_t step, size_t count,
                              ToleranceModel &model, ValuesVerdict &verdict) {
  Status status = prepare(step);
  if (status.ok())
    status = run.measureArguments(step, model);
  if (status.ok())
    status = execute(step);
  std::vector<Suspect> suspects;
  if (status.ok())
    status = run.compareTaps(reference, count, extras.longestReduction, step,
                             model, verdict, suspects);
  if (!status.ok() || suspects.empty())
    return status;
  Spread spread;
  for (const Suspect &suspect : suspects)
    spread.results.push_back(reference.numResults() - count + suspect.value);
  std::vector<Comparison> comparisons;
  status = explain(step, spread, comparisons, [&] {
    return run.compareSuspects(reference, count, extras.longestReduction,
                               suspects, spread, comparisons);
  });
  verdict.moved.resize(count);
  for (size_t i = 0; i < comparisons.size(); ++i)
    if (comparisons[i].passed())
      keepMoved(comparisons[i], step, verdict.moved[suspects[i].value]);
  if (numFailed(comparisons) > 0) { // the last one of them
    verdict.differs = suspects[comparisons.size() - 1].value;
    verdict.difference = comparisons.back();
    verdict.difference.step = step;
  }
  return status;
}

/// Compares step by step, each from the state that the plan has reached, so
/// that no step enlarges the rounding of another. Where a step differs by more
/// than usual, the unpartitioned program's is run again from states that are
/// changed in their last bits: it shows how much the step enlarges rounding.
/// `comparisons` are those of the first step that differs, or of the last, and
/// `moved` of each result the step in which rounding moved most elements of it.
static Status checkEachStep(const std::shared_ptr<const plan::PlanT> &plan,
                            const RunOptions &options, std::ostream &out,
                            const RunExtras &extras,
                            std::vector<Comparison> &comparisons,
                            std::vector<Comparison> &moved) {
  RunOptions plain = plainOptions(options);
  StepCheck check(plain, out, extras);
  Status status = check.load(plan);
  for (uint64_t step = 0; step < options.steps && status.ok(); ++step) {
    status = check.compare(step, comparisons);
    moved.resize(comparisons.size());
    for (size_t i = 0; i < comparisons.size(); ++i)
      keepMoved(comparisons[i], step, moved[i]);
    if (numFailed(comparisons) != 0)
      break;
  }
  return status;
}

Status checkReference(const Run &run,
                      const std::shared_ptr<const plan::PlanT> &plan,
                      const RunOptions &options, std::ostream &out,
                      std::ostream &err, const RunExtras &extras) {
  RunOptions plain = plainOptions(options);
  Run reference(plain, out);
  std::vector<Comparison> comparisons;
  std::string how;
  Status status = inReference(reference.runAll(extras.reference));
  if (status.ok())
    status = run.compareReference(reference, nullptr, extras, comparisons);
  if (!options.quiet)
    warnNotFinite(comparisons, "the unpartitioned program's", err);
  if (size_t drifted = status.ok() ? numFailed(comparisons) : 0) {
    std::vector<Comparison> moved;
    status = checkEachStep(plan, options, out, extras, comparisons, moved);
    if (status.ok() && !options.quiet)
      printMoved(moved, options.steps, out);
    how = ", or what it makes of its arguments' last bits";
    if (options.steps > 1 && numFailed(comparisons) == 0)
      how += ", in each step; over " + std::to_string(options.steps) +
             " steps rounding drives " + std::to_string(drifted) +
             " results apart";
  }
  return status.ok() ? run.referenceVerdict(comparisons, extras, how) : status;
}

Status compareValues(const std::shared_ptr<const plan::PlanT> &plan,
                     const RunExtras &extras, size_t count,
                     ToleranceModel &model, const RunOptions &options,
                     std::ostream &out, ValuesVerdict &verdict) {
  RunOptions plain = plainOptions(options);
  StepCheck check(plain, out, extras);
  Status status = check.load(plan);
  for (uint64_t step = 0; step < options.steps && status.ok(); ++step) {
    status = check.compareTaps(step, count, model, verdict);
    if (verdict.differs)
      break;
  }
  return status;
}

} // namespace partopt::rt
