// Rows of a tensor that an index chooses, of a device or of an iteration, and
// such indices.

#ifndef PARTOPT_LIB_PARTITION_ROWSLICES_H
#define PARTOPT_LIB_PARTITION_ROWSLICES_H

#include "dialects/Comm/Comm.h"
#include "partopt/Analysis/Layout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partopt {

/// A scalar i32.
mlir::Value indexConstant(mlir::OpBuilder &b, mlir::Location loc,
                          int64_t number);

/// Where part `index` (i32) of `rows` rows along `dim` starts, a scalar per
/// dimension of `rank`.
llvm::SmallVector<mlir::Value> startsOfRows(mlir::OpBuilder &b,
                                            mlir::Location loc,
                                            mlir::Value index, int64_t rows,
                                            int64_t dim, int64_t rank);

/// Part `index` of `rows` rows along `dim`. With `groups`, the dimension is
/// that many runs of rows, and the part has as many rows of each.
mlir::Value sliceRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      mlir::Value index, int64_t rows, int64_t dim,
                      int64_t groups = 1);

/// `into` with `part` as its part `index` along `dim`.
mlir::Value writeRows(mlir::OpBuilder &b, mlir::Location loc, mlir::Value into,
                      mlir::Value part, mlir::Value index, int64_t dim,
                      int64_t groups = 1);

/// The index over `axes` that `op` stands for in iteration `index` of `axis`,
/// which, or parts of which, is among them.
mlir::Value indexInTime(mlir::OpBuilder &b, comm::AxisIndexOp op,
                        comm::AxesAttr axes, const MeshAxis &axis,
                        mlir::Value index);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_ROWSLICES_H
