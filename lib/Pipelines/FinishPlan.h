//===- FinishPlan.h - From the plan dialect to a plan that runs -----------===//
//
// What compileModule does besides running passes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINES_FINISHPLAN_H
#define PARTOPT_LIB_PIPELINES_FINISHPLAN_H

#include "partopt/Pipelines/Compile.h"

namespace partopt {

/// On the module: the phase whose result it is.
inline constexpr llvm::StringLiteral kAfterPhaseAttr = "partopt.after_phase";

/// Refuses text that names another phase than the one request.first follows.
void checkPhaseOfText(mlir::ModuleOp module, const CompileRequest &request,
                      CompileOutcome &outcome);

/// Of text that names no phase: a failure may be that it is not of the phase
/// that it was said to be.
void explainUnmarked(const CompileRequest &request, CompileOutcome &outcome);

/// After phase plan: fills outcome.plan, proves it, and holds it against
/// --device-memory.
void makePlan(mlir::ModuleOp module, const CompileRequest &request,
              CompileOutcome &outcome);

/// The slowest class's predicted seconds of the first entry; 0 where the
/// machine of the options cannot be resolved.
double predictStep(const CompileOptions &options, const plan::PlanT &plan);

/// Phase codegen: compiles the module's kernels into outcome.plan, which
/// makePlan has filled.
void addKernels(mlir::ModuleOp module, const CompileRequest &request,
                CompileOutcome &outcome);

/// How many terms `op` folds into an element.
int64_t reductionTerms(mlir::Operation *op);

/// The most terms that one op of the imported program folds into an element.
uint64_t longestReduction(mlir::ModuleOp module);

/// Of each result of `entry`: the largest eps of the float types that it is
/// computed in, 0 where there is none. Counted as well are the types in which
/// the options move gradients (not for the loss) and parameters.
std::vector<double> resultEpsilons(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// Lists the propagated program's values in outcome.values and returns the end
/// of those that become results.
uint64_t chooseTaps(mlir::ModuleOp module, const TapRequest &request,
                    CompileOutcome &outcome);

} // namespace partopt

#endif // PARTOPT_LIB_PIPELINES_FINISHPLAN_H
