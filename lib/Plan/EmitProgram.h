//===- EmitProgram.h - The placed model as a plan.program -------*- C++ -*-===//
//
// The last step of partopt-lower-to-plan.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_EMITPROGRAM_H
#define PARTOPT_LIB_PLAN_EMITPROGRAM_H

#include "ProgramModel.h"

#include "dialects/Plan/Plan.h"

namespace partopt {

/// Builds the program before the model's function. Errors: a dot_general that
/// is not in BLAS form.
mlir::FailureOr<planir::ProgramOp> emitProgram(const ProgramModel &model,
                                               const Placement &placement);

/// The signature's `#plan.tensor` lists and the mesh, from the attributes of
/// the function and the module.
mlir::ArrayAttr meshAttr(mlir::ModuleOp module);
mlir::ArrayAttr argumentTensors(mlir::func::FuncOp function);
mlir::ArrayAttr resultTensors(mlir::func::FuncOp function);

/// Index of the result marked `partopt.loss`, or none.
std::optional<int64_t> lossResult(mlir::func::FuncOp function);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_EMITPROGRAM_H
