//===- LinkModel.cpp - Latency and bandwidth per mesh axis ----------------===//
//
// See LinkModel.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/LinkModel.h"

#include "partopt/Simulate/Quantities.h"

#include <algorithm>

namespace partopt::simulate {

std::string LinkModel::add(const std::string &text) {
  const std::string form = "write AXIS=LATENCY,BANDWIDTH, e.g. "
                           "data=50us,1GB/s (* for every axis)";
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return "'" + text + "' names no axis; " + form;
  std::string axis = text.substr(0, equals);
  std::vector<std::string> parts = splitText(text.substr(equals + 1), ',');
  if (parts.size() != 2)
    return "'" + text + "' is no latency and bandwidth; " + form;
  std::optional<double> latency = parseTime(parts[0]);
  if (!latency)
    return "'" + parts[0] + "' is no latency (units s, ms, us, ns); " + form;
  std::optional<double> bandwidth = parseByteRate(parts[1]);
  if (!bandwidth)
    return "'" + parts[1] +
           "' is no bandwidth (units B/s, KB/s, MB/s, GB/s, TB/s); " + form;
  if (!byName.insert({axis, {*latency, *bandwidth}}).second)
    return "axis '" + axis + "' is given twice";
  return "";
}

LinkSpeed LinkModel::over(const std::string &name) const {
  auto found = byName.find(name);
  if (found == byName.end())
    found = byName.find("*");
  if (found != byName.end())
    return found->second;
  found = defaults.find(name);
  return found == defaults.end() ? LinkSpeed() : found->second;
}

std::string LinkModel::resolve(const plan::PlanT &plan,
                               std::vector<LinkSpeed> &links) const {
  links.clear();
  if (empty())
    return "";
  words::Words names;
  for (const auto &axis : plan.mesh) {
    bool isSpace = axis->kind == plan::AxisKind::Space;
    links.push_back(isSpace ? over(axis->name) : LinkSpeed());
    if (isSpace)
      names.push_back(axis->name);
  }
  return checkAxes(names);
}

std::string LinkModel::checkAxes(const words::Words &axes) const {
  std::string names;
  for (std::string_view axis : axes)
    names += (names.empty() ? "" : ", ") + std::string(axis);
  for (const auto &entry : byName) {
    const std::string &name = entry.first;
    if (name != "*" && std::count(axes.begin(), axes.end(), name) == 0)
      return "the mesh has no axis '" + name +
             "', only: " + (names.empty() ? "none" : names) +
             words::didYouMean(name, axes);
  }
  return "";
}

int slowestAxis(const std::vector<LinkSpeed> &links,
                const plan::AxisList &axes) {
  int slowest = -1;
  for (const plan::AxisRef &ref : axes) {
    if (ref.axis() >= links.size())
      continue;
    const LinkSpeed &link = links[ref.axis()];
    bool isSlower = slowest < 0 ||
                    link.bytesPerSecond < links[slowest].bytesPerSecond ||
                    (link.bytesPerSecond == links[slowest].bytesPerSecond &&
                     link.latency > links[slowest].latency);
    if (isSlower)
      slowest = ref.axis();
  }
  return slowest;
}

} // namespace partopt::simulate
