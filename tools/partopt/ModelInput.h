//===- ModelInput.h - From the command line to a compiled plan ------------===//
//
// What compile, run and explain do the same way: read the model or the plan,
// compile, and answer for what went wrong.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TOOLS_PARTOPT_MODELINPUT_H
#define PARTOPT_TOOLS_PARTOPT_MODELINPUT_H

#include "Driver.h"

#include "partopt/Pipelines/Compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace partopt::rt {
struct RunOptions;
} // namespace partopt::rt

namespace partopt::driver {

/// A file's bytes; "-" is standard input.
struct InputFile {
  std::string name; ///< as given; "<stdin>" for "-"
  std::unique_ptr<llvm::MemoryBuffer> buffer;

  bool isPlan() const; ///< begins with the plan file's magic
  /// "gpt_train_small/model_sharded_fsdp8": folder and stem, for the report.
  std::string modelName() const;
};

llvm::Expected<InputFile> readInput(llvm::StringRef path);

/// A model that is parsed in its own context, whose diagnostics are printed
/// as the driver's messages.
class Model {
public:
  Model();
  ~Model();

  /// Parses the text. The first error ends the process with BadInput.
  bool parse(const InputFile &file);

  mlir::ModuleOp module() { return *owner; }
  unsigned errors() const { return errorCount; }
  /// For a model whose warnings the user has seen already.
  void dropWarnings() { noWarnings = true; }
  /// Says at how many other places warnings hold, as they do for each layer:
  /// only the first of equal ones is printed when it comes.
  void tellRepeats();

private:
  mlir::LogicalResult report(mlir::Diagnostic &diagnostic);

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> owner;
  unsigned errorCount = 0;
  /// Where each text came, in the order of the first time.
  llvm::MapVector<std::string, llvm::SmallVector<std::string, 1>,
                  std::map<std::string, unsigned>>
      warned;
  bool parsing = false, noWarnings = false;
};

/// A compilation's result as the commands need it.
struct Compiled {
  int exitCode = Good; ///< anything else: the message is printed already
  std::unique_ptr<plan::PlanT> plan; ///< null after --compile-to
  std::vector<std::pair<std::string, double>> phases;
  uint64_t longestReduction = 1;      ///< of the model; 1 for a plan file
  std::vector<double> resultEpsilons; ///< as in CompileOutcome
  // With taps:
  std::vector<ProgramValue> values;
  uint64_t tapped = 0;
};

/// --print-config where nothing is to be compiled.
int printConfig(const OptionSet &options);

/// Reads `path`, which is a model or (when `mayBePlan`) a plan, and compiles
/// what is not a plan yet up to `last`, by the options. Honours --print-config,
/// --compile-to (printing the IR to `output`), --compile-from, --dump-phases
/// and --device-memory. `checkSignature`: see CompileRequest.
Compiled compileInput(
    const OptionSet &options, Phase last, bool mayBePlan,
    std::function<std::string(const plan::PlanT &)> checkSignature = nullptr);

/// Compiles text that the driver made itself, for the text's own mesh.
Compiled compileText(llvm::StringRef name, llvm::StringRef text,
                     const CompileOptions &options);

/// Compiles the same input for one device, without mesh and annotations, to be
/// compared with `plan`: statistics over microbatches have that plan's rows.
Compiled compileUnpartitioned(const OptionSet &options, const plan::PlanT &plan,
                              std::optional<TapRequest> taps = std::nullopt);

/// Compiles the input, which is a model, with values as further results.
/// Warnings are not said again.
Compiled compileTapped(const OptionSet &options, const TapRequest &taps);

/// Devices that the rows of a batch are split over.
int64_t rowsSplitOver(const plan::PlanT &plan);

/// The size of --check-memory.
llvm::Expected<uint64_t> checkMemory(const OptionSet &set);

/// Gives the arguments of `other` what made-up inputs depend on, so that both
/// plans draw the same ones.
void takeInputsOf(const plan::PlanT &plan, plan::PlanT &other);

/// Names the first value of the program that differs from the unpartitioned
/// program's, pass by pass. Returns the exit code.
int checkValues(const OptionSet &set, const rt::RunOptions &options);

/// Reads the input, which must be a plan file.
Compiled readPlanInput(const OptionSet &options);

/// The machine that options say, else the one that the plan was made for; an
/// error names the axis that the mesh does not have.
llvm::Expected<simulate::Machine> machineOf(const OptionSet &options,
                                            const plan::PlanT &plan);

/// The report's parts that only the compiler knows.
nlohmann::ordered_json compilerReport(const Compiled &compiled);

/// Honours --report-json after a compilation without a run; links of axes that
/// the mesh does not have are refused without it too.
llvm::Error writeReport(const OptionSet &options, const Compiled &compiled);

/// Fails when one of the options `outputs` names the model, another file that
/// is read, or the file of another.
llvm::Error checkOverwrites(const OptionSet &set,
                            llvm::ArrayRef<llvm::StringRef> outputs);

} // namespace partopt::driver

#endif // PARTOPT_TOOLS_PARTOPT_MODELINPUT_H
