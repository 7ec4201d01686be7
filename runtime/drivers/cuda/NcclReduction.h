//===- NcclReduction.h - What NCCL reduces --------------------------------===//
//
// Combiners and types of plans in NCCL's words.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_NCCLREDUCTION_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_NCCLREDUCTION_H

#include "partopt/Plan/PlanFormat_generated.h"
#include "runtime/drivers/cuda/Nccl.h"

#include <optional>

namespace partopt::rt {

struct NcclReduction {
  ncclDataType_t type = ncclUint8;
  ncclRedOp_t operation = ncclSum;
  uint64_t parts = 1; ///< of the type, per element
};

/// How NCCL combines it, or nothing. Booleans are bytes of 0 and 1.
std::optional<NcclReduction> ncclReduction(plan::ElementType type,
                                           plan::Combiner combiner);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_NCCLREDUCTION_H
