//===- Peers.h - Who sends to whom, by class ------------------------------===//
//
// Ranks of one class run one program, so the peers of a Send are of one class
// too: a channel joins two classes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PEERS_H
#define PARTOPT_PLAN_PEERS_H

#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace partopt::plan {

/// A list of axes, as a key.
using AxisKey = std::vector<std::tuple<uint16_t, uint32_t, uint32_t>>;
AxisKey keyOf(const AxisList &axes);

/// Whether it is one end of a channel.
inline bool isMessage(const CollectiveStartT &op) {
  return op.kind == CollectiveKind::Send || op.kind == CollectiveKind::Recv;
}

/// What a message goes through: from class to class, and which one it is.
struct Channel {
  size_t from = 0, to = 0;
  uint32_t id = 0;
};
inline bool operator<(const Channel &a, const Channel &b) {
  return std::tie(a.from, a.to, a.id) < std::tie(b.from, b.to, b.id);
}

/// The member `root` of a class's groups.
struct Peer {
  size_t classIndex = 0; ///< of all the peers
  uint64_t ownIndex = 0; ///< of all the class's ranks in their groups
  std::string problem;   ///< empty, or why these are not one each
};

class Peers {
public:
  /// Classes are numbered as in the plan.
  explicit Peers(const PlanT &plan) : plan(plan), mesh(plan) {}

  /// The peer of a Send or a Recv of the class; its axes are good.
  const Peer &of(size_t classIndex, const CollectiveStartT &op);

  /// The channel of a Send or a Recv of the class, whose peer has no problem.
  Channel channel(size_t classIndex, const CollectiveStartT &op);

private:
  Peer find(size_t classIndex, const CollectiveStartT &op) const;

  const PlanT &plan;
  MeshMath mesh;
  std::map<std::tuple<size_t, AxisKey, uint32_t>, Peer> found;
};

} // namespace partopt::plan

#endif // PARTOPT_PLAN_PEERS_H
