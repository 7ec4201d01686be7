//===- CheckReference.cpp - A plan against the unpartitioned program ------===//
//
// Results, step by step where rounding drives them apart, and value by value.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/CheckReference.h"

#include <algorithm>

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
  /// Widens `spread` by one more round.
  Status disturb(uint64_t step, uint64_t round, Spread &spread);

  const RunExtras &extras;
  /// `start` never runs: it keeps the arguments of the step.
  Run run, reference, start, disturbed;
};

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
      status = disturbed.widen(reference, isWide ? spread.wide : spread.near);
  }
  return status;
}

Status StepCheck::compare(uint64_t step, std::vector<Comparison> &comparisons) {
  Status status = run.prepare(step);
  for (Run *other : {&reference, &start, &disturbed}) {
    if (status.ok())
      status = inReference(other->prepare(step));
    if (status.ok())
      status = other->takeArguments(run);
  }
  if (status.ok())
    status = run.execute(step, false);
  if (status.ok())
    status = inReference(reference.execute(step, false));
  if (status.ok())
    status = run.compareReference(reference, nullptr, extras, comparisons);
  if (!status.ok() || numFailed(comparisons) == 0)
    return status;
  Spread spread;
  for (uint64_t round = 0; round < kRounds; ++round) {
    status = disturb(step, round, spread);
    if (status.ok())
      status = run.compareReference(reference, &spread, extras, comparisons);
    if (!status.ok() || numFailed(comparisons) == 0 || !fewFail(comparisons))
      break;
  }
  return status;
}

static void keepMoved(const std::vector<Comparison> &comparisons, uint64_t step,
                      std::vector<Comparison> &moved) {
  moved.resize(std::max(moved.size(), comparisons.size()));
  for (size_t i = 0; i < comparisons.size(); ++i) {
    const Comparison &one = comparisons[i];
    if (one.moved + one.excused <= moved[i].moved + moved[i].excused)
      continue;
    moved[i] = one;
    moved[i].step = step;
  }
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
    keepMoved(comparisons, step, moved);
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

Status compareValues(std::shared_ptr<const plan::PlanT> plan,
                     const RunExtras &extras, size_t count,
                     ToleranceModel &model, const RunOptions &options,
                     std::ostream &out, ValuesVerdict &verdict) {
  RunOptions plain = plainOptions(options);
  Run run(plain, out), reference(plain, out);
  Status status = run.load(std::move(plan));
  if (status.ok())
    status = inReference(reference.load(extras.reference));
  for (uint64_t step = 0; step < options.steps && !verdict.differs; ++step) {
    if (status.ok())
      status = run.prepare(step);
    if (status.ok())
      status = inReference(reference.prepare(step));
    if (status.ok())
      status = run.compareArguments(reference, step, model);
    if (status.ok())
      status = run.execute(step, false);
    if (status.ok())
      status = inReference(reference.execute(step, false));
    verdict.step = step;
    if (status.ok())
      status = run.compareTaps(reference, count, extras.longestReduction, model,
                               verdict);
    if (!status.ok())
      return status;
  }
  return status;
}

} // namespace partopt::rt
