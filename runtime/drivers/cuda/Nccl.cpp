//===- Nccl.cpp - NCCL's functions ----------------------------------------===//
//
// See Nccl.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Nccl.h"

#include "runtime/drivers/cuda/LoadedLibrary.h"

namespace partopt::rt {

/// Its ncclCommSplit and ncclConfig_t are used.
static constexpr size_t oldest = NCCL_VERSION(2, 18, 1);

StatusOr<Nccl> Nccl::load() {
  StatusOr<LoadedLibrary> library = LoadedLibrary::open(
      {"NCCL, through which GPUs communicate,", "PARTOPT_LIBNCCL",
       "libnccl.so.2",
       "install it (pip install nvidia-nccl-cu13), or set CUDA_VISIBLE_DEVICES "
       "to one GPU that all ranks share"});
  if (!library.ok())
    return library.status();
  Nccl nccl;
#define PARTOPT_FIND(name)                                                     \
  if (!library->find(#name, nccl.name))                                        \
    return Status::badInput(library->path() +                                  \
                            " has no " #name ": this partopt needs NCCL " +    \
                            libraryVersionText(oldest) + " or newer");
  PARTOPT_NCCL_FUNCTIONS(PARTOPT_FIND)
#undef PARTOPT_FIND
  if (Status status =
          nccl.status(nccl.ncclGetVersion(&nccl.version), "ncclGetVersion");
      !status.ok())
    return status;
  if (size_t(nccl.version) < oldest)
    return Status::badInput(library->path() + " is NCCL " + nccl.versionText() +
                            ", this partopt needs " +
                            libraryVersionText(oldest) + " or newer");
  return nccl;
}

StatusOr<const Nccl *> Nccl::get() {
  static StatusOr<Nccl> nccl = load();
  if (!nccl.ok())
    return nccl.status();
  return static_cast<const Nccl *>(&*nccl);
}

Status Nccl::status(ncclResult_t result, const char *call,
                    ncclComm_t communicator) const {
  if (result == ncclSuccess)
    return Status();
  std::string text = std::string(call) + ": " + ncclGetErrorString(result);
  const char *last = ncclGetLastError(communicator);
  return Status::rankFailed(last && *last ? text + " (" + last + ")" : text);
}

std::string Nccl::versionText() const { return libraryVersionText(version); }

} // namespace partopt::rt
