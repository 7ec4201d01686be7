// The window of an op, one dimension at a time, with absent attributes filled
// in; and the windows that are cumulative sums and their like.
#ifndef PARTOPT_DIALECTS_STABLEHLO_WINDOWS_H
#define PARTOPT_DIALECTS_STABLEHLO_WINDOWS_H

#include "dialects/StableHLO/StableHLO.h"

#include <optional>

namespace partopt::stablehlo {

/// One dimension of a window. Element w of the window at o is element
/// o * stride + w * dilation - low of the base, spread by baseDilation.
struct Window {
  int64_t size = 1, stride = 1, dilation = 1, baseDilation = 1;
  int64_t low = 0, high = 0;

  /// Every window is the element itself.
  bool isPoint() const {
    return size == 1 && stride == 1 && baseDilation == 1 && low == 0 &&
           high == 0;
  }
  /// Elements from a window's first to its last.
  int64_t reach() const { return (size - 1) * dilation + 1; }
  /// Length of a base of `length` elements, spread.
  int64_t dilated(int64_t length) const {
    return length == 0 ? 0 : (length - 1) * baseDilation + 1;
  }
};

llvm::SmallVector<Window> windowsOf(ReduceWindowOp op);

/// A window that holds, for each element of `dim`, all elements up to it
/// (isReverse: from it on); points in the other dimensions.
struct Scan {
  int64_t dim = 0;
  bool isReverse = false;
};

/// What `op` scans, if it is a scan.
std::optional<Scan> scanOf(ReduceWindowOp op);

} // namespace partopt::stablehlo

#endif // PARTOPT_DIALECTS_STABLEHLO_WINDOWS_H
