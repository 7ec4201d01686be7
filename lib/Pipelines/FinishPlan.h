//===- FinishPlan.h - From the plan dialect to a plan that runs -----------===//
//
// What compileModule does besides running passes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINES_FINISHPLAN_H
#define PARTOPT_LIB_PIPELINES_FINISHPLAN_H

#include "partopt/Pipelines/Compile.h"

namespace partopt {

/// After phase plan: fills outcome.plan, proves it, and holds it against
/// --device-memory.
void makePlan(mlir::ModuleOp module, const CompileRequest &request,
              CompileOutcome &outcome);

/// Phase codegen: compiles the module's kernels into outcome.plan, which
/// makePlan has filled.
void addKernels(mlir::ModuleOp module, const CompileRequest &request,
                CompileOutcome &outcome);

/// The most terms that one op of the imported program folds into an element.
uint64_t longestReduction(mlir::ModuleOp module);

} // namespace partopt

#endif // PARTOPT_LIB_PIPELINES_FINISHPLAN_H
