// Rows of the batch that the program numbers by iteration first
// (partopt.time_major): where that meets the numbers that they have outside of
// it. Nothing is done where the axis in time is minor.

#ifndef PARTOPT_LIB_PARTITION_ROWNUMBERS_H
#define PARTOPT_LIB_PARTITION_ROWNUMBERS_H

#include "TimeCut.h"

#include "dialects/Comm/Comm.h"

namespace partopt {

/// The axes whose index is that of a device's rows of an iteration in the
/// batch.
comm::AxesAttr numberedAxes(comm::AxesAttr axes, const TimeCut &cut);

/// Fails, with an error, at an op that asks for numbers of rows of which a
/// device has some of several devices.
mlir::LogicalResult checkRowNumbers(mlir::func::FuncOp func,
                                    const TimeCut &cut);

/// Says of arguments and results what holds behind the loops: a device's rows
/// are a part of the batch, those of the iterations one behind the other.
void finishRowLayouts(mlir::func::FuncOp func, const TimeCut &cut);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_ROWNUMBERS_H
