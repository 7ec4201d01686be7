// What an axis in time cuts in a local program: arguments and results.

#ifndef PARTOPT_LIB_PARTITION_TIMECUT_H
#define PARTOPT_LIB_PARTITION_TIMECUT_H

#include "partopt/Analysis/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace partopt {

struct TimeCut {
  MeshAxis axis;
  /// Runs of rows that an iteration has its part of each of.
  int64_t groups = 1;
  /// The axis is major to those in space, `rowAxes`, over which every batch
  /// argument is split: rows are numbered by microbatch, then by device.
  bool isMajor = false;
  std::vector<AxisRef> rowAxes;
  /// The dimension that the axis cuts, by argument and by result.
  llvm::MapVector<mlir::Value, int64_t> batchDim;
  llvm::DenseMap<unsigned, int64_t> resultDim;
};

/// Runs `run` with what the axis in time of the module's mesh cuts in `func`;
/// does nothing where there is none, or no body.
mlir::LogicalResult
withTimeCut(mlir::func::FuncOp func,
            llvm::function_ref<mlir::LogicalResult(TimeCut &)> run);

/// The axis in time of `mesh` that has more than one iteration, with what it
/// cuts in `func`; nothing where there is none. Fails, with an error, where a
/// device's rows are not those of the iterations, one behind the other.
mlir::FailureOr<std::optional<TimeCut>> findTimeCut(mlir::func::FuncOp func,
                                                    const Mesh &mesh);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_TIMECUT_H
