#include "dialects/StableHLO/Windows.h"

using namespace mlir;

namespace partopt::stablehlo {

llvm::SmallVector<Window> windowsOf(ReduceWindowOp op) {
  llvm::SmallVector<Window> windows;
  for (int64_t size : op.getWindowDimensions()) {
    Window window;
    window.size = size;
    windows.push_back(window);
  }
  auto fill = [&](std::optional<llvm::ArrayRef<int64_t>> list,
                  int64_t Window::*member) {
    if (list && !list->empty())
      for (auto [window, value] : llvm::zip_equal(windows, *list))
        window.*member = value;
  };
  fill(op.getWindowStrides(), &Window::stride);
  fill(op.getBaseDilations(), &Window::baseDilation);
  fill(op.getWindowDilations(), &Window::dilation);
  if (auto padding = op.getPadding()) {
    auto values = padding->getValues<int64_t>();
    for (auto [dim, window] : llvm::enumerate(windows)) {
      window.low = values[2 * dim];
      window.high = values[2 * dim + 1];
    }
  }
  return windows;
}

std::optional<Scan> scanOf(ReduceWindowOp op) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  std::optional<Scan> scan;
  for (auto [dim, window] : llvm::enumerate(windowsOf(op))) {
    if (window.isPoint())
      continue;
    int64_t size = type.getDimSize(dim);
    bool isWhole = window.size == size && window.stride == 1 &&
                   window.dilation == 1 && window.baseDilation == 1;
    bool isForward = window.low == size - 1 && window.high == 0;
    bool isReverse = window.low == 0 && window.high == size - 1;
    if (scan || !isWhole || !(isForward || isReverse))
      return std::nullopt;
    scan = Scan{int64_t(dim), isReverse};
  }
  return scan;
}

} // namespace partopt::stablehlo
