//===- Compile.h - A model to a plan --------------------------------------===//
//
// Runs the phases one after the other over a module, times and dumps each, and
// tells apart what the user can mend from what only partopt can.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINES_COMPILE_H
#define PARTOPT_PIPELINES_COMPILE_H

#include "partopt/Pipelines/Phases.h"
#include "partopt/Plan/PlanFormat_generated.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
class PassManager;
} // namespace mlir

namespace partopt {

struct PhaseTime {
  std::string name;
  double seconds;
};

enum class CompileStatus {
  Done,
  BadInput,   ///< an error was reported at a location of the model
  DoesNotFit, ///< more memory than --device-memory; `problem` says what
  Internal    ///< `problem` says which pass failed and how
};

struct CompileRequest {
  CompileOptions options;
  std::string modelName;       ///< of the report
  std::string version;         ///< of partopt, kept in the plan
  Phase first = Phase::Import; ///< the first phase to run
  Phase last = Phase::Codegen; ///< the last one
  std::string dumpDir;         ///< --dump-phases, or empty
  /// Lets the caller configure every pass manager (MLIR's own flags).
  void (*configure)(mlir::PassManager &) = nullptr;
};

struct CompileOutcome {
  CompileStatus status = CompileStatus::Done;
  std::string problem;
  /// The plan, when `last` is Plan (without kernels) or Codegen.
  std::unique_ptr<plan::PlanT> plan;
  std::vector<PhaseTime> phases;
  /// The most terms that one op of the program folds into an element; known
  /// when the import ran.
  uint64_t longestReduction = 1;
};

/// Runs the phases on `module`, in place. Diagnostics go to the context's
/// handlers; the plan keeps the warnings.
CompileOutcome compileModule(mlir::ModuleOp module,
                             const CompileRequest &request);

} // namespace partopt

#endif // PARTOPT_PIPELINES_COMPILE_H
