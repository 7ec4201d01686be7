//===- CublasLt.cpp - cuBLASLt's functions --------------------------------===//
//
// See CublasLt.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/CublasLt.h"

#include "runtime/drivers/cuda/LoadedLibrary.h"

namespace partopt::rt {

StatusOr<CublasLt> CublasLt::load() {
  StatusOr<LoadedLibrary> library = LoadedLibrary::open(
      {"cuBLASLt, for the plan's matrix products,", "PARTOPT_LIBCUBLASLT",
       "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR),
       "install the CUDA Toolkit's libraries (pip install nvidia-cublas)"});
  if (!library.ok())
    return library.status();
  CublasLt lt;
#define PARTOPT_FIND(name)                                                     \
  if (!library->find(#name, lt.name))                                          \
    return Status::badInput(library->path() + " has no " #name);
  PARTOPT_CUBLASLT_FUNCTIONS(PARTOPT_FIND)
#undef PARTOPT_FIND
  if (lt.cublasLtGetVersion() / 10000 != CUBLAS_VER_MAJOR)
    return Status::badInput(library->path() + " is cuBLASLt " +
                            lt.versionText() + ", this partopt was built for " +
                            std::to_string(CUBLAS_VER_MAJOR) + ".*");
  return lt;
}

StatusOr<const CublasLt *> CublasLt::get() {
  static StatusOr<CublasLt> lt = load();
  if (!lt.ok())
    return lt.status();
  return static_cast<const CublasLt *>(&*lt);
}

Status CublasLt::status(cublasStatus_t result, const char *call) const {
  if (result == CUBLAS_STATUS_SUCCESS)
    return Status();
  return Status::rankFailed(std::string(call) + ": " +
                            cublasLtGetStatusString(result));
}

std::string CublasLt::versionText() const {
  return libraryVersionText(cublasLtGetVersion());
}

} // namespace partopt::rt
