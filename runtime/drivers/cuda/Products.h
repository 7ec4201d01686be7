//===- Products.h - A plan's matrix products on a GPU ---------------------===//
//
// Each product of a program gets its descriptors and its algorithm when the
// plan is loaded; a step only starts them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_PRODUCTS_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_PRODUCTS_H

#include "runtime/drivers/cuda/CublasLt.h"
#include "runtime/drivers/cuda/Gpu.h"

#include <map>

namespace partopt::rt {

class Products {
public:
  Products(const Gpu &gpu, bool tf32) : gpu(gpu), tf32(tf32) {}
  ~Products();

  /// Prepares a product; cuBLASLt is loaded with the first. Fails where the
  /// library has no algorithm for it.
  Status add(const plan::GemmT &shape);

  /// Puts a product that was added on the stream. `workspace` has
  /// workspaceBytes.
  Status multiply(const GemmCall &call, void *workspace, CUstream stream) const;

  /// That a product needs at most. Products that run at once need one each.
  uint64_t workspaceBytes() const { return mostWorkspace; }

  /// Null where there is no product.
  const CublasLt *library() const { return lt; }

private:
  struct Product {
    cublasLtMatmulDesc_t description = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    uint64_t workspaceBytes = 0;
  };
  /// Columns are contiguous in cuBLAS's layouts.
  struct Layout {
    uint64_t rows, columns, leading, stride;
  };

  Status open();
  Status describe(const plan::GemmT &shape, Product &product) const;
  Status makeLayout(const plan::GemmT &shape, const Layout &layout,
                    cublasLtMatrixLayout_t &made) const;
  Status chooseAlgorithm(const plan::GemmT &shape, Product &product) const;
  Status clear(const GemmCall &call, CUstream stream) const;

  const Gpu &gpu;
  bool tf32;
  const CublasLt *lt = nullptr;
  cublasLtHandle_t handle = nullptr;
  std::map<const plan::GemmT *, Product> products;
  uint64_t mostWorkspace = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_PRODUCTS_H
