//===- CommunicationTable.cpp - What is sent over which link --------------===//
//
// By ranks, axes and kind: how often, how many bytes, and how long that takes.
//
//===----------------------------------------------------------------------===//

#include "Html.h"
#include "Page.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/PlanText.h"

#include <cmath>
#include <cstdio>
#include <map>

namespace partopt::report {

namespace {

struct Traffic {
  std::string link;
  uint64_t runs = 0, payload = 0;
  double wire = 0, seconds = 0, exposed = 0;

  void add(const Traffic &other) {
    runs += other.runs;
    payload += other.payload;
    wire += other.wire;
    seconds += other.seconds;
    exposed += other.exposed;
  }
};

} // namespace

/// The link that messages over `axes` take: its axis, its level of the cluster,
/// its latency and bandwidth.
static std::string linkText(const Page &page, const plan::AxisList &axes) {
  int axis = simulate::slowestAxis(page.machine.links, axes);
  if (axis < 0)
    return "memory of this machine";
  const std::string &name = page.plan.mesh[axis]->name;
  const simulate::LinkSpeed &link = page.machine.links[axis];
  std::string text = name;
  if (page.plan.mapping)
    for (const auto &mapped : page.plan.mapping->axes)
      if (mapped->axis == axis && !mapped->level.empty())
        text += ", " + mapped->level;
  if (!std::isfinite(link.bytesPerSecond))
    return text + ": instant";
  char rate[40];
  std::snprintf(rate, sizeof(rate), ", %g GB/s", link.bytesPerSecond / 1e9);
  return text + ": " + plan::secondsText(link.latency) + rate;
}

static Traffic trafficOf(const Page &page, const plan::CollectiveStartT &op,
                         double exposed) {
  uint64_t n = page.mesh.groupSize(op.axes);
  Traffic one;
  one.link = linkText(page, op.axes);
  one.runs = op.trip_count;
  one.payload = op.trip_count * plan::payloadBytes(op, n);
  one.wire = op.trip_count * plan::formulaWireBytes(op, n);
  one.seconds =
      op.trip_count * simulate::collectiveSeconds(op, n, page.machine);
  one.exposed = exposed;
  return one;
}

static void addRow(const std::string &ranks, const std::string &axes,
                   const std::string &kind, const Traffic &one,
                   HtmlTable &table) {
  table.add({ranks, axes, one.link, kind, std::to_string(one.runs),
             std::to_string(one.payload),
             std::to_string(std::llround(one.wire)),
             plan::secondsText(one.seconds), plan::secondsText(one.exposed)});
}

/// How the mesh lies on the cluster, and why.
static std::string mapping(const Page &page) {
  if (!page.plan.mapping)
    return "";
  HtmlTable table({"axis", "size", "bytes per step", "level", "why"}, {1, 2});
  for (const auto &axis : page.plan.mapping->axes)
    table.add({page.plan.mesh[axis->axis]->name,
               std::to_string(page.plan.mesh[axis->axis]->size),
               std::to_string(axis->bytes), axis->level, axis->why});
  return "<h3>axes on cluster " + escaped(page.plan.mapping->cluster) +
         ", outermost first</h3>\n" + table.text();
}

std::string communication(const Page &page) {
  HtmlTable table({"ranks", "axes", "link", "kind", "per step", "payload bytes",
                   "bytes sent", "time alone", "waited for"},
                  {4, 5, 6, 7, 8});
  bool isSilent = true;
  for (size_t i = 0; i < page.plan.classes.size(); ++i) {
    const plan::ProgramT &program = page.program(i);
    std::map<std::pair<std::string, std::string>, Traffic> byKind;
    Traffic all;
    for (const simulate::CollectiveTime &time :
         page.predictions[i].collectives) {
      const auto &op =
          *program.instructions[time.instruction]->op.AsCollectiveStart();
      Traffic one = trafficOf(page, op, time.exposed);
      Traffic &sum =
          byKind[{page.mesh.axesText(op.axes), plan::collectiveName(op.kind)}];
      sum.link = one.link;
      sum.add(one);
      all.add(one);
    }
    for (const auto &[key, sum] : byKind)
      addRow(page.ranks(i), key.first, key.second, sum, table);
    isSilent &= byKind.empty();
    if (!byKind.empty())
      addRow(page.ranks(i), "", "all", all, table);
  }
  return "<p>Per device and step. Time alone is what the messages take on "
         "their "
         "links; waited for is what nothing hides.</p>\n" +
         (isSilent ? "<p>none: nothing is sent</p>\n" : table.text()) +
         mapping(page);
}

} // namespace partopt::report
