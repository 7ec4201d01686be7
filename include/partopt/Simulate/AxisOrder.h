//===- AxisOrder.h - Which mesh axis lies on which level of a cluster -----===//
//
// The axes of a mesh, one inside of the other, fill a cluster's levels from the
// innermost. Problem: the axes and what a step sends over them. Answer: their
// order, with the level whose link each of them uses.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_AXISORDER_H
#define PARTOPT_SIMULATE_AXISORDER_H

#include "partopt/Simulate/Cluster.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::simulate {

/// Equal collectives of a step.
struct AxisTraffic {
  std::vector<size_t> axes;
  plan::CollectiveStartT collective; ///< kind, type and counts
  uint64_t groupSize = 1;
  uint64_t times = 1; ///< per step
};

struct AxisOrderProblem {
  Cluster cluster;
  std::vector<std::string> names;
  std::vector<uint64_t> sizes;
  std::vector<AxisTraffic> traffic;

  /// Empty, or why the mesh does not lie on the cluster.
  std::string check() const;
};

struct AxisOrder {
  std::vector<size_t> order;  ///< axes, outermost first
  std::vector<size_t> levels; ///< by axis
  double seconds = 0;         ///< of all collectives, one after the other
};

/// Reads "data,model". Returns empty, or why it is no order of the axes.
std::string parseOrder(const std::string &text,
                       const std::vector<std::string> &names,
                       std::vector<size_t> &order);

/// The order's levels and time.
AxisOrder evaluateOrder(const AxisOrderProblem &problem,
                        std::vector<size_t> order);

/// Seconds of one axis's collectives, if all of them used the slowest link.
double secondsApart(const AxisOrderProblem &problem, size_t axis);

/// Bytes that a device sends in the axis's collectives, and how many they are.
struct AxisLoad {
  double bytes = 0;
  uint64_t collectives = 0;
};
AxisLoad loadOf(const AxisOrderProblem &problem, size_t axis);

/// The order of least time; of equals the one in which what takes longer on the
/// slowest link lies further inside, then the mesh's own. Up to 7 axes all
/// orders are looked at; more are ordered by what they take.
AxisOrder chooseOrder(const AxisOrderProblem &problem);

/// One line on why `axis` lies where it does in an order that chooseOrder gave.
std::string whyThere(const AxisOrderProblem &problem, const AxisOrder &chosen,
                     size_t axis);

/// One line on the link that `axis` uses.
std::string whyLevel(const AxisOrderProblem &problem, const AxisOrder &chosen,
                     size_t axis);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_AXISORDER_H
