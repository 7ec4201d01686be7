//===- PlanText.cpp - What things of a plan are called --------------------===//
//
// See PlanText.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/PlanText.h"

#include "partopt/Plan/CollectiveBytes.h"

#include <cstdio>
#include <iterator>

namespace partopt::plan {

const char *roleName(Role role) {
  static const char *const names[] = {"unknown", "param", "opt",   "state",
                                      "batch",   "rng",   "scalar"};
  return size_t(role) < std::size(names) ? names[size_t(role)] : names[0];
}

const char *phaseName(Phase phase) {
  static const char *const names[] = {"unspecified", "forward", "backward",
                                      "update"};
  return size_t(phase) < std::size(names) ? names[size_t(phase)] : names[0];
}

std::string locationText(const PlanT &plan, uint32_t loc) {
  return loc < plan.locations.size() ? plan.locations[loc] : "unknown";
}

std::string instructionName(const InstructionT &instruction) {
  if (!instruction.label.empty())
    return instruction.label;
  if (const auto *start = instruction.op.AsCollectiveStart())
    return collectiveName(start->kind);
  return EnumNameOp(instruction.op.type);
}

std::string collectiveText(const CollectiveStartT &start) {
  std::string text = collectiveName(start.kind);
  if (start.combiner != Combiner::None && start.combiner != Combiner::Sum)
    text += std::string(" ") + combinerName(start.combiner);
  if (start.trip_count > 1)
    text += " x" + std::to_string(start.trip_count);
  return text;
}

std::string meshText(const PlanT &plan) {
  std::string text;
  for (const auto &axis : plan.mesh)
    if (axis->kind == AxisKind::Space)
      text += (text.empty() ? "" : ",") + axis->name + "=" +
              std::to_string(axis->size);
  return text.empty() ? "one device" : text;
}

std::vector<uint32_t> ranksOf(const PlanT &plan, size_t classIndex) {
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < plan.rank_class.size(); ++rank)
    if (plan.rank_class[rank] == classIndex)
      ranks.push_back(rank);
  return ranks;
}

std::string ranksText(const std::vector<uint32_t> &ranks) {
  if (ranks.size() == 1)
    return "rank " + std::to_string(ranks[0]);
  constexpr size_t shownRanges = 4;
  std::string text = "ranks ";
  size_t ranges = 0;
  for (size_t i = 0; i < ranks.size(); ++ranges) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    if (ranges == shownRanges)
      return text + ",… (" + std::to_string(ranks.size()) + ")";
    text += (ranges ? "," : "") + std::to_string(ranks[i]);
    if (last > i)
      text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string printable(const std::string &text) {
  std::string safe;
  for (unsigned char c : text) {
    char code[5] = {char(c)};
    if (c < 0x20 || c == 0x7F)
      std::snprintf(code, sizeof(code), "\\x%02X", unsigned(c));
    safe += code;
  }
  return safe;
}

} // namespace partopt::plan
