// How one value lies on the mesh. A layout has four parts that separate passes
// fill in: compute axes per dimension, storage axes per dimension, time axes
// (minor to the compute axes of the same dimension), and the axes over which
// the value is still unreduced.

#ifndef PARTOPT_ANALYSIS_LAYOUT_H
#define PARTOPT_ANALYSIS_LAYOUT_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace partopt {

/// How partial values combine across devices.
enum class Combiner : uint8_t { Sum, Product, Min, Max, And, Or };

/// The name used in IR text, reports and errors: "sum", "product", ...
llvm::StringRef stringifyCombiner(Combiner combiner);
std::optional<Combiner> symbolizeCombiner(llvm::StringRef name);

/// One axis of a mesh: its name and its number of devices (space) or of loop
/// iterations (time).
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool isTime = false;
};

/// The axes, outermost first, those in time last. The product of the space
/// axes is the device count.
struct Mesh {
  llvm::SmallVector<MeshAxis, 4> axes;

  /// Index of an axis, or nothing.
  std::optional<unsigned> find(llvm::StringRef name) const;
  /// True when some axis of the list is in time.
  bool isTime(llvm::ArrayRef<struct AxisRef> list) const;
  /// Product of the space axes.
  int64_t numDevices() const;
};

/// An axis of the mesh, whole (preSize 1, size = the axis' size) or a
/// part of it, Shardy's (preSize)size.
struct AxisRef {
  unsigned axis = 0;
  int64_t preSize = 1;
  int64_t size = 1;

  bool operator==(const AxisRef &o) const {
    return axis == o.axis && preSize == o.preSize && size == o.size;
  }
  bool operator!=(const AxisRef &o) const { return !(*this == o); }
  bool operator<(const AxisRef &o) const {
    return std::tie(axis, preSize, size) < std::tie(o.axis, o.preSize, o.size);
  }
  /// True when both name a common part of one axis.
  bool overlaps(const AxisRef &o) const {
    return axis == o.axis && preSize < o.preSize * o.size &&
           o.preSize < preSize * size;
  }
};

using AxisList = llvm::SmallVector<AxisRef, 2>;

/// Product of the axes' sizes (1 for an empty list).
int64_t axesSize(llvm::ArrayRef<AxisRef> axes);
/// True when any axis of `a` overlaps any axis of `b`.
bool axesOverlap(llvm::ArrayRef<AxisRef> a, llvm::ArrayRef<AxisRef> b);

/// Joins neighbours of which the second continues the first:
/// x:(1)2, x:(2)2 is x:(1)4.
void joinSubAxes(AxisList &axes);

struct UnreducedAxis {
  AxisRef axis;
  Combiner combiner = Combiner::Sum;
  bool operator==(const UnreducedAxis &o) const {
    return axis == o.axis && combiner == o.combiner;
  }
};

/// The layout of one tensor of rank r: `dims`, `storage` have r entries, axes
/// major to minor. Storage axes come minor to the compute axes of the same
/// dimension and are gathered before use. Axes in time come last in `dims`.
struct Layout {
  llvm::SmallVector<AxisList, 4> dims;
  llvm::SmallVector<AxisList, 4> storage;
  llvm::SmallVector<UnreducedAxis, 2> unreduced;

  static Layout replicated(int64_t rank);
  int64_t rank() const { return dims.size(); }
  bool isReplicated() const;
  bool operator==(const Layout &o) const;
  bool operator!=(const Layout &o) const { return !(*this == o); }

  /// True when some dimension or the unreduced set uses (a part of) `axis`.
  bool uses(const AxisRef &axis) const;
  /// Parts that dimension `dim` is split into by compute axes.
  int64_t parts(int64_t dim) const { return axesSize(dims[dim]); }
  /// Shape of one device's compute shard: ceil(size / parts) per dimension.
  llvm::SmallVector<int64_t> localShape(llvm::ArrayRef<int64_t> shape) const;
  mlir::RankedTensorType localType(mlir::RankedTensorType type) const;
  /// Bytes of one device's compute shard.
  int64_t localBytes(mlir::RankedTensorType type) const;
  /// Sorts `unreduced` by mesh order and joins sub-axes that continue each
  /// other, so that equal layouts compare equal.
  void normalise();
  /// Only sorts `unreduced`.
  void sortUnreduced();
};

/// Bytes of one element as stored (i1 and sub-byte types take one byte).
int64_t elementBytes(mlir::Type elementType);
/// Bytes of a whole tensor.
int64_t tensorBytes(mlir::RankedTensorType type);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_LAYOUT_H
