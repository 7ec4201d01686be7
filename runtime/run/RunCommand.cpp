//===- RunCommand.cpp - The command `run` ---------------------------------===//
//
// The order of a run's parts; the first failure ends it with its exit code.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/RunCommand.h"

#include "partopt/Plan/Classes.h"
#include "runtime/base/OutputFile.h"
#include "runtime/drivers/cuda/CudaDriver.h"
#include "runtime/run/CheckReference.h"
#include "runtime/run/Inputs.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <sstream>

namespace partopt::rt {

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

Status checkArrays(const plan::PlanT &plan, const RunOptions &options) {
  if (options.inputs.empty() && options.batches.empty())
    return Status(); // said, with what the plan takes, when it runs
  StatusOr<int64_t> seed = randomSeed(options.inputs);
  if (!seed.ok())
    return seed.status();
  std::vector<bool> given(plan::argumentsOf(plan, 0).size(), *seed >= 0);
  std::vector<NamedPath> paths;
  if (*seed < 0)
    addPaths("--inputs", options.inputs, paths);
  for (const NamedPath &path : paths) {
    auto file = SafetensorsFile::open(path.path);
    if (!file.ok())
      return file.status();
    std::vector<const ArrayEntry *> arrays;
    Status status = matchFile(plan, 0, **file, /*perStep=*/false, arrays);
    if (!status.ok())
      return status;
    for (size_t i = 0; i < given.size(); ++i)
      given[i] = given[i] || arrays[i];
  }
  StatusOr<Batches> batches = Batches::open(options.batches);
  if (!batches.ok())
    return batches.status();
  Status status = batches->check(plan, 0, given);
  return status.ok()
             ? checkGiven(plan, 0, given,
                          "'" +
                              (options.inputs.empty() ? options.batches
                                                      : options.inputs) +
                              "'")
             : status;
}

Status checkDriver(const RunOptions &options) {
  if (options.session.driver == DriverKind::Cuda)
    return checkCudaDriver();
  return options.cudaOption.empty()
             ? Status()
             : Status::badInput("--" + options.cudaOption +
                                " belongs to --driver cuda");
}

static Status runAll(const std::shared_ptr<const plan::PlanT> &plan,
                     const RunOptions &options, std::ostream &out,
                     std::ostream &err, const RunExtras &extras) {
  Run run(options, out);
  Status status = checkDriver(options);
  if (status.ok())
    status = checkOutputs(options);
  if (status.ok())
    status = checkSkipped(options, extras);
  if (status.ok())
    status = run.load(plan);
  if (status.ok() && !options.quiet)
    run.printMachine();
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
  Status expected = run.compareExpected(err);
  // Results that differ from a file say the more, the more is known of them.
  if (!extras.reference || (!expected.ok() && expected.code() != Code::Differs))
    return expected;
  status = checkReference(run, plan, options, out, err, extras);
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

} // namespace partopt::rt
