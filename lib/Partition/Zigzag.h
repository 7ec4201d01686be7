// The order of positions in which every device has as much to compute under a
// causal mask: of 2 n parts of the sequence, device r has parts r and
// 2 n - 1 - r. (Brandon et al.'s striped attention, in halves.)

#ifndef PARTOPT_LIB_PARTITION_ZIGZAG_H
#define PARTOPT_LIB_PARTITION_ZIGZAG_H

#include "dialects/Comm/Comm.h"

#include "mlir/IR/Builders.h"

namespace partopt {

/// Moves halves of blocks between the sequence's order and zigzag order.
class Zigzag {
public:
  using Halves = std::array<mlir::Value, 2>;

  Zigzag(comm::AxesAttr axes) : axes(axes), n(axes.getGroupSize()) {}

  /// The device's two parts in zigzag order of a value of which it has a block.
  Halves split(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
               int64_t dim);
  /// Back.
  mlir::Value join(mlir::OpBuilder &b, mlir::Location loc, const Halves &halves,
                   int64_t dim);

private:
  /// The device that has part `part`.
  int64_t deviceOf(int64_t part) const {
    return part < n ? part : 2 * n - 1 - part;
  }
  /// To which device each one's first (0) or second (1) half goes, or back.
  llvm::SmallVector<int64_t> moves(int64_t half, bool back) const;
  mlir::Value move(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   int64_t half, bool back);
  mlir::Value isEven(mlir::OpBuilder &b, mlir::Location loc);

  comm::AxesAttr axes;
  int64_t n;
};

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_ZIGZAG_H
