//===- EmitProgram.h - The placed model as a plan.program -------*- C++ -*-===//
//
// The last step of partopt-lower-to-plan.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_EMITPROGRAM_H
#define PARTOPT_LIB_PLAN_EMITPROGRAM_H

#include "KernelVariants.h"
#include "ProgramModel.h"

#include "dialects/Plan/Plan.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace partopt {

/// What the programs of a module number together.
struct ModuleNumbers {
  explicit ModuleNumbers(mlir::ModuleOp module);

  /// Streams: one for each group of axes, so that a long collective of one does
  /// not hold up another's; one for the messages of one segment to another,
  /// shared by such pairs without a common rank.
  llvm::MapVector<mlir::Attribute, int64_t> ofAxes;
  std::map<int64_t, int64_t> ofChannel;
  int64_t streams = 0;
  /// Channels of messages have the ids below.
  int64_t channels = 0;
  KernelVariants kernels;
};

/// Builds the program before the model's function. Errors: a dot_general that
/// is not in BLAS form.
mlir::FailureOr<planir::ProgramOp> emitProgram(const ProgramModel &model,
                                               const Placement &placement,
                                               ModuleNumbers &numbers);

/// The signature's `#plan.tensor` lists and the mesh, from the attributes of
/// the function and the module.
mlir::ArrayAttr meshAttr(mlir::ModuleOp module);
mlir::ArrayAttr argumentTensors(mlir::func::FuncOp function);
mlir::ArrayAttr resultTensors(mlir::func::FuncOp function);

/// Index of the result marked `partopt.loss`, or none.
std::optional<int64_t> lossResult(mlir::func::FuncOp function);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_EMITPROGRAM_H
