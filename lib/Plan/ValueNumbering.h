//===- ValueNumbering.h - What a program computes, by value -----*- C++ -*-===//
//
// Numbers for Dataflow.h, taken from the values that an instruction reads and
// writes, not from the buffers that these share.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_VALUENUMBERING_H
#define PARTOPT_LIB_PLAN_VALUENUMBERING_H

#include "dialects/Plan/Plan.h"
#include "partopt/Plan/Dataflow.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace partopt {

struct ValueNumbering {
  /// Their symbols enter the numbers of launches.
  const plan::KernelObjectT *kernels = nullptr;
  /// Of arguments, whose values no instruction writes.
  std::vector<plan::ValueNumber> arguments;

  /// Numbers what `op`, serialised as `what`, writes; operations come in order.
  /// Errors: no `partopt.values` with one value per buffer.
  mlir::LogicalResult number(mlir::Operation *op,
                             const plan::InstructionT &what);

  /// What messages move, by channel: of a send what it reads, of a recv what it
  /// writes, once its send has been numbered.
  using Channels = std::map<uint32_t, std::vector<plan::ValueNumber>>;
  Channels *channels = nullptr;

  /// Writes the number of every result into `program`; the same errors.
  mlir::LogicalResult numberResults(planir::ReturnOp op,
                                    plan::ProgramT &program);

private:
  plan::ValueNumber numberOf(int64_t value) const;

  llvm::DenseMap<int64_t, plan::ValueNumber> numbers;
};

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_VALUENUMBERING_H
