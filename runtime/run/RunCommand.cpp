//===- RunCommand.cpp - The command `run` ---------------------------------===//
//
// The order of a run's parts; the first failure ends it with its exit code.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/RunCommand.h"

#include "runtime/base/OutputFile.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <sstream>

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

static void addPaths(const char *option, const std::string &list,
                     std::vector<NamedPath> &paths) {
  std::stringstream parts(list);
  for (std::string path; std::getline(parts, path, ',');)
    paths.push_back({option, path});
}

static Status checkOutputs(const RunOptions &options) {
  std::vector<NamedPath> inputs = {{"--expect", options.expect}};
  addPaths("--inputs", options.inputs, inputs);
  addPaths("--batches", options.batches, inputs);
  Status distinct = checkDistinct({{"--outputs", options.outputs},
                                   {"--report-json", options.reportJson},
                                   {"--trace", options.trace}},
                                  inputs);
  if (!distinct.ok())
    return distinct;
  for (const std::string &path :
       {options.outputs, options.reportJson, options.trace})
    if (!path.empty())
      if (Status status = checkOutput(path); !status.ok())
        return status;
  return Status();
}

/// Without kernels there are no results to write or to compare.
static Status checkSkipped(const RunOptions &options, const RunExtras &extras) {
  if (!options.session.machine.skipKernels)
    return Status();
  const char *wants = !options.outputs.empty()  ? "--outputs"
                      : !options.expect.empty() ? "--expect"
                      : extras.reference        ? "--check"
                                                : nullptr;
  return wants
             ? Status::badInput("--compute model-only computes nothing, so " +
                                std::string(wants) +
                                " has no results to go by; use --compute model")
             : Status();
}

Status checkInputs(const RunOptions &options) {
  std::vector<NamedPath> files;
  if (options.inputs.rfind("random:", 0) != 0)
    addPaths("--inputs", options.inputs, files);
  if (!options.expect.empty())
    files.push_back({"--expect", options.expect});
  for (const NamedPath &file : files)
    if (auto opened = SafetensorsFile::open(file.path); !opened.ok())
      return opened.status();
  return Status();
}

static size_t numFailed(const std::vector<Comparison> &comparisons) {
  return std::count_if(comparisons.begin(), comparisons.end(),
                       [](const Comparison &one) { return !one.passed(); });
}

/// How often the unpartitioned program is disturbed to see what it enlarges.
constexpr uint64_t kDisturbedRuns = 8;

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

  const RunExtras &extras;
  /// `start` never runs: it keeps the arguments of the step.
  Run run, reference, start, disturbed;
};

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
  // Every other time by as much as the coarsest type in the program rounds.
  double coarsest = 0;
  for (double epsilon : extras.resultEpsilons)
    coarsest = std::max(coarsest, epsilon);
  Spread spread;
  for (uint64_t i = 0; i < kDisturbedRuns && status.ok(); ++i) {
    status =
        disturbed.takeArguments(start, 1, i % 2 ? coarsest / 2 : 0, i << 16);
    if (status.ok())
      status = inReference(disturbed.execute(step, false));
    if (status.ok())
      status = disturbed.widen(reference, spread);
  }
  return status.ok()
             ? run.compareReference(reference, &spread, extras, comparisons)
             : status;
}

/// Compares step by step, each from the state that the plan has reached, so
/// that no step enlarges the rounding of another. Where a step differs by more
/// than usual, the unpartitioned program's is run again from states that are
/// changed in their last bits: it shows how much the step enlarges rounding.
/// `comparisons` are those of the first step that differs, or of the last.
static Status checkEachStep(const std::shared_ptr<const plan::PlanT> &plan,
                            const RunOptions &options, std::ostream &out,
                            const RunExtras &extras,
                            std::vector<Comparison> &comparisons) {
  RunOptions plain = plainOptions(options);
  StepCheck check(plain, out, extras);
  Status status = check.load(plan);
  for (uint64_t step = 0; step < options.steps && status.ok(); ++step) {
    status = check.compare(step, comparisons);
    if (numFailed(comparisons) != 0)
      break;
  }
  return status;
}

/// Compares with the unpartitioned program: what all steps make together, and
/// where that differs, each step.
static Status check(const Run &run,
                    const std::shared_ptr<const plan::PlanT> &plan,
                    const RunOptions &options, std::ostream &out,
                    const RunExtras &extras) {
  RunOptions plain = plainOptions(options);
  Run reference(plain, out);
  std::vector<Comparison> comparisons;
  std::string how;
  Status status = inReference(reference.runAll(extras.reference));
  if (status.ok())
    status = run.compareReference(reference, nullptr, extras, comparisons);
  if (size_t drifted = status.ok() ? numFailed(comparisons) : 0) {
    status = checkEachStep(plan, options, out, extras, comparisons);
    how = ", or what it makes of its arguments' last bits";
    if (options.steps > 1 && numFailed(comparisons) == 0)
      how += ", in each step; over " + std::to_string(options.steps) +
             " steps rounding drives " + std::to_string(drifted) +
             " results apart";
  }
  return status.ok() ? run.referenceVerdict(comparisons, extras, how) : status;
}

static Status runAll(const std::shared_ptr<const plan::PlanT> &plan,
                     const RunOptions &options, std::ostream &out,
                     std::ostream &err, const RunExtras &extras) {
  Run run(options, out);
  Status status = checkOutputs(options);
  if (status.ok())
    status = checkSkipped(options, extras);
  if (status.ok())
    status = run.load(plan);
  if (status.ok() && options.steps > 1 && !options.quiet && !run.feedsBack())
    err << "warning: no result is an argument's next value, so every step "
           "starts "
           "from the same values; compile with --carry ARG=RESULT, or export "
           "with donated arguments (donate_argnums)\n";
  if (status.ok())
    status = run.openExpected();
  if (status.ok())
    status = run.steps(!options.quiet);
  if (status.ok())
    status = run.writeOutputs();
  if (status.ok())
    status = run.account(extras);
  if (!status.ok())
    return status;
  Status expected = run.compareExpected();
  // Results that differ from a file say the more, the more is known of them.
  if (!extras.reference || (!expected.ok() && expected.code() != Code::Differs))
    return expected;
  status = check(run, plan, options, out, extras);
  if (extras.differs)
    *extras.differs = status.code() == Code::Differs;
  if (expected.ok() || (!status.ok() && status.code() != Code::Differs))
    return status;
  return status.ok()
             ? expected
             : Status::differs(expected.message() + "; " + status.message());
}

int runPlan(std::shared_ptr<const plan::PlanT> plan, const RunOptions &options,
            std::ostream &out, std::ostream &err, const RunExtras &extras) {
  Status status = runAll(plan, options, out, err, extras);
  if (status.ok() && !out.flush())
    status = Status::badInput("cannot write standard output");
  if (!status.ok())
    err << "error: " << status.message() << "\n";
  return static_cast<int>(status.code());
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
