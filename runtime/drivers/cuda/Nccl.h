//===- Nccl.h - NCCL's functions ------------------------------------------===//
//
// Loaded at run time; types are those of the library's header.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_NCCL_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_NCCL_H

#include "partopt-rt/Status.h"

#include <nccl.h>

#define PARTOPT_NCCL_FUNCTIONS(X)                                              \
  X(ncclGetVersion)                                                            \
  X(ncclGetErrorString)                                                        \
  X(ncclGetLastError)                                                          \
  X(ncclGetUniqueId)                                                           \
  X(ncclCommInitRankConfig)                                                    \
  X(ncclCommSplit)                                                             \
  X(ncclCommDestroy)                                                           \
  X(ncclCommAbort)                                                             \
  X(ncclCommGetAsyncError)                                                     \
  X(ncclGroupStart)                                                            \
  X(ncclGroupEnd)                                                              \
  X(ncclAllReduce)                                                             \
  X(ncclAllGather)                                                             \
  X(ncclReduceScatter)                                                         \
  X(ncclBroadcast)                                                             \
  X(ncclSend)                                                                  \
  X(ncclRecv)

namespace partopt::rt {

class Nccl {
public:
  /// Loads the library once per process. Fails where there is none, or one that
  /// is older than what is needed (ncclCommSplit came with 2.18).
  static StatusOr<const Nccl *> get();

  /// Ok, or "CALL: what it means (the library's last words)", code RankFailed.
  Status status(ncclResult_t result, const char *call,
                ncclComm_t communicator = nullptr) const;

  /// "2.28.9"
  std::string versionText() const;

#define PARTOPT_DECLARE(name) decltype (&::name)(name) = nullptr;
  PARTOPT_NCCL_FUNCTIONS(PARTOPT_DECLARE)
#undef PARTOPT_DECLARE

private:
  static StatusOr<Nccl> load();

  int version = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_NCCL_H
