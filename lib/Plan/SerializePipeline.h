// What plan files say of a pipeline's ranks, which have a program each.

#ifndef PARTOPT_LIB_PLAN_SERIALIZEPIPELINE_H
#define PARTOPT_LIB_PLAN_SERIALIZEPIPELINE_H

#include "ValueNumbering.h"

#include "dialects/Plan/Plan.h"

#include "partopt/Plan/PlanFile.h"

namespace partopt {

/// A program that is written, and the ops of its instructions.
struct WrittenProgram {
  planir::ProgramOp op;
  plan::ProgramT *program;
  std::vector<mlir::Operation *> ops;
  ValueNumbering values;
  size_t numbered = 0; ///< of the ops
};

/// By rank of `plan`, whose mesh is known: its place along the axis of the
/// pipeline, or 0 where `program` is no rank's.
std::vector<uint16_t> rankClasses(const plan::PlanT &plan,
                                  planir::ProgramOp program);

/// The number of the loss among the results of all programs, or -1.
int32_t lossResultOf(mlir::ModuleOp module);

/// The order of the segments' iterations, and what it spans; null without one.
std::unique_ptr<plan::InterleaveT> turnsOf(planir::ProgramOp op,
                                           const plan::ProgramT &program);

/// Numbers what every program computes; what is received is what was sent, so
/// programs are gone through together. Errors: a message that nobody sends, or
/// only after what depends on it.
mlir::LogicalResult
numberValues(llvm::MutableArrayRef<WrittenProgram> programs);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_SERIALIZEPIPELINE_H
