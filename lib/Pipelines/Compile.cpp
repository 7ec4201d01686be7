//===- Compile.cpp - A model to a plan ------------------------------------===//
//
// One pass manager per phase. The IR is verified after every pass by an
// instrumentation instead of the pass manager, so that IR that a pass broke is
// known as partopt's fault and not reported as the user's.
//
//===----------------------------------------------------------------------===//

#include "partopt/Pipelines/Compile.h"

#include "FinishPlan.h"
#include "FitMemory.h"

#include "partopt/Partition/Passes.h"
#include "partopt/Plan/SerializePlan.h"

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

/// On the module: the phase whose result it is.
constexpr StringRef kPhaseAttr = "partopt.after_phase";

/// Text that names its phase is taken up behind that one: what follows an
/// earlier phase would be left out, what works on one device's part would run
/// on parts of parts.
static void checkPhaseOfText(ModuleOp module, const CompileRequest &request,
                             CompileOutcome &outcome) {
  auto mark = module->getAttrOfType<StringAttr>(kPhaseAttr);
  if (!mark)
    return;
  const PhaseSpec *of = findPhase(mark.getValue());
  if (!of) {
    outcome.status = CompileStatus::BadInput;
    outcome.problem =
        (llvm::Twine(request.modelName) +
         ": partopt.after_phase names no phase: '" + mark.getValue() + "'")
            .str();
    return;
  }
  int next = int(of->phase) + 1, first = int(request.first);
  if (first <= next && (first == next || of->phase < Phase::Partition))
    return;
  outcome.status = CompileStatus::BadInput;
  outcome.problem =
      (llvm::Twine(request.modelName) + ": is the program after phase '" +
       of->name + "' (partopt.after_phase); use --compile-from " + of->name)
          .str();
}

/// Text that a user edited must keep the contract of the phase that it stands
/// for; where it does not, it is the user's mistake.
static void checkStart(ModuleOp module, const CompileRequest &request,
                       CompileOutcome &outcome) {
  for (const PhaseSpec &spec : phaseTable())
    if (int(spec.phase) + 1 == int(request.first) && spec.addVerify)
      runPasses(module, request, spec.addVerify, outcome);
}

/// Text that does not name its phase may be anything: where it turns out not to
/// be what --compile-from says, most likely it is a model as it was exported.
static void explainUnmarked(const CompileRequest &request,
                            CompileOutcome &outcome) {
  const PhaseSpec *from = nullptr;
  for (const PhaseSpec &spec : phaseTable())
    if (int(spec.phase) + 1 == int(request.first))
      from = &spec;
  if (!from || outcome.status == CompileStatus::Done ||
      outcome.status == CompileStatus::DoesNotFit)
    return;
  outcome.status = CompileStatus::BadInput;
  outcome.problem =
      (outcome.problem.empty() ? "" : outcome.problem + "; ") +
      (llvm::Twine(request.modelName) +
       ": has no partopt.after_phase, so it is not known to be the program "
       "after phase '" +
       from->name +
       "', and is not; a model on which no phase has run needs no "
       "--compile-from, and --compile-to " +
       from->name + " prints what --compile-from " + from->name + " takes")
          .str();
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

static CompileOutcome runPhases(ModuleOp module, const CompileRequest &request,
                                Checkpoints &checkpoints) {
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
    module->setAttr(kPhaseAttr,
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

static CompileOutcome compileOnce(ModuleOp module,
                                  const CompileRequest &request,
                                  Checkpoints &checkpoints) {
  bool isMarked = module->hasAttr(kPhaseAttr);
  CompileOutcome outcome = runPhases(module, request, checkpoints);
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
  CompileOutcome made = runPhases(kernels, other, none);
  if (made.status == CompileStatus::Done && made.plan->mapping)
    outcome.plan->mapping->other_predicted = made.plan->mapping->predicted;
}

CompileOutcome partopt::compileModule(ModuleOp module,
                                      const CompileRequest &request) {
  CompileRequest attempt = request;
  MemorySearch search(request.options);
  Checkpoints checkpoints;
  bool mayChoose = request.first <= Phase::Strategy;
  if (mayChoose && request.options.deviceMemory != 0)
    for (Phase phase : search.startingPhases())
      checkpoints[phase];
  if (ordersAxes(request))
    checkpoints[Phase::Schedule];
  CompileOutcome outcome = compileOnce(module, attempt, checkpoints);
  while (mayChoose && outcome.status == CompileStatus::DoesNotFit) {
    std::optional<Phase> start = search.next(attempt.options, outcome);
    if (!start)
      break;
    restore(module, *checkpoints[*start]);
    attempt.first = *start;
    // The model's warnings have been given.
    ScopedDiagnosticHandler quiet(module.getContext(),
                                  [](Diagnostic &diagnostic) {
                                    return success(diagnostic.getSeverity() ==
                                                   DiagnosticSeverity::Warning);
                                  });
    CompileOutcome before = std::move(outcome);
    outcome = compileOnce(module, attempt, checkpoints);
    outcome.phases.insert(outcome.phases.begin(), before.phases.begin(),
                          before.phases.end());
    // Known of the import, which all attempts share.
    outcome.longestReduction = before.longestReduction;
    outcome.resultEpsilons = std::move(before.resultEpsilons);
  }
  if (auto kept = checkpoints.find(Phase::Schedule);
      kept != checkpoints.end() && kept->second)
    predictOtherOrder(attempt, *kept->second, outcome);
  if (mayChoose)
    search.report(attempt.options, outcome);
  return outcome;
}
