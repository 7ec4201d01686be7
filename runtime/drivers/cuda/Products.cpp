//===- Products.cpp - A plan's matrix products on a GPU -------------------===//
//
// cuBLAS knows columns that are contiguous. A row-major matrix is the transpose
// of such a one, so the row-major C = A B is computed as C' = B' A': the
// operands change places, and nothing is moved.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/Products.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"

namespace partopt::rt {

/// More than cuBLASLt's heuristics ask for on any architecture so far.
static constexpr uint64_t largestWorkspace = 32 << 20;

namespace {

struct Types {
  cudaDataType_t data, scale;
  cublasComputeType_t compute;
};

} // namespace

static bool typesOf(plan::ElementType type, bool tf32, Types &types) {
  switch (type) {
  case plan::ElementType::F64:
    types = {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    return true;
  case plan::ElementType::F32:
    types = {CUDA_R_32F, CUDA_R_32F,
             tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
    return true;
  case plan::ElementType::BF16:
    types = {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    return true;
  case plan::ElementType::F16:
    types = {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
    return true;
  default:
    return false;
  }
}

static std::string productText(const plan::GemmT &shape) {
  return std::to_string(shape.batch) + " x [" + std::to_string(shape.m) + "," +
         std::to_string(shape.k) + "] [" + std::to_string(shape.k) + "," +
         std::to_string(shape.n) + "] of " + plan::elementName(shape.type);
}

Products::~Products() {
  for (auto &[shape, product] : products) {
    for (cublasLtMatrixLayout_t layout :
         {product.left, product.right, product.result})
      if (layout)
        lt->cublasLtMatrixLayoutDestroy(layout);
    if (product.description)
      lt->cublasLtMatmulDescDestroy(product.description);
  }
  if (handle && gpu.makeCurrent().ok())
    lt->cublasLtDestroy(handle);
}

Status Products::open() {
  if (handle)
    return Status();
  StatusOr<const CublasLt *> library = CublasLt::get();
  if (!library.ok())
    return library.status();
  lt = *library;
  Status status = gpu.makeCurrent();
  if (status.ok())
    status = lt->status(lt->cublasLtCreate(&handle), "cublasLtCreate");
  if (!status.ok())
    return Status::badInput(
        "cuBLASLt " + lt->versionText() + " does not start on " + gpu.text() +
        ", whose driver is for CUDA " + cudaVersionText(gpu.api.version()) +
        ": " + status.message());
  return Status();
}

Status Products::add(const plan::GemmT &shape) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0 || shape.batch == 0 ||
      products.count(&shape))
    return Status(); // nothing to multiply
  Status status = open();
  if (!status.ok())
    return status;
  Product &product = products[&shape];
  status = describe(shape, product);
  if (status.ok())
    status = chooseAlgorithm(shape, product);
  if (!status.ok())
    return Status::badInput("the product " + productText(shape) + ": " +
                            status.message());
  mostWorkspace = std::max(mostWorkspace, product.workspaceBytes);
  return Status();
}

Status Products::makeLayout(const plan::GemmT &shape, const Layout &layout,
                            cublasLtMatrixLayout_t &made) const {
  Types types{};
  typesOf(shape.type, tf32, types);
  Status status = lt->status(lt->cublasLtMatrixLayoutCreate(
                                 &made, types.data, layout.rows, layout.columns,
                                 static_cast<int64_t>(layout.leading)),
                             "cublasLtMatrixLayoutCreate");
  if (!status.ok() || shape.batch == 1)
    return status;
  auto batch = static_cast<int32_t>(shape.batch);
  auto stride = static_cast<int64_t>(layout.stride);
  status = lt->status(
      lt->cublasLtMatrixLayoutSetAttribute(
          made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)),
      "cublasLtMatrixLayoutSetAttribute");
  if (!status.ok())
    return status;
  return lt->status(lt->cublasLtMatrixLayoutSetAttribute(
                        made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                        &stride, sizeof(stride)),
                    "cublasLtMatrixLayoutSetAttribute");
}

Status Products::describe(const plan::GemmT &shape, Product &product) const {
  Types types{};
  if (!typesOf(shape.type, tf32, types))
    return Status::badInput("the CUDA driver multiplies f64, f32, bf16 and f16 "
                            "only");
  Status status =
      lt->status(lt->cublasLtMatmulDescCreate(&product.description,
                                              types.compute, types.scale),
                 "cublasLtMatmulDescCreate");
  auto transpose = [&](cublasLtMatmulDescAttributes_t operand,
                       bool transposed) {
    cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (status.ok())
      status = lt->status(
          lt->cublasLtMatmulDescSetAttribute(product.description, operand,
                                             &operation, sizeof(operation)),
          "cublasLtMatmulDescSetAttribute");
  };
  transpose(CUBLASLT_MATMUL_DESC_TRANSA, shape.trans_b);
  transpose(CUBLASLT_MATMUL_DESC_TRANSB, shape.trans_a);
  // A leading dimension that nothing uses may be too small in the plan.
  auto layout = [&](uint64_t rows, uint64_t columns, uint64_t leading,
                    uint64_t stride, cublasLtMatrixLayout_t &made) {
    if (status.ok())
      status = makeLayout(
          shape, {rows, columns, std::max(leading, rows), stride}, made);
  };
  layout(shape.trans_b ? shape.k : shape.n, shape.trans_b ? shape.n : shape.k,
         shape.ldb, shape.stride_b, product.left);
  layout(shape.trans_a ? shape.m : shape.k, shape.trans_a ? shape.k : shape.m,
         shape.lda, shape.stride_a, product.right);
  layout(shape.n, shape.m, shape.ldc, shape.stride_c, product.result);
  return status;
}

/// Without saying so, cuBLASLt counts on 256 bytes of alignment.
Status Products::chooseAlgorithm(const plan::GemmT &shape,
                                 Product &product) const {
  cublasLtMatmulPreference_t preference = nullptr;
  Status status = lt->status(lt->cublasLtMatmulPreferenceCreate(&preference),
                             "cublasLtMatmulPreferenceCreate");
  auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
    if (status.ok())
      status = lt->status(lt->cublasLtMatmulPreferenceSetAttribute(
                              preference, what, &value, sizeof(value)),
                          "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, largestWorkspace);
  for (auto what : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    prefer(what, static_cast<uint32_t>(plan::bufferAlignment));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  if (status.ok())
    status = lt->status(lt->cublasLtMatmulAlgoGetHeuristic(
                            handle, product.description, product.left,
                            product.right, product.result, product.result,
                            preference, 1, &found, &count),
                        "cublasLtMatmulAlgoGetHeuristic");
  if (preference)
    lt->cublasLtMatmulPreferenceDestroy(preference);
  if (status.ok() && (count == 0 || found.state != CUBLAS_STATUS_SUCCESS))
    status = Status::badInput("cuBLASLt " + lt->versionText() +
                              " has no algorithm for it on " + gpu.text());
  product.algorithm = found.algo;
  product.workspaceBytes = found.workspaceSize;
  return status;
}

/// An empty sum.
Status Products::clear(const GemmCall &call, CUstream stream) const {
  const plan::GemmT &shape = *call.shape;
  uint64_t size = plan::elementSize(shape.type);
  Status status;
  for (uint64_t b = 0; b < shape.batch && status.ok(); ++b)
    status = gpu.api.status(
        gpu.api.cuMemsetD2D8Async(
            devicePointer(call.c) + b * shape.stride_c * size, shape.ldc * size,
            0, shape.n * size, shape.m, stream),
        "cuMemsetD2D8Async");
  return status;
}

Status Products::multiply(const GemmCall &call, void *workspace,
                          CUstream stream) const {
  const plan::GemmT &shape = *call.shape;
  if (shape.m == 0 || shape.n == 0 || shape.batch == 0)
    return Status();
  if (shape.k == 0)
    return shape.accumulate ? Status() : clear(call, stream);
  const Product &product = products.at(&shape);
  double one64 = 1, beta64 = shape.accumulate;
  float one32 = 1, beta32 = shape.accumulate;
  bool isWide = shape.type == plan::ElementType::F64;
  const void *one = isWide ? static_cast<const void *>(&one64) : &one32;
  const void *beta = isWide ? static_cast<const void *>(&beta64) : &beta32;
  return lt->status(
      lt->cublasLtMatmul(handle, product.description, one, call.b, product.left,
                         call.a, product.right, beta, call.c, product.result,
                         call.c, product.result, &product.algorithm, workspace,
                         product.workspaceBytes, stream),
      "cublasLtMatmul");
}

} // namespace partopt::rt
