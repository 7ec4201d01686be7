//===- CublasLt.h - cuBLASLt's functions ----------------------------------===//
//
// Loaded at run time; types are those of the toolkit's header.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_CUBLASLT_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_CUBLASLT_H

#include "partopt-rt/Status.h"

#include <cublasLt.h>

#define PARTOPT_CUBLASLT_FUNCTIONS(X)                                          \
  X(cublasLtGetVersion)                                                        \
  X(cublasLtGetStatusString)                                                   \
  X(cublasLtCreate)                                                            \
  X(cublasLtDestroy)                                                           \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic)                                            \
  X(cublasLtMatmul)

namespace partopt::rt {

class CublasLt {
public:
  /// Loads the library once per process. Fails where there is none, or another
  /// major version than this was built for.
  static StatusOr<const CublasLt *> get();

  /// Ok, or "CALL: CUBLAS_STATUS_…" with code RankFailed.
  Status status(cublasStatus_t result, const char *call) const;

  /// "13.1.0"
  std::string versionText() const;

#define PARTOPT_DECLARE(name) decltype (&::name)(name) = nullptr;
  PARTOPT_CUBLASLT_FUNCTIONS(PARTOPT_DECLARE)
#undef PARTOPT_DECLARE

private:
  static StatusOr<CublasLt> load();
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_CUBLASLT_H
