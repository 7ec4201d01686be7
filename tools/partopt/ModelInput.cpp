//===- ModelInput.cpp - From the command line to a compiled plan ----------===//
//
// Reading, parsing, compiling, and one message with an exit code for each way
// in which that can fail.
//
//===----------------------------------------------------------------------===//

#include "ModelInput.h"

#include "PlanInput.h"

#include "partopt/Import/Import.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/VerifyPlan.h"
#include "partopt/Registration.h"
#include "partopt/Support/UserLocation.h"
#include "runtime/run/Report.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace partopt;
using namespace partopt::driver;

bool InputFile::isPlan() const {
  return buffer->getBuffer().starts_with(StringRef("PARTOPT\1", 8));
}

std::string InputFile::modelName() const {
  if (name == "<stdin>")
    return "stdin";
  StringRef folder =
      llvm::sys::path::filename(llvm::sys::path::parent_path(StringRef(name)));
  std::string stem = llvm::sys::path::stem(name).str();
  return folder.empty() || folder == "." ? stem : folder.str() + "/" + stem;
}

llvm::Expected<InputFile> partopt::driver::readInput(StringRef path) {
  if (path == "-") {
    // --check compiles the same model a second time.
    static auto standardInput = llvm::MemoryBuffer::getSTDIN();
    if (!standardInput)
      return userError("cannot read standard input: " +
                       standardInput.getError().message());
    return InputFile{"<stdin>", llvm::MemoryBuffer::getMemBuffer(
                                    (*standardInput)->getMemBufferRef())};
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return userError("cannot read '" + path +
                     "': " + buffer.getError().message());
  return InputFile{path.str(), std::move(*buffer)};
}

Model::Model() {
  DialectRegistry registry;
  registerAllDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false); // messages are one line
  context->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { return report(diagnostic); });
}

Model::~Model() {
  owner = nullptr; // before its context
}

/// The user's source position, or "" where there is none.
static std::string whereText(Location loc) {
  return isa<UnknownLoc>(loc) ? std::string() : describeLocation(loc);
}

LogicalResult Model::report(Diagnostic &diagnostic) {
  std::string where = whereText(diagnostic.getLocation());
  std::string text =
      where.empty() ? diagnostic.str() : where + ": " + diagnostic.str();
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    ++errorCount;
    messages().error(text);
    break;
  case DiagnosticSeverity::Warning:
    if (noWarnings || ++warned[diagnostic.str()] > 1)
      return success();
    messages().warning(text);
    break;
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    messages().note(text);
    break;
  }
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string at = whereText(note.getLocation());
    messages().note(at.empty() || at == where ? note.str()
                                              : at + ": " + note.str());
  }
  // MLIR 19's parser can corrupt the heap when it cleans up after an error (an
  // op of the module that uses a name which only a later function defines).
  // The user has been told everything, so the driver leaves before that.
  if (parsing && diagnostic.getSeverity() == DiagnosticSeverity::Error) {
    llvm::outs().flush();
    std::_Exit(BadInput);
  }
  return success();
}

void Model::tellRepeats() {
  for (const auto &[text, times] : warned)
    if (times > 1)
      messages().warning(llvm::Twine(times - 1) +
                         (times == 2 ? " more time: " : " more times: ") +
                         text);
}

bool Model::parse(const InputFile &file) {
  setReproducerModel(file.buffer->getBuffer());
  parsing = true;
  owner = parseModelText(file.buffer->getBuffer(), file.name, context.get());
  parsing = false;
  if (owner)
    return true;
  messages().error(file.name + ": does not parse");
  return false;
}

/// Writes IR text to a file or ("" or "-") standard output.
static llvm::Error writeModule(ModuleOp module, StringRef path) {
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  if (path.empty() || path == "-") {
    module->print(llvm::outs(), flags);
    llvm::outs().flush();
    return llvm::Error::success();
  }
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &out) {
    module->print(out, flags);
    return llvm::Error::success();
  });
  if (error)
    return userError("cannot write " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

/// What a compilation's outcome means for the user.
static int exitCodeOf(const CompileOutcome &outcome, unsigned errors) {
  switch (outcome.status) {
  case CompileStatus::Done:
    return Good;
  case CompileStatus::Internal:
    return internalError(outcome.problem);
  case CompileStatus::DoesNotFit:
    messages().error(outcome.problem);
    return DoesNotFit;
  case CompileStatus::BadInput:
    if (!outcome.problem.empty())
      messages().error(outcome.problem);
    else if (errors == 0)
      return internalError("a pass failed and gave no reason");
    return BadInput;
  }
  return InternalError;
}

/// The phase that an option names; a message lists those up to `last`.
static llvm::Expected<std::optional<Phase>>
phaseOption(const OptionSet &set, StringRef name, Phase last) {
  if (!set.has(name))
    return std::nullopt;
  std::string text = set.get(name);
  if (const PhaseSpec *spec = findPhase(text))
    return spec->phase;
  SmallVector<StringRef> names;
  std::string list;
  for (const PhaseSpec &spec : phaseTable()) {
    if (spec.phase > last)
      continue;
    names.push_back(spec.name);
    list += (list.empty() ? "" : ", ") + spec.name.str();
  }
  std::string nearest = nearestWord(text, names);
  return userError(
      "option '--" + name + "': no phase '" + llvm::Twine(text) + "'" +
      (nearest.empty() ? "; the phases are "
                       : "; did you mean '" + nearest + "'? The phases are ") +
      list);
}

/// Fills the phases to run from --compile-from and --compile-to.
static llvm::Error setPhases(const OptionSet &set, Phase last,
                             CompileRequest &request, bool &stopsEarly) {
  auto from = phaseOption(set, "compile-from", Phase::Schedule);
  if (!from)
    return from.takeError();
  auto to = phaseOption(set, "compile-to", Phase::Codegen);
  if (!to)
    return to.takeError();
  request.last = last;
  stopsEarly = to->has_value() && **to != Phase::Codegen;
  if (stopsEarly)
    request.last = **to;
  if (from->has_value()) {
    if (**from >= Phase::Plan)
      return userError("option '--compile-from' takes a phase before plan");
    request.first = Phase(int(**from) + 1);
  }
  if (request.first > request.last)
    return userError("options '--compile-from' and '--compile-to' leave "
                     "nothing to do");
  return llvm::Error::success();
}

static void configureManager(PassManager &manager) {
  (void)applyPassManagerCLOptions(manager);
  applyDefaultTimingPassManagerCLOptions(manager);
}

/// Parses and compiles a model by a request that is complete but for the name.
static Compiled compileModel(const InputFile &file, CompileRequest &request,
                             Model &model) {
  Compiled result;
  auto start = std::chrono::steady_clock::now();
  if (!model.parse(file)) {
    result.exitCode = BadInput;
    return result;
  }
  std::chrono::duration<double> parsing =
      std::chrono::steady_clock::now() - start;
  result.phases.emplace_back("parse", parsing.count());
  request.modelName = file.modelName();
  request.version = version;
  request.configure = configureManager;
  CompileOutcome outcome = compileModule(model.module(), request);
  model.tellRepeats();
  result.exitCode = exitCodeOf(outcome, model.errors());
  result.plan = std::move(outcome.plan);
  result.longestReduction = outcome.longestReduction;
  result.resultEpsilons = std::move(outcome.resultEpsilons);
  result.values = std::move(outcome.values);
  result.tapped = outcome.tapped;
  for (const PhaseTime &phase : outcome.phases) {
    result.phases.emplace_back(phase.name, phase.seconds);
    messages().progress(phase.name + ": " +
                        llvm::Twine(int(phase.seconds * 1e3)) + " ms");
  }
  return result;
}

Compiled partopt::driver::compileText(StringRef name, StringRef text,
                                      const CompileOptions &options) {
  InputFile file{name.str(), llvm::MemoryBuffer::getMemBuffer(text, name)};
  CompileRequest request;
  request.options = options;
  Model model;
  return compileModel(file, request, model);
}

/// A plan file: checked here as it will be again by the executor.
static Compiled readPlan(const InputFile &file) {
  Compiled result;
  std::string error;
  StringRef bytes = file.buffer->getBuffer();
  result.plan =
      plan::unpackPlan(reinterpret_cast<const uint8_t *>(bytes.data()),
                       bytes.size(), file.name, error);
  if (result.plan)
    for (const std::string &problem : plan::verifyPlan(*result.plan)) {
      error = file.name + ": the plan is not valid: " + problem;
      break;
    }
  if (!error.empty()) {
    messages().error(error);
    result.exitCode = BadInput;
    result.plan = nullptr;
  }
  return result;
}

static Compiled failed(llvm::Error error) {
  Compiled result;
  result.exitCode = fail(std::move(error));
  return result;
}

Compiled partopt::driver::readPlanInput(const OptionSet &set) {
  auto file = readInput(set.positionals[0]);
  if (!file)
    return failed(file.takeError());
  if (!file->isPlan())
    return failed(userError(file->name + " is not a plan; make one with "
                                         "partopt compile MODEL -o PLAN"));
  return readPlan(*file);
}

int partopt::driver::printConfig(const OptionSet &set) {
  auto options = makeCompileOptions(set);
  if (!options)
    return fail(options.takeError());
  llvm::outs() << describeConfig(*options, set);
  return Good;
}

Compiled partopt::driver::compileInput(const OptionSet &set, Phase last,
                                       bool mayBePlan) {
  auto file = readInput(set.positionals[0]);
  if (!file)
    return failed(file.takeError());
  CompileRequest request;
  auto options = makeCompileOptions(set);
  if (!options)
    return failed(options.takeError());
  request.options = *options;
  if (set.has("print-config"))
    llvm::outs() << describeConfig(*options, set);
  if (file->isPlan()) {
    if (!mayBePlan)
      return failed(userError(file->name + " is a plan already; give a model"));
    if (llvm::Error error = refuseOnPlan(set))
      return failed(std::move(error));
    return readPlan(*file);
  }
  bool stopsEarly = false;
  if (llvm::Error error = setPhases(set, last, request, stopsEarly))
    return failed(std::move(error));
  request.dumpDir = set.get("dump-phases");
  Model model;
  Compiled result = compileModel(*file, request, model);
  if (result.exitCode == Good && result.plan)
    warnOfUnusedMesh(*result.plan);
  if (result.exitCode == Good && stopsEarly) {
    result.plan = nullptr;
    if (llvm::Error error = writeModule(model.module(), set.get("o")))
      return failed(std::move(error));
  }
  return result;
}

Compiled partopt::driver::compileTapped(const OptionSet &set,
                                        const TapRequest &taps) {
  auto file = readInput(set.positionals[0]);
  auto options = makeCompileOptions(set);
  if (!file || !options)
    return failed(file ? options.takeError() : file.takeError());
  CompileRequest request;
  request.options = *options;
  request.options.deviceMemory = 0;
  request.options.keepKernels.clear();
  request.taps = taps;
  bool stopsEarly = false;
  if (llvm::Error error = setPhases(set, Phase::Codegen, request, stopsEarly))
    return failed(std::move(error));
  Model model;
  model.dropWarnings();
  return compileModel(*file, request, model);
}

Compiled partopt::driver::compileUnpartitioned(const OptionSet &set,
                                               const plan::PlanT &plan,
                                               std::optional<TapRequest> taps) {
  auto file = readInput(set.positionals[0]);
  auto options = makeCompileOptions(set);
  if (!file || !options)
    return failed(file ? options.takeError() : file.takeError());
  CompileRequest request;
  request.options = *options;
  // Local statistics have as many groups of rows as the devices to compare
  // with.
  for (const MeshAxisSize &axis : options->mesh)
    if (axis.name == options->axes.at("data"))
      request.options.statisticGroups = axis.size;
  request.options.mesh.clear();
  request.options.strategy = {};
  if (options->batchStatistics == "micro")
    request.options.statisticGroups = rowsSplitOver(plan);
  else
    request.options.microbatches = 1;
  request.options.recompute = "none";
  request.options.unpartitioned = true;
  request.options.gpuArchs.clear();
  request.options.deviceMemory = 0;
  request.options.keepKernels.clear();
  request.taps = taps;
  Model model;
  model.dropWarnings(); // said of the same model when it was partitioned
  return compileModel(*file, request, model);
}
