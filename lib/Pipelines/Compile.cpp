//===- Compile.cpp - A model to a plan ------------------------------------===//
//
// One pass manager per phase. The IR is verified after every pass by an
// instrumentation instead of the pass manager, so that IR that a pass broke is
// known as partopt's fault and not reported as the user's.
//
//===----------------------------------------------------------------------===//

#include "partopt/Pipelines/Compile.h"

#include "ChoosePipeline.h"
#include "FinishPlan.h"
#include "FitMemory.h"

#include "partopt/Partition/Passes.h"
#include "partopt/Plan/SerializePlan.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <map>

using namespace mlir;
using namespace partopt;

namespace {
/// Notes the first pass after which the IR does not verify, and the pass that
/// ran when the pipeline stopped.
class VerifyAfterEachPass : public PassInstrumentation {
public:
  explicit VerifyAfterEachPass(std::string &broken, std::string &running)
      : brokenBy(broken), lastPass(running) {}
  void runBeforePass(Pass *pass, Operation *) override {
    lastPass = pass->getArgument().str();
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (brokenBy.empty() && failed(verify(op)))
      brokenBy = pass->getArgument().str();
  }

private:
  std::string &brokenBy, &lastPass;
};

/// Counts errors while passing every diagnostic on.
class ErrorCounter {
public:
  explicit ErrorCounter(MLIRContext *context)
      : handler(context, [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            ++errors;
          return failure(); // not consumed
        }) {}
  unsigned errors = 0;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Writes the IR after a phase to "NN-suffix.mlir" in the dump folder.
static std::string dumpPhase(ModuleOp module, const PhaseSpec &spec,
                             StringRef folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return "cannot make the folder '" + folder.str() + "': " + error.message();
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02d-", int(spec.phase)) << spec.dumpSuffix << ".mlir";
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &out) {
    module->print(out, OpPrintingFlags().enableDebugInfo());
    return llvm::Error::success();
  });
  if (error)
    return "cannot write " + llvm::toString(std::move(error));
  return "";
}

/// Runs passes; the outcome's status tells how it went. A pass that fails with
/// an error has found the user's mistake.
static void runPasses(ModuleOp module, const CompileRequest &request,
                      llvm::function_ref<void(OpPassManager &)> addPasses,
                      CompileOutcome &outcome) {
  std::string brokenBy, running;
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  manager.addInstrumentation(
      std::make_unique<VerifyAfterEachPass>(brokenBy, running));
  if (request.configure)
    request.configure(manager);
  addPasses(manager);
  ErrorCounter counter(module.getContext());
  bool good = succeeded(manager.run(module));
  if (!brokenBy.empty()) {
    outcome.status = CompileStatus::Internal;
    outcome.problem = "the IR does not verify after pass " + brokenBy;
  } else if (!good && counter.errors == 0) {
    outcome.status = CompileStatus::Internal;
    outcome.problem = "pass " + running + " failed without a reason";
  } else if (!good) {
    outcome.status = CompileStatus::BadInput;
  }
}

/// Runs a phase and proves its exit contract, which only partopt can break.
static void runPhase(ModuleOp module, const PhaseSpec &spec,
                     const CompileRequest &request, CompileOutcome &outcome) {
  runPasses(
      module, request,
      [&](OpPassManager &pm) { spec.addPasses(pm, request.options); }, outcome);
  if (outcome.status != CompileStatus::Done || !spec.addVerify)
    return;
  runPasses(module, request, spec.addVerify, outcome);
  if (outcome.status == CompileStatus::BadInput) {
    outcome.status = CompileStatus::Internal;
    outcome.problem = ("phase " + spec.name + " broke its contract").str();
  }
}

/// Text that a user edited must keep the contract of the phase that it stands
/// for; where it does not, it is the user's mistake.
static void checkStart(ModuleOp module, const CompileRequest &request,
                       CompileOutcome &outcome) {
  for (const PhaseSpec &spec : phaseTable())
    if (int(spec.phase) + 1 == int(request.first) && spec.addVerify)
      runPasses(module, request, spec.addVerify, outcome);
}

/// Makes the values that request.taps asks for results.
static void tapProgram(ModuleOp module, const CompileRequest &request,
                       CompileOutcome &outcome) {
  uint64_t last = chooseTaps(module, *request.taps, outcome);
  runPasses(
      module, request,
      [&](OpPassManager &pm) {
        pm.addNestedPass<func::FuncOp>(
            createTapValuesPass(request.taps->first, last));
      },
      outcome);
}

static void checkSignature(ModuleOp module, const CompileRequest &request,
                           CompileOutcome &outcome) {
  if (!request.checkSignature)
    return;
  outcome.problem = request.checkSignature(*signatureOf(module));
  if (!outcome.problem.empty())
    outcome.status = CompileStatus::BadInput;
}

/// The program before a phase, for attempts that start there; phases that none
/// starts from are left out.
using Checkpoints = std::map<Phase, OwningOpRef<ModuleOp>>;

/// A trial chooses nothing. Else request.options become what is chosen.
static CompileOutcome runPhases(ModuleOp module, CompileRequest &request,
                                Checkpoints &checkpoints, bool isTrial);

/// Compiles a copy of the program before phase `first` up to its plan, without
/// a word.
static CompileOutcome tryOptions(ModuleOp program, Phase first,
                                 const CompileRequest &request,
                                 const CompileOptions &options) {
  OwningOpRef<ModuleOp> copy = program.clone();
  CompileRequest trial = request;
  trial.options = options;
  trial.first = first;
  trial.last = Phase::Plan;
  trial.dumpDir.clear();
  trial.taps.reset();
  ScopedDiagnosticHandler quiet(program.getContext(),
                                [](Diagnostic &) { return success(); });
  Checkpoints none;
  return runPhases(*copy, trial, none, first == Phase::Optimise);
}

/// Phase optimise is next, in which stages are cut.
static void choosePipeline(ModuleOp module, CompileRequest &request) {
  if (!request.options.strategy.pipeline ||
      request.options.pipeline.schedule != "auto")
    return;
  std::string note =
      choosePipeline(request.options, [&](const CompileOptions &options) {
        return tryOptions(module, Phase::Optimise, request, options);
      });
  if (!note.empty())
    addNote(module, "pipeline", note);
}

static CompileOutcome runPhases(ModuleOp module, CompileRequest &request,
                                Checkpoints &checkpoints, bool isTrial) {
  CompileOutcome outcome;
  checkPhaseOfText(module, request, outcome);
  if (outcome.status == CompileStatus::Done)
    checkStart(module, request, outcome);
  for (const PhaseSpec &spec : phaseTable()) {
    if (outcome.status != CompileStatus::Done)
      return outcome;
    if (spec.phase < request.first || spec.phase > request.last)
      continue;
    auto start = std::chrono::steady_clock::now();
    if (auto kept = checkpoints.find(spec.phase); kept != checkpoints.end())
      kept->second = module.clone();
    // After propagation, so that taps have no part in it.
    if (spec.phase == Phase::Partition && request.taps)
      tapProgram(module, request, outcome);
    if (spec.phase == Phase::Optimise && !isTrial)
      choosePipeline(module, request);
    if (spec.addPasses)
      runPhase(module, spec, request, outcome);
    if (spec.phase == Phase::Import && outcome.status == CompileStatus::Done) {
      outcome.longestReduction = longestReduction(module);
      outcome.resultEpsilons = resultEpsilons(module, request.options);
      checkSignature(module, request, outcome);
    }
    if (spec.phase == Phase::Plan && outcome.status == CompileStatus::Done)
      makePlan(module, request, outcome);
    if (spec.phase == Phase::Codegen)
      addKernels(module, request, outcome);
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    outcome.phases.push_back({spec.name.str(), took.count()});
    module->setAttr(kAfterPhaseAttr,
                    StringAttr::get(module.getContext(), spec.name));
    if (!request.dumpDir.empty() && spec.addPasses &&
        outcome.status == CompileStatus::Done) {
      outcome.problem = dumpPhase(module, spec, request.dumpDir);
      if (!outcome.problem.empty())
        outcome.status = CompileStatus::BadInput;
    }
  }
  return outcome;
}

static CompileOutcome compileOnce(ModuleOp module, CompileRequest &request,
                                  Checkpoints &checkpoints) {
  bool isMarked = module->hasAttr(kAfterPhaseAttr);
  CompileOutcome outcome =
      runPhases(module, request, checkpoints, /*isTrial=*/false);
  if (!isMarked)
    explainUnmarked(request, outcome);
  return outcome;
}

/// Makes `module` what `original` is.
static void restore(ModuleOp module, ModuleOp original) {
  OwningOpRef<ModuleOp> copy = original.clone();
  module->setAttrs((*copy)->getAttrDictionary());
  module.getBodyRegion().takeBody(copy->getBodyRegion());
}

/// Whether a cluster has more than one order to lay the mesh's axes in.
static bool ordersAxes(const CompileRequest &request) {
  const CompileOptions &options = request.options;
  auto isSplit = [](const MeshAxisSize &axis) { return axis.size > 1; };
  return options.machine.cluster.hasLinks() && request.last >= Phase::Plan &&
         (options.mesh.empty() || llvm::count_if(options.mesh, isSplit) > 1);
}

/// Predicts the step of the plan that the order of axes to compare with has:
/// what passes which depends on the links too.
static void predictOtherOrder(const CompileRequest &request, ModuleOp kernels,
                              CompileOutcome &outcome) {
  if (outcome.status != CompileStatus::Done || !outcome.plan ||
      !outcome.plan->mapping || outcome.plan->mapping->other.empty())
    return;
  CompileRequest other = request;
  other.options.axisOrder.clear();
  for (uint16_t axis : outcome.plan->mapping->other)
    other.options.axisOrder += (other.options.axisOrder.empty() ? "" : ",") +
                               outcome.plan->mesh[axis]->name;
  other.options.deviceMemory = 0;
  other.first = Phase::Schedule;
  other.last = Phase::Plan;
  other.dumpDir.clear();
  other.taps.reset();
  // Both plans have the same warnings.
  ScopedDiagnosticHandler quiet(kernels.getContext(),
                                [](Diagnostic &) { return success(); });
  Checkpoints none;
  CompileOutcome made = runPhases(kernels, other, none, /*isTrial=*/true);
  if (made.status == CompileStatus::Done && made.plan->mapping)
    outcome.plan->mapping->other_predicted = made.plan->mapping->predicted;
}

/// Runs phases again for the same plan: what is known of all attempts stays.
static void compileAgain(ModuleOp module, CompileRequest &request,
                         Checkpoints &checkpoints, CompileOutcome &outcome) {
  // The model's warnings have been given.
  ScopedDiagnosticHandler quiet(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
      });
  CompileOutcome before = std::move(outcome);
  outcome = compileOnce(module, request, checkpoints);
  outcome.phases.insert(outcome.phases.begin(), before.phases.begin(),
                        before.phases.end());
  // Known of the import, which all attempts share.
  outcome.longestReduction = before.longestReduction;
  outcome.resultEpsilons = std::move(before.resultEpsilons);
}

/// Of a pipeline with a named schedule that does not fit: cuts its stages by
/// memory too, if it fits then.
static void recutStages(ModuleOp module, CompileRequest &request,
                        Checkpoints &checkpoints, CompileOutcome &outcome) {
  auto partitioned = checkpoints.find(Phase::Optimise);
  if (outcome.status != CompileStatus::DoesNotFit ||
      !request.options.strategy.pipeline || partitioned == checkpoints.end() ||
      request.options.pipeline.schedule == "auto")
    return;
  auto cut = balanceStages(request.options, [&](const CompileOptions &options) {
    return tryOptions(*partitioned->second, Phase::Optimise, request, options);
  });
  if (cut && !cut->fits && cut->peak < peakOf(*outcome.plan))
    outcome.problem += "\n  with stages that are cut by memory it needs " +
                       bytesText(cut->peak);
  if (!cut || !cut->fits)
    return;
  restore(module, *partitioned->second);
  addNote(module, "pipeline",
          "stages are cut by memory too: by time alone the plan would need " +
              bytesText(peakOf(*outcome.plan)) + " per device");
  request.options = cut->options;
  request.first = Phase::Optimise;
  compileAgain(module, request, checkpoints, outcome);
}

/// What would let a pipeline fit that does not: each way was tried.
static void describeWaysToFit(const CompileRequest &request,
                              Checkpoints &checkpoints,
                              CompileOutcome &outcome) {
  if (outcome.status != CompileStatus::DoesNotFit ||
      !request.options.strategy.pipeline)
    return;
  auto from = [&](Phase phase) {
    return [&checkpoints, &request, phase](const CompileOptions &options) {
      return tryOptions(*checkpoints[phase], phase, request, options);
    };
  };
  if (request.options.pipeline.schedule != "auto")
    outcome.problem +=
        describeFittingSchedule(request.options, from(Phase::Optimise));
  outcome.problem += describeFittingOptions(
      request.options, peakOf(*outcome.plan), from(Phase::Strategy));
}

CompileOutcome partopt::compileModule(ModuleOp module,
                                      const CompileRequest &request) {
  CompileRequest attempt = request;
  MemorySearch search(request.options);
  Checkpoints checkpoints;
  bool mayChoose = request.first <= Phase::Strategy;
  if (mayChoose && request.options.deviceMemory != 0) {
    for (Phase phase : search.startingPhases())
      checkpoints[phase];
    if (request.options.strategy.pipeline)
      for (Phase phase : {Phase::Strategy, Phase::Optimise})
        checkpoints[phase];
  }
  if (ordersAxes(request))
    checkpoints[Phase::Schedule];
  CompileOutcome outcome = compileOnce(module, attempt, checkpoints);
  recutStages(module, attempt, checkpoints, outcome);
  while (mayChoose && outcome.status == CompileStatus::DoesNotFit) {
    // Pipelines are chosen anew.
    attempt.options.pipeline = request.options.pipeline;
    std::optional<Phase> start = search.next(attempt.options, outcome);
    if (!start)
      break;
    restore(module, *checkpoints[*start]);
    attempt.first = *start;
    compileAgain(module, attempt, checkpoints, outcome);
    recutStages(module, attempt, checkpoints, outcome);
  }
  if (auto kept = checkpoints.find(Phase::Schedule);
      kept != checkpoints.end() && kept->second)
    predictOtherOrder(attempt, *kept->second, outcome);
  if (mayChoose) {
    describeWaysToFit(attempt, checkpoints, outcome);
    search.report(attempt.options, outcome);
  }
  return outcome;
}
