//===- Cluster.cpp - The machines that a plan is for ----------------------===//
//
// Which level joins the members of an axis's groups, and a cluster as text.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Cluster.h"

#include "partopt/Simulate/Quantities.h"

#include <nlohmann/json.hpp>
#include <numeric>

namespace partopt::simulate {

std::string Cluster::checkSize(uint64_t places) const {
  if (levels.empty() || places <= levels.back().devices)
    return "";
  return "cluster '" + name + "' has " + std::to_string(levels.back().devices) +
         (levels.back().devices == 1 ? " device" : " devices") +
         ", and the mesh needs " + std::to_string(places) +
         "; give a larger --cluster or a smaller --mesh";
}

size_t Cluster::levelOf(uint64_t stride, uint64_t size, uint64_t total) const {
  // A run of stride * size devices holds the groups. No unit's end cuts one if
  // the unit is a whole number of them.
  for (size_t level = 0; level + 1 < levels.size(); ++level) {
    uint64_t unit = levels[level].devices;
    if (size <= 1 || unit >= total || unit % (stride * size) == 0)
      return level;
  }
  return levels.empty() ? 0 : levels.size() - 1;
}

std::vector<size_t>
Cluster::levelsInOrder(const std::vector<uint64_t> &sizes,
                       const std::vector<size_t> &order) const {
  std::vector<size_t> found(sizes.size(), 0);
  uint64_t total = 1, stride = 1;
  for (uint64_t size : sizes)
    total *= size;
  for (size_t i = order.size(); i-- > 0;) {
    found[order[i]] = levelOf(stride, sizes[order[i]], total);
    stride *= sizes[order[i]];
  }
  return found;
}

std::vector<size_t>
Cluster::levelsOf(const std::vector<uint64_t> &sizes,
                  const std::vector<uint32_t> &deviceIds) const {
  std::vector<size_t> found(sizes.size(), 0);
  if (deviceIds.empty()) {
    std::iota(found.begin(), found.end(), 0);
    return levelsInOrder(sizes, found);
  }
  uint64_t total = deviceIds.size(), stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    // Every member against the group's first one.
    for (uint64_t place = 0; place < total; ++place) {
      uint64_t first = place - place / stride % sizes[axis] * stride;
      while (found[axis] + 1 < levels.size() &&
             deviceIds[place] / levels[found[axis]].devices !=
                 deviceIds[first] / levels[found[axis]].devices)
        ++found[axis];
    }
    stride *= sizes[axis];
  }
  return found;
}

std::string Cluster::text() const {
  nlohmann::ordered_json json = {{"name", name}};
  nlohmann::ordered_json about = nlohmann::ordered_json::object();
  if (memory > 0)
    about["memory"] = unitText(memory, "B");
  if (!device.empty()) {
    about["memory_bandwidth"] = unitText(device.bytesPerSecond, "B/s");
    for (const auto &[width, rate] : device.byWidth)
      about["peak"][peakName(width)] = unitText(rate, "FLOP/s");
    about["overhead"] = numberText(device.overhead * 1e6) + "us";
  }
  if (!about.empty())
    json["device"] = about;
  json["levels"] = nlohmann::ordered_json::array();
  for (const ClusterLevel &level : levels)
    json["levels"].push_back(
        {{"name", level.name},
         {"devices", level.devices},
         {"latency", numberText(level.link.latency * 1e6) + "us"},
         {"bandwidth", unitText(level.link.bytesPerSecond, "B/s")}});
  return json.dump(2) + "\n";
}

} // namespace partopt::simulate
