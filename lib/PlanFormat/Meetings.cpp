//===- Meetings.cpp - Which classes share groups --------------------------===//
//
// See Meetings.h.
//
//===----------------------------------------------------------------------===//

#include "Meetings.h"

namespace partopt::plan {

const std::set<std::pair<size_t, size_t>> &
Meetings::pairs(const AxisList &axes) {
  auto [found, isNew] = pairsOf.try_emplace(keyOf(axes));
  if (!isNew)
    return found->second;
  std::map<uint64_t, std::set<size_t>> classesOfGroup;
  for (uint32_t rank = 0; rank < plan.devices; ++rank)
    classesOfGroup[mesh.groupId(rank, axes)].insert(plan.rank_class[rank]);
  for (const auto &[group, classes] : classesOfGroup)
    for (size_t a : classes)
      for (size_t b : classes)
        if (a < b)
          found->second.insert({a, b});
  return found->second;
}

const std::set<size_t> &Meetings::with(size_t classIndex,
                                       const AxisList &axes) {
  auto [found, isNew] = met.try_emplace({classIndex, keyOf(axes)});
  std::set<size_t> &classes = found->second;
  if (!isNew)
    return classes;
  classes.insert(classIndex);
  for (size_t before = 0; before != classes.size();) {
    before = classes.size();
    for (const auto &[a, b] : pairs(axes))
      if (classes.count(a) || classes.count(b))
        classes.insert({a, b});
  }
  return classes;
}

} // namespace partopt::plan
