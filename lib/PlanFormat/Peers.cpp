//===- Peers.cpp - Who sends to whom, by class ----------------------------===//
//
// See Peers.h. Devices are visited once per class, axes and peer.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/Peers.h"

namespace partopt::plan {

AxisKey keyOf(const AxisList &axes) {
  AxisKey key;
  for (const AxisRef &ref : axes)
    key.emplace_back(ref.axis(), ref.pre_size(), ref.size());
  return key;
}

Peer Peers::find(size_t classIndex, const CollectiveStartT &op) const {
  Peer peer;
  bool isFirst = true;
  for (uint32_t rank = 0; rank < plan.devices; ++rank) {
    if (plan.rank_class[rank] != classIndex)
      continue;
    uint64_t own = mesh.groupIndex(rank, op.axes);
    size_t other = plan.rank_class[mesh.groupMembers(rank, op.axes)[op.root]];
    if (own == op.root)
      peer.problem = "its peer " + std::to_string(op.root) +
                     " in groups over " + mesh.axesText(op.axes) + " is rank " +
                     std::to_string(rank) + " itself";
    else if (!isFirst && own != peer.ownIndex)
      peer.problem =
          "the class's ranks have the places " + std::to_string(peer.ownIndex) +
          " and " + std::to_string(own) + " in groups over " +
          mesh.axesText(op.axes) + ", a message needs one place for all";
    else if (!isFirst && other != peer.classIndex)
      peer.problem = "its peers over " + mesh.axesText(op.axes) +
                     " are of the classes '" +
                     plan.classes[peer.classIndex]->name + "' and '" +
                     plan.classes[other]->name + "'";
    if (!peer.problem.empty())
      return peer;
    peer.ownIndex = own;
    peer.classIndex = other;
    isFirst = false;
  }
  if (isFirst)
    peer.problem = "no rank is of its class";
  return peer;
}

const Peer &Peers::of(size_t classIndex, const CollectiveStartT &op) {
  auto key = std::make_tuple(classIndex, keyOf(op.axes), op.root);
  auto known = found.find(key);
  if (known == found.end())
    known = found.emplace(key, find(classIndex, op)).first;
  return known->second;
}

Channel Peers::channel(size_t classIndex, const CollectiveStartT &op) {
  size_t other = of(classIndex, op).classIndex;
  return op.kind == CollectiveKind::Send ? Channel{classIndex, other, op.id}
                                         : Channel{other, classIndex, op.id};
}

} // namespace partopt::plan
