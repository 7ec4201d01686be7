//===- AccumulatingProducts.h - Products added to a carried sum -*- C++ -*-===//
//
// In a loop, sum + a * b needs no memory for the product: the BLAS adds to what
// is there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_ACCUMULATINGPRODUCTS_H
#define PARTOPT_LIB_PLAN_ACCUMULATINGPRODUCTS_H

#include "ProgramModel.h"

namespace partopt {

struct AccumulatingProduct {
  mlir::func::CallOp sum;  ///< the kernel's call that adds the product
  mlir::Value accumulator; ///< what the loop carries
};

/// The sum that `product` may be added to in place: of nothing but the product
/// and a carried value, each read by nobody else, whose result becomes the
/// carried value's next through kernels that may write over it.
std::optional<AccumulatingProduct> findAccumulation(mlir::Operation *product,
                                                    const ProgramModel &model);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_ACCUMULATINGPRODUCTS_H
