//===- Phases.h - The phases of a compilation -----------------------------===//
//
// Phases are public: one table drives --compile-to, --compile-from,
// --dump-phases, the help screens and the documentation. A user can stop after
// a phase, edit the text, and resume.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PIPELINES_PHASES_H
#define PARTOPT_PIPELINES_PHASES_H

#include "partopt/Support/CompileOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace partopt {

enum class Phase {
  Import,
  Strategy,
  Propagate,
  Partition,
  Optimise,
  Kernels,
  Schedule,
  Plan,
  Codegen
};

struct PhaseSpec {
  Phase phase;
  llvm::StringLiteral name;
  llvm::StringLiteral description; ///< one line: what holds afterwards
  llvm::StringLiteral verifyPass;  ///< proves it; "" where the plan's own
                                   ///< verifier does
  llvm::StringLiteral dumpSuffix;  ///< of --dump-phases' files
  /// Adds the phase's passes, without the verify pass. Null for codegen, which
  /// changes no IR.
  void (*addPasses)(mlir::OpPassManager &, const CompileOptions &);
  /// Adds `verifyPass`; null where that is "".
  void (*addVerify)(mlir::OpPassManager &) = nullptr;
};

/// In order of execution.
llvm::ArrayRef<PhaseSpec> phaseTable();

/// The phase of that name, or null.
const PhaseSpec *findPhase(llvm::StringRef name);

/// The passes of the phases from `first` to `last`, both included, each phase
/// followed by its verify pass.
void buildPipeline(mlir::OpPassManager &manager, Phase first, Phase last,
                   const CompileOptions &options);

} // namespace partopt

#endif // PARTOPT_PIPELINES_PHASES_H
