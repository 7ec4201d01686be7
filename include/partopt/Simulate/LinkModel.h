//===- LinkModel.h - Latency and bandwidth per mesh axis ------------------===//
//
// What a message over a mesh axis costs: latency plus bytes over bandwidth. A
// link belongs to a sender and an axis and carries one message after the other.
// The transport that delays messages and the simulator read the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_LINKMODEL_H
#define PARTOPT_SIMULATE_LINKMODEL_H

#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/NearestWord.h"

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace partopt::simulate {

struct LinkSpeed {
  double latency = 0; ///< seconds from the last byte sent to its arrival
  double bytesPerSecond = std::numeric_limits<double>::infinity();

  /// Seconds for which a message occupies the link.
  double occupancy(uint64_t bytes) const {
    return static_cast<double>(bytes) / bytesPerSecond;
  }
};

/// Links as a user names them.
class LinkModel {
public:
  /// Adds "AXIS=LATENCY,BANDWIDTH"; the axis * stands for all that are not
  /// named. Returns empty, or what is wrong with the text.
  std::string add(const std::string &text);

  /// The link of an axis for which no line was added.
  void setDefault(const std::string &axis, const LinkSpeed &link) {
    defaults[axis] = link;
  }

  bool empty() const { return byName.empty() && defaults.empty(); }

  /// By index of the plan's axes; without a line, instant. Returns empty, or
  /// which named axis the mesh does not have.
  std::string resolve(const plan::PlanT &plan,
                      std::vector<LinkSpeed> &links) const;

  /// The same of a mesh with the names `axes`.
  std::string checkAxes(const words::Words &axes) const;

  /// The link over the axis `name`.
  LinkSpeed over(const std::string &name) const;

private:
  std::map<std::string, LinkSpeed> byName, defaults;
};

/// The axis whose link a group over `axes` uses: the slowest, which is the one
/// of least bandwidth, of equals of most latency, of equals the first. -1 for
/// no axes or no links.
int slowestAxis(const std::vector<LinkSpeed> &links,
                const plan::AxisList &axes);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_LINKMODEL_H
