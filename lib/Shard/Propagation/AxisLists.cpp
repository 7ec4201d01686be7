// Arithmetic on axes and parts of axes.

#include "lib/Shard/Propagation/AxisLists.h"

namespace partopt::shard {

bool isPrefix(const AxisRef &a, const AxisRef &b) {
  return a.axis == b.axis && a.preSize == b.preSize && a.size <= b.size &&
         b.size % a.size == 0;
}

bool contains(const AxisRef &a, const AxisRef &b) {
  return a.axis == b.axis && a.preSize <= b.preSize &&
         a.preSize * a.size >= b.preSize * b.size;
}

static std::optional<AxisRef> prefixWithoutOverlap(AxisRef axis,
                                                   const AxisRef &other) {
  if (!axis.overlaps(other))
    return axis;
  if (axis.preSize >= other.preSize || other.preSize % axis.preSize != 0)
    return std::nullopt;
  axis.size = other.preSize / axis.preSize;
  return axis;
}

std::optional<AxisRef> prefixWithoutOverlap(AxisRef axis,
                                            llvm::ArrayRef<AxisRef> others) {
  std::optional<AxisRef> result = axis;
  for (const AxisRef &other : others) {
    result = prefixWithoutOverlap(*result, other);
    if (!result)
      return std::nullopt;
  }
  return result;
}

std::optional<AxisRef> commonPrefix(const AxisRef &a, const AxisRef &b) {
  if (isPrefix(a, b))
    return a;
  if (isPrefix(b, a))
    return b;
  return std::nullopt;
}

bool isStrictPrefix(llvm::ArrayRef<AxisRef> shorter,
                    llvm::ArrayRef<AxisRef> longer) {
  if (shorter.size() > longer.size())
    return false;
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (shorter[i] == longer[i])
      continue;
    return i + 1 == shorter.size() && isPrefix(shorter[i], longer[i]);
  }
  return shorter.size() < longer.size();
}

void appendMerged(AxisList &axes, const AxisRef &axis) {
  if (!axes.empty() && axes.back().axis == axis.axis &&
      axes.back().preSize * axes.back().size == axis.preSize)
    axes.back().size *= axis.size;
  else
    axes.push_back(axis);
}

} // namespace partopt::shard
