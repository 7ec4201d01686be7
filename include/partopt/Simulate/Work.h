//===- Work.h - What an instruction does, as cost models count it ---------===//
//
// The plan's record of a kernel, summed up for cost models.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_WORK_H
#define PARTOPT_SIMULATE_WORK_H

#include "partopt/Plan/PlanFormat_generated.h"

namespace partopt::simulate {

/// Of a matrix product through the BLAS.
struct ProductShape {
  double m = 0, n = 0, k = 0;
  bool transA = false, transB = false;
};

struct Work {
  double flops = 0;        ///< of all kinds
  double bytes = 0;        ///< of memory, read and written
  double functions = 0;    ///< elements of exp, log, tanh and the like
  double contractions = 0; ///< of the flops: convolutions, products in kernels
  double shuffled = 0;     ///< of the bytes: moved out of their order
  const plan::GemmT *product = nullptr; ///< all flops are its own

  bool empty() const { return flops == 0 && bytes == 0; }
};

/// Of a kernel, a product, a copy; nothing for collectives, waits and for the
/// bounds of loops (see loopWork).
Work workOf(const plan::ProgramT &program,
            const plan::InstructionT &instruction);

/// What the bound of a loop copies: at a LoopBegin before the first iteration,
/// at a LoopEnd after each.
Work loopWork(const plan::ProgramT &program,
              const plan::InstructionT &instruction);

/// What is copied into the arguments after a step.
Work feedBackWork(const plan::ProgramT &program);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_WORK_H
