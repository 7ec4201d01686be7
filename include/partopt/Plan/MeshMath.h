//===- MeshMath.h - Ranks, mesh coordinates and groups --------------------===//
//
// A rank is a device id. Its place in the mesh is a row-major position over
// the space axes, outermost first; `device_ids` (when given) says which device
// sits at each position. A list of axes or sub-axes cuts the mesh into groups;
// members are ordered row-major over the list, its first axis outermost.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_MESHMATH_H
#define PARTOPT_PLAN_MESHMATH_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::plan {

using AxisList = std::vector<AxisRef>;

/// Whether both lists name the same (sub-)axes in the same order.
bool sameAxes(const AxisList &a, const AxisList &b);

/// What there is of dimension `dim` over all ranks that share the tensor: the
/// array's extent, or the part's rows.
uint64_t wholeExtent(const TensorT &tensor, size_t dim);

/// Elements [begin, begin + count) of a global dimension.
struct DimRange {
  uint64_t begin;
  uint64_t count;
};

class MeshMath {
public:
  /// `plan` must pass check() before any other member is called.
  explicit MeshMath(const PlanT &plan);

  /// Empty, or what is wrong with mesh, devices or device_ids.
  const std::string &check() const { return problem; }

  uint32_t devices() const { return numDevices; }

  /// Empty, or why `axes` do not name distinct parts of space axes.
  std::string checkAxes(const AxisList &axes) const;
  /// Empty, or why a tensor cannot be sharded like this: axes in time are
  /// whole and come last in their dimension.
  std::string checkSharding(const ShardingT &sharding) const;

  /// Empty, or why no loop over `axis` has `size` iterations: one over an axis
  /// in time has all, one in which blocks go around devices stops before they
  /// are back.
  std::string checkLoopAxis(uint32_t axis, uint32_t size) const;

  /// Number of members: product of the sizes.
  uint64_t groupSize(const AxisList &axes) const;
  /// This rank's place in its group.
  uint64_t groupIndex(uint32_t rank, const AxisList &axes) const;
  /// Ranks of this rank's group, in group order.
  std::vector<uint32_t> groupMembers(uint32_t rank, const AxisList &axes) const;
  /// The same value for exactly the members of one group.
  uint64_t groupId(uint32_t rank, const AxisList &axes) const;

  /// "{data, model:(2)4}" as in sdy text.
  std::string axesText(const AxisList &axes) const;

  /// Per dimension, the part of the global array that `rank` holds; count is 0
  /// for a shard that is all padding. `sharding` may be null (replicated).
  std::vector<DimRange> shardRange(uint32_t rank, const TensorT &tensor) const;

  /// What one rank holds of dimension `dim`: ceil(whole / parts), times the
  /// iterations of axes in time.
  uint64_t localExtent(const TensorT &tensor, size_t dim) const;

private:
  std::string checkParts(const AxisList &axes) const;
  uint64_t stride(const AxisRef &ref) const;

  std::string problem;
  uint32_t numDevices = 1;
  std::vector<std::string> names;
  std::vector<uint64_t> sizes, strides; // strides are 0 for time axes
  std::vector<bool> isSpace;
  std::vector<uint32_t> rankToPosition, positionToRank; // empty: identity
};

} // namespace partopt::plan

#endif // PARTOPT_PLAN_MESHMATH_H
