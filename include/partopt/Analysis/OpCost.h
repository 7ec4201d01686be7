//===- OpCost.h - Estimated time of one op ----------------------*- C++ -*-===//
//
// For choices that are made before there are kernels: what balances stages,
// what starts when. Rates are rough, those of one core of a server.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_ANALYSIS_OPCOST_H
#define PARTOPT_ANALYSIS_OPCOST_H

#include "mlir/IR/Operation.h"

namespace partopt {

/// Bytes of the tensors among `types`.
int64_t tensorBytes(mlir::TypeRange types);

/// Nanoseconds: products by their arithmetic, everything by the bytes that it
/// reads and writes.
int64_t opNanoseconds(mlir::Operation *op);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_OPCOST_H
