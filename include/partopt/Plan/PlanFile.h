//===- PlanFile.h - The plan file's container -----------------------------===//
//
// A plan file is a FlatBuffer in a small envelope: 8 bytes magic "PARTOPT\1",
// u64 payload size, u64 XXH64 of the payload with seed 0, payload; all little
// endian. The hash makes a truncated or altered file an error before anything
// in it is looked at.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PLANFILE_H
#define PARTOPT_PLAN_PLANFILE_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace partopt::plan {

/// Value of Plan.format_version that this build writes and reads. Since 2
/// results carry the number of what they are computed from; since 5 loops may
/// take turns, and ranks send to each other; since 6 a tensor may be a part of
/// an array; since 7 kernels may be a GPU's.
inline constexpr uint32_t formatVersion = 7;

/// Value of KernelObject.abi_version: kernels are `void(void **args)`.
inline constexpr uint32_t kernelAbiVersion = 1;

/// Results that count the tokens of each expert are called "expert_load[i]",
/// i the number of their layer.
inline constexpr char expertLoadName[] = "expert_load[";
inline bool isExpertLoad(const std::string &name) {
  return name.rfind(expertLoadName, 0) == 0;
}

/// The number of the result that is the argument's next value (Result.alias),
/// or -1.
inline int nextResultOf(const ProgramT &program, size_t argument) {
  for (size_t i = 0; i < program.results.size(); ++i)
    if (program.results[i]->alias == static_cast<int>(argument))
      return static_cast<int>(i);
  return -1;
}

/// Buffer offsets are multiples of this many bytes.
inline constexpr uint64_t bufferAlignment = 64;

/// XXH64 with seed 0: the hash of the container and of KernelObject.image.
uint64_t hashBytes(const void *data, size_t size);

/// The container's bytes. `format_version` is written as it is in `plan`.
std::vector<uint8_t> packPlan(const PlanT &plan);

/// Writes `plan` under a temporary name beside `path` and renames it, so that
/// no reader ever sees half a file. Returns an empty string, or the error.
std::string writePlanFile(const PlanT &plan, const std::string &path);

/// Unpacks a container. `name` stands for the file in messages. On error
/// returns null and sets `error`: not a plan, truncated, altered, too new.
std::unique_ptr<PlanT> unpackPlan(const uint8_t *data, size_t size,
                                  const std::string &name, std::string &error);

/// Reads a plan file; errors as unpackPlan, or that it cannot be read.
std::unique_ptr<PlanT> readPlanFile(const std::string &path,
                                    std::string &error);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_PLANFILE_H
