//===- CublasLtApi.cpp - cuBLASLt's functions -----------------------------===//
//
// TEST ONLY. Products by the host's BLAS, or a plain loop for 16-bit floats.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "runtime/collectives/NarrowFloat.h"
#include "runtime/drivers/host/Blas.h"

#include <cublasLt.h>

using namespace partopt;
using namespace partopt::shim;

namespace {

struct Description {
  cublasOperation_t left = CUBLAS_OP_N, right = CUBLAS_OP_N;
};
struct Layout {
  cudaDataType_t type = CUDA_R_32F;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0, stride = 0;
  int32_t batch = 1;
};

uint64_t sizeOf(cudaDataType_t type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

/// From the first element to the last.
Access accessOf(const Layout &layout, const void *address, bool isWrite) {
  int64_t elements = static_cast<int64_t>(layout.rows) +
                     static_cast<int64_t>(layout.columns - 1) * layout.leading +
                     (layout.batch - 1) * layout.stride;
  return {reinterpret_cast<uint64_t>(address),
          static_cast<uint64_t>(elements) * sizeOf(layout.type), isWrite};
}

const Layout &layoutOf(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<const Layout *>(layout);
}

/// As the plan has it: operands change places, rows are contiguous.
plan::GemmT shapeOf(const Description &description, const Layout &left,
                    const Layout &right, const Layout &result,
                    bool accumulates) {
  plan::GemmT shape;
  shape.type = left.type == CUDA_R_64F   ? plan::ElementType::F64
               : left.type == CUDA_R_32F ? plan::ElementType::F32
               : left.type == CUDA_R_16F ? plan::ElementType::F16
                                         : plan::ElementType::BF16;
  shape.batch = static_cast<uint64_t>(result.batch);
  shape.m = result.columns;
  shape.n = result.rows;
  shape.k = description.left == CUBLAS_OP_N ? left.columns : left.rows;
  shape.trans_a = description.right == CUBLAS_OP_T;
  shape.trans_b = description.left == CUBLAS_OP_T;
  shape.lda = static_cast<uint64_t>(right.leading);
  shape.ldb = static_cast<uint64_t>(left.leading);
  shape.ldc = static_cast<uint64_t>(result.leading);
  shape.stride_a = static_cast<uint64_t>(right.stride);
  shape.stride_b = static_cast<uint64_t>(left.stride);
  shape.stride_c = static_cast<uint64_t>(result.stride);
  shape.accumulate = accumulates;
  return shape;
}

/// f32 sums of 16-bit floats.
template <typename Codec> void multiplyHalf(const rt::GemmCall &call) {
  const plan::GemmT &s = *call.shape;
  const auto *a = static_cast<const uint16_t *>(call.a);
  const auto *b = static_cast<const uint16_t *>(call.b);
  auto *c = static_cast<uint16_t *>(call.c);
  for (uint64_t batch = 0; batch < s.batch; ++batch)
    for (uint64_t i = 0; i < s.m; ++i)
      for (uint64_t j = 0; j < s.n; ++j) {
        uint16_t &out = c[batch * s.stride_c + i * s.ldc + j];
        float sum = s.accumulate ? Codec::decode(out) : 0;
        for (uint64_t k = 0; k < s.k; ++k)
          sum += Codec::decode(a[batch * s.stride_a +
                                 (s.trans_a ? k * s.lda + i : i * s.lda + k)]) *
                 Codec::decode(b[batch * s.stride_b +
                                 (s.trans_b ? j * s.ldb + k : k * s.ldb + j)]);
        out = Codec::encode(sum);
      }
}

void multiply(const plan::GemmT &shape, const void *a, const void *b, void *c) {
  rt::GemmCall call{&shape, a, b, c};
  if (shape.type == plan::ElementType::BF16)
    return multiplyHalf<rt::BF16>(call);
  if (shape.type == plan::ElementType::F16)
    return multiplyHalf<rt::F16>(call);
  rt::StatusOr<const rt::Blas *> blas = rt::Blas::get();
  if (blas.ok())
    (*blas)->multiply(call);
}

} // namespace

#define CALL(name)                                                             \
  if (int code = Shim::get().called(#name))                                    \
  return static_cast<cublasStatus_t>(code)

extern "C" {

size_t CUBLASWINAPI cublasLtGetVersion(void) { return CUBLAS_VERSION; }
const char *CUBLASWINAPI cublasLtGetStatusString(cublasStatus_t) {
  return "a failure of the test's shim";
}
cublasStatus_t CUBLASWINAPI cublasLtCreate(cublasLtHandle_t *handle) {
  CALL(cublasLtCreate);
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI cublasLtDestroy(cublasLtHandle_t handle) {
  CALL(cublasLtDestroy);
  delete reinterpret_cast<int *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made,
                                                     cublasComputeType_t,
                                                     cudaDataType_t) {
  CALL(cublasLtMatmulDescCreate);
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Description());
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  CALL(cublasLtMatmulDescDestroy);
  delete reinterpret_cast<Description *>(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t what,
    const void *value, size_t) {
  CALL(cublasLtMatmulDescSetAttribute);
  auto &of = *reinterpret_cast<Description *>(description);
  (what == CUBLASLT_MATMUL_DESC_TRANSA ? of.left : of.right) =
      *static_cast<const cublasOperation_t *>(value);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made, cudaDataType_t type,
                           uint64_t rows, uint64_t columns, int64_t leading) {
  CALL(cublasLtMatrixLayoutCreate);
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, rows, columns, leading, 0, 1});
  return leading < static_cast<int64_t>(rows) ? CUBLAS_STATUS_INVALID_VALUE
                                              : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  CALL(cublasLtMatrixLayoutDestroy);
  delete reinterpret_cast<Layout *>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t what,
    const void *value, size_t) {
  CALL(cublasLtMatrixLayoutSetAttribute);
  auto &of = *reinterpret_cast<Layout *>(layout);
  if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    of.batch = *static_cast<const int32_t *>(value);
  else
    of.stride = *static_cast<const int64_t *>(value);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made) {
  CALL(cublasLtMatmulPreferenceCreate);
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  CALL(cublasLtMatmulPreferenceDestroy);
  delete reinterpret_cast<int *>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
    const void *, size_t) {
  CALL(cublasLtMatmulPreferenceSetAttribute);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t *found,
    int *count) {
  CALL(cublasLtMatmulAlgoGetHeuristic);
  found->state = CUBLAS_STATUS_SUCCESS;
  found->workspaceSize = 4096;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t CUBLASWINAPI
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void *,
               const void *a, cublasLtMatrixLayout_t left, const void *b,
               cublasLtMatrixLayout_t right, const void *beta, const void *,
               cublasLtMatrixLayout_t, void *c, cublasLtMatrixLayout_t result,
               const cublasLtMatmulAlgo_t *, void *workspace,
               size_t workspaceBytes, cudaStream_t stream) {
  CALL(cublasLtMatmul);
  bool isWide = layoutOf(left).type == CUDA_R_64F;
  bool accumulates = isWide ? *static_cast<const double *>(beta) != 0
                            : *static_cast<const float *>(beta) != 0;
  plan::GemmT shape =
      shapeOf(*reinterpret_cast<Description *>(description), layoutOf(left),
              layoutOf(right), layoutOf(result), accumulates);
  Work work;
  work.name = "matmul";
  work.accesses = {
      accessOf(layoutOf(left), a, false),
      accessOf(layoutOf(right), b, false),
      accessOf(layoutOf(result), c, true),
      {reinterpret_cast<uint64_t>(workspace), workspaceBytes, true}};
  // The right one is the plan's first.
  work.run = [shape, a, b, c] { multiply(shape, b, a, c); };
  CUresult enqueued = Shim::get().enqueue({reinterpret_cast<Stream *>(stream)},
                                          std::move(work));
  return enqueued == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_EXECUTION_FAILED;
}
}
