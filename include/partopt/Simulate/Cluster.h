//===- Cluster.h - The machines that a plan is for ------------------------===//
//
// Devices in nested levels (node, rack, …). Devices are numbered so that those
// of one unit of a level follow each other; two devices talk over the link of
// the smallest unit that holds both.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_CLUSTER_H
#define PARTOPT_SIMULATE_CLUSTER_H

#include "partopt/Simulate/ComputeModel.h"
#include "partopt/Simulate/LinkModel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::simulate {

struct ClusterLevel {
  std::string name;     ///< "node"
  uint64_t devices = 0; ///< in one unit of the level
  LinkSpeed link;       ///< of one device, to others of its unit
};

struct Cluster {
  std::string name;  ///< empty: there is no cluster
  double memory = 0; ///< bytes of a device; 0: not known
  ComputeModel device;
  std::vector<ClusterLevel> levels; ///< innermost first; none: one machine

  bool empty() const { return name.empty(); }
  /// Whether messages take modelled time; a host's own transport does not.
  bool hasLinks() const { return !levels.empty(); }

  /// Empty, or why a mesh of so many places does not fit.
  std::string checkSize(uint64_t places) const;

  /// The level whose link an axis uses that is a digit of the device's number:
  /// the smallest whose units hold each of its groups. `total` devices are
  /// used.
  size_t levelOf(uint64_t stride, uint64_t size, uint64_t total) const;

  /// The same for each axis of a mesh that is numbered in `order`, outermost
  /// first.
  std::vector<size_t> levelsInOrder(const std::vector<uint64_t> &sizes,
                                    const std::vector<size_t> &order) const;

  /// The same for each axis of a mesh in which place i, row-major, is device
  /// `deviceIds[i]`.
  std::vector<size_t> levelsOf(const std::vector<uint64_t> &sizes,
                               const std::vector<uint32_t> &deviceIds) const;

  /// As JSON that findCluster reads.
  std::string text() const;
};

/// Finds a built-in cluster or reads a file (.toml, else JSON). Returns empty,
/// or what is wrong and what to write.
std::string findCluster(const std::string &nameOrFile, Cluster &cluster);

/// Reads JSON, or TOML of the same form; `path` is for messages.
std::string readCluster(const std::string &text, const std::string &path,
                        bool isToml, Cluster &cluster);

/// The built-in cluster; returns empty, or why there is none of that name.
std::string builtinCluster(const std::string &name, Cluster &cluster);

/// One built-in cluster, for a list.
struct BuiltinName {
  std::string name, what;
};
std::vector<BuiltinName> builtinClusters();

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_CLUSTER_H
