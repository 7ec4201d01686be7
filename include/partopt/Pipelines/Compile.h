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

#include <functional>
#include <memory>
#include <optional>
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

/// For --check=values: which of the program's values become results, behind the
/// program's own. See programValues for their numbers.
struct TapRequest {
  uint64_t first = 0;
  uint64_t count = ~uint64_t(0);
  /// Fewer than `count` where more would need more memory than this.
  uint64_t bytes = ~uint64_t(0);
};

/// An operand as the user knows it: another value or an argument that holds no
/// integers by its number, each -1 where it is not that; and what it is if not
/// a value.
struct ValueOperand {
  int64_t value = -1, argument = -1;
  std::string text;
};

/// How differences of an op's operands show in its result.
enum class ErrorRule {
  Exact,      ///< not at all: integers
  Move,       ///< they stay as large as they are
  Sum,        ///< the same, over `terms`; the sum rounds like what it adds
  Product,    ///< each is scaled by the other operand
  DotProduct, ///< the same, summed over `terms`
  Relative,   ///< relative to the operand, relative to the result
  Exponential ///< what is absolute becomes relative
};

/// A value that an op of the model computes.
struct ProgramValue {
  std::string op;       ///< "stablehlo.add"
  std::string location; ///< in the user's source
  std::string type;
  std::string sharding; ///< as propagated
  std::vector<ValueOperand> operands;
  ErrorRule errors = ErrorRule::Move;
  uint64_t terms = 1; ///< that an element is the sum of
  uint64_t bytes;     ///< of all copies that a comparison needs
};

struct CompileRequest {
  CompileOptions options;
  std::string modelName;       ///< of the report
  std::string version;         ///< of partopt, kept in the plan
  Phase first = Phase::Import; ///< the first phase to run
  Phase last = Phase::Codegen; ///< the last one
  std::string dumpDir;         ///< --dump-phases, or empty
  std::optional<TapRequest> taps;
  /// Called once the import has run, with the signature alone (signatureOf);
  /// what it returns, unless empty, ends the compilation as bad input.
  std::function<std::string(const plan::PlanT &)> checkSignature;
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
  /// Of each result of the entry: the largest eps of the float types that it is
  /// computed in; known when the import ran.
  std::vector<double> resultEpsilons;
  /// With request.taps: all values of the program, and how many are results.
  std::vector<ProgramValue> values;
  uint64_t tapped = 0;
};

/// Runs the phases on `module`, in place. Diagnostics go to the context's
/// handlers; the plan keeps the warnings.
CompileOutcome compileModule(mlir::ModuleOp module,
                             const CompileRequest &request);

} // namespace partopt

#endif // PARTOPT_PIPELINES_COMPILE_H
