//===- ExplainMapping.cpp - Where the mesh lies on a cluster --------------===//
//
// The table of `explain --section mapping`, read from the plan alone.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/ExplainPlan.h"

#include "partopt/Plan/TextTable.h"

#include <cstdio>

namespace partopt::plan {

std::string secondsText(double seconds) {
  struct {
    double scale;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
  for (const auto &unit : units)
    if (seconds >= unit.scale || unit.scale == 0) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.3g %s",
                    seconds / (unit.scale == 0 ? 1e-9 : unit.scale), unit.name);
      return text;
    }
  return "";
}

/// "data, model"
template <typename List>
static std::string axisNames(const PlanT &plan, const List &axes) {
  std::string names;
  for (uint16_t axis : axes)
    names += (names.empty() ? "" : ",") + plan.mesh[axis]->name;
  return names;
}

std::string mappingTable(const PlanT &plan) {
  const MappingT &mapping = *plan.mapping;
  Table table({"axis", "size", "bytes", "collectives", "level", "latency",
               "bandwidth", "why"},
              {1, 2, 3, 5, 6});
  std::vector<uint16_t> order;
  for (const auto &axis : mapping.axes) {
    char rate[32] = "";
    if (!axis->level.empty())
      std::snprintf(rate, sizeof(rate), "%g GB/s",
                    axis->bytes_per_second / 1e9);
    order.push_back(axis->axis);
    table.add({plan.mesh[axis->axis]->name,
               std::to_string(plan.mesh[axis->axis]->size),
               std::to_string(axis->bytes), std::to_string(axis->collectives),
               axis->level,
               axis->level.empty() ? "" : secondsText(axis->latency), rate,
               axis->why});
  }
  std::string text = table.text() + "  order " + axisNames(plan, order) +
                     ": predicted step " + secondsText(mapping.predicted) +
                     "\n";
  if (!mapping.other.empty() && mapping.other_predicted > 0)
    text += "  order " + axisNames(plan, mapping.other) + " (" +
            (mapping.order_by == "hand" ? "what --cluster would take"
                                        : "the mesh's own") +
            "): predicted step " + secondsText(mapping.other_predicted) + "\n";
  return text;
}

} // namespace partopt::plan
