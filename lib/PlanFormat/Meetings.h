//===- Meetings.h - Which classes share groups ----------------------------===//
//
// Devices are visited once per list of axes, to find who meets whom.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLANFORMAT_MEETINGS_H
#define PARTOPT_LIB_PLANFORMAT_MEETINGS_H

#include "ProgramView.h"

#include "partopt/Plan/Peers.h"

#include <set>
#include <utility>

namespace partopt::plan {

class Meetings {
public:
  /// Classes are numbered as in the plan.
  explicit Meetings(const PlanT &plan) : plan(plan), mesh(plan) {}

  /// Pairs a < b of classes with members in one group over the axes.
  const std::set<std::pair<size_t, size_t>> &pairs(const AxisList &axes);

  /// Those that the class meets over the axes, directly or through others, and
  /// itself.
  const std::set<size_t> &with(size_t classIndex, const AxisList &axes);

private:
  const PlanT &plan;
  MeshMath mesh;
  std::map<AxisKey, std::set<std::pair<size_t, size_t>>> pairsOf;
  std::map<std::pair<size_t, AxisKey>, std::set<size_t>> met;
};

} // namespace partopt::plan

#endif // PARTOPT_LIB_PLANFORMAT_MEETINGS_H
