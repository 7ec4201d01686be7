//===- MeshMath.cpp - Ranks, mesh coordinates and groups ------------------===//
//
// Positions are mixed-radix numbers: a (sub-)axis is a digit with a stride,
// so groups and shard indices need no table of coordinates.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/MeshMath.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>

namespace partopt::plan {

MeshMath::MeshMath(const PlanT &plan) : numDevices(plan.devices) {
  uint64_t product = 1;
  strides.resize(plan.mesh.size());
  for (size_t i = plan.mesh.size(); i-- > 0;) {
    const AxisT &axis = *plan.mesh[i];
    bool space = axis.kind == AxisKind::Space;
    strides[i] = space ? product : 0;
    if (space)
      product = saturatingMul(product, axis.size);
  }
  for (const auto &axis : plan.mesh) {
    names.push_back(axis->name);
    sizes.push_back(axis->size);
    isSpace.push_back(axis->kind == AxisKind::Space);
    if (axis->size == 0)
      problem = "mesh axis '" + axis->name + "' has size 0";
  }
  if (product != plan.devices) {
    problem = "the mesh has " + std::to_string(product) +
              " places but the plan is for " + std::to_string(plan.devices) +
              " devices";
    return;
  }
  if (plan.device_ids.empty())
    return;
  rankToPosition.assign(plan.devices, UINT32_MAX);
  bool good = plan.device_ids.size() == plan.devices;
  for (size_t i = 0; good && i < plan.device_ids.size(); ++i) {
    uint32_t id = plan.device_ids[i];
    good = id < plan.devices && rankToPosition[id] == UINT32_MAX;
    if (good)
      rankToPosition[id] = static_cast<uint32_t>(i);
  }
  positionToRank = plan.device_ids;
  if (!good)
    problem = "device_ids is not a permutation of the " +
              std::to_string(plan.devices) + " devices";
}

bool sameAxes(const AxisList &a, const AxisList &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const AxisRef &x, const AxisRef &y) {
                      return x.axis() == y.axis() &&
                             x.pre_size() == y.pre_size() &&
                             x.size() == y.size();
                    });
}

uint64_t MeshMath::stride(const AxisRef &ref) const {
  // (pre)size of an axis of S: the digit's stride inside the axis is
  // S / (pre * size).
  return strides[ref.axis()] *
         (sizes[ref.axis()] / (uint64_t(ref.pre_size()) * ref.size()));
}

std::string MeshMath::checkAxes(const AxisList &axes) const {
  std::string bad = checkParts(axes);
  if (!bad.empty())
    return bad;
  for (const AxisRef &ref : axes)
    if (!isSpace[ref.axis()])
      return "axis '" + names[ref.axis()] + "' is a time axis";
  return "";
}

std::string MeshMath::checkSharding(const ShardingT &sharding) const {
  AxisList all;
  for (const auto &dim : sharding.dims)
    all.insert(all.end(), dim->axes.begin(), dim->axes.end());
  std::string bad = checkParts(all);
  if (!bad.empty())
    return bad;
  for (const auto &dim : sharding.dims) {
    bool inTime = false;
    for (const AxisRef &ref : dim->axes) {
      if (isSpace[ref.axis()] ? inTime : ref.size() != sizes[ref.axis()])
        return "time axes are whole and the last of their dimension, not " +
               axesText(dim->axes);
      inTime |= !isSpace[ref.axis()];
    }
  }
  return "";
}

std::string MeshMath::checkLoopAxis(uint32_t axis, uint32_t size) const {
  if (axis >= sizes.size())
    return "axis number " + std::to_string(axis) + " is not in the mesh of " +
           std::to_string(sizes.size()) + " axes";
  // What goes around its devices has been everywhere after one turn.
  if (isSpace[axis])
    return size < sizes[axis] ? ""
                              : "axis '" + names[axis] + "' has " +
                                    std::to_string(sizes[axis]) +
                                    " devices, too few for a ring of " +
                                    std::to_string(size) + " steps";
  if (size != sizes[axis])
    return "axis '" + names[axis] + "' has " + std::to_string(sizes[axis]) +
           " iterations, not " + std::to_string(size);
  return "";
}

std::string MeshMath::checkParts(const AxisList &axes) const {
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisRef &ref = axes[i];
    if (ref.axis() >= sizes.size())
      return "axis number " + std::to_string(ref.axis()) +
             " is not in the mesh of " + std::to_string(sizes.size()) + " axes";
    uint64_t prefix = uint64_t(ref.pre_size()) * ref.size();
    if (prefix == 0 || sizes[ref.axis()] % prefix != 0)
      return "(" + std::to_string(ref.pre_size()) + ")" +
             std::to_string(ref.size()) + " does not divide axis '" +
             names[ref.axis()] + "' of size " +
             std::to_string(sizes[ref.axis()]);
    for (size_t j = 0; j < i; ++j) {
      const AxisRef &other = axes[j];
      if (other.axis() != ref.axis())
        continue;
      uint64_t otherPrefix = uint64_t(other.pre_size()) * other.size();
      if (prefix > other.pre_size() && otherPrefix > ref.pre_size())
        return "axis '" + names[ref.axis()] + "' is used twice";
    }
  }
  return "";
}

uint64_t MeshMath::groupSize(const AxisList &axes) const {
  uint64_t n = 1;
  for (const AxisRef &ref : axes)
    n *= ref.size();
  return n;
}

uint64_t MeshMath::groupIndex(uint32_t rank, const AxisList &axes) const {
  uint64_t position = rankToPosition.empty() ? rank : rankToPosition[rank];
  uint64_t index = 0;
  for (const AxisRef &ref : axes)
    index = index * ref.size() + position / stride(ref) % ref.size();
  return index;
}

uint64_t MeshMath::groupId(uint32_t rank, const AxisList &axes) const {
  uint64_t position = rankToPosition.empty() ? rank : rankToPosition[rank];
  uint64_t base = position;
  for (const AxisRef &ref : axes)
    base -= position / stride(ref) % ref.size() * stride(ref);
  return base;
}

std::vector<uint32_t> MeshMath::groupMembers(uint32_t rank,
                                             const AxisList &axes) const {
  uint64_t base = groupId(rank, axes), n = groupSize(axes);
  std::vector<uint32_t> members(n);
  for (uint64_t j = 0; j < n; ++j) {
    uint64_t position = base, rest = j;
    for (size_t i = axes.size(); i-- > 0;) {
      position += rest % axes[i].size() * stride(axes[i]);
      rest /= axes[i].size();
    }
    members[j] = positionToRank.empty() ? static_cast<uint32_t>(position)
                                        : positionToRank[position];
  }
  return members;
}

std::string MeshMath::axesText(const AxisList &axes) const {
  std::string text = "{";
  for (const AxisRef &ref : axes) {
    if (text.size() > 1)
      text += ", ";
    bool known = ref.axis() < names.size();
    text += known ? names[ref.axis()] : "#" + std::to_string(ref.axis());
    if (known && ref.size() != sizes[ref.axis()])
      text += ":(" + std::to_string(ref.pre_size()) + ")" +
              std::to_string(ref.size());
  }
  return text + "}";
}

uint64_t wholeExtent(const TensorT &tensor, size_t dim) {
  return dim == 0 && tensor.rows > 0 ? tensor.rows : tensor.global_shape[dim];
}

static AxisList dimAxes(const TensorT &tensor, size_t dim) {
  if (!tensor.sharding || dim >= tensor.sharding->dims.size())
    return {};
  return tensor.sharding->dims[dim]->axes;
}

uint64_t MeshMath::localExtent(const TensorT &tensor, size_t dim) const {
  uint64_t parts = 1, iterations = 1;
  for (const AxisRef &ref : dimAxes(tensor, dim)) {
    parts *= ref.size();
    if (!isSpace[ref.axis()])
      iterations *= ref.size();
  }
  return (wholeExtent(tensor, dim) + parts - 1) / parts * iterations;
}

std::vector<DimRange> MeshMath::shardRange(uint32_t rank,
                                           const TensorT &tensor) const {
  std::vector<DimRange> ranges;
  for (size_t dim = 0; dim < tensor.global_shape.size(); ++dim) {
    uint64_t whole = wholeExtent(tensor, dim);
    uint64_t local = localExtent(tensor, dim);
    AxisList space;
    for (const AxisRef &ref : dimAxes(tensor, dim))
      if (isSpace[ref.axis()])
        space.push_back(ref);
    uint64_t begin = std::min(whole, local * groupIndex(rank, space));
    uint64_t first = dim == 0 ? tensor.first_row : 0;
    ranges.push_back({first + begin, std::min(local, whole - begin)});
  }
  return ranges;
}

} // namespace partopt::plan
