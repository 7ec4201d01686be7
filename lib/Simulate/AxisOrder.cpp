//===- AxisOrder.cpp - Which mesh axis lies on which level of a cluster ---===//
//
// A collective takes its time on the slowest level that one of its axes uses,
// whichever order that follows from: times per level are computed once, and an
// order only looks them up.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/AxisOrder.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Simulate/Quantities.h"
#include "partopt/Simulate/Simulate.h"

#include <algorithm>
#include <numeric>

namespace partopt::simulate {

static constexpr size_t mostSearched = 7;

std::string AxisOrderProblem::check() const {
  uint64_t places = 1;
  for (uint64_t size : sizes)
    places *= size;
  return cluster.checkSize(places);
}

std::string parseOrder(const std::string &text,
                       const std::vector<std::string> &names,
                       std::vector<size_t> &order) {
  std::string all;
  for (const std::string &name : names)
    all += (all.empty() ? "" : ",") + name;
  const std::string form =
      "; write every axis of the mesh once, outermost first, e.g. " + all;
  order.clear();
  for (const std::string &part : splitText(text, ',')) {
    auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end())
      return "the mesh has no axis '" + part + "'" + form;
    size_t axis = static_cast<size_t>(found - names.begin());
    if (std::find(order.begin(), order.end(), axis) != order.end())
      return "axis '" + part + "' is named twice" + form;
    order.push_back(axis);
  }
  for (size_t axis = 0; axis < names.size(); ++axis)
    if (std::find(order.begin(), order.end(), axis) == order.end())
      return "axis '" + names[axis] + "' is not named" + form;
  return "";
}

static bool isSlower(const LinkSpeed &a, const LinkSpeed &b) {
  return a.bytesPerSecond != b.bytesPerSecond
             ? a.bytesPerSecond < b.bytesPerSecond
             : a.latency > b.latency;
}

/// All of the traffic's collectives on one level's link.
static double secondsOn(const AxisTraffic &traffic, const LinkSpeed &link) {
  Machine machine;
  machine.links = {link};
  plan::CollectiveStartT one = traffic.collective;
  one.axes = {plan::AxisRef(0, 1, 1)};
  return static_cast<double>(traffic.times) *
         collectiveSeconds(one, traffic.groupSize, machine);
}

namespace {
/// Seconds of each traffic on each level.
class Times {
public:
  explicit Times(const AxisOrderProblem &problem) : problem(problem) {
    for (const AxisTraffic &traffic : problem.traffic) {
      seconds.emplace_back();
      for (const ClusterLevel &level : problem.cluster.levels)
        seconds.back().push_back(secondsOn(traffic, level.link));
    }
  }

  AxisOrder evaluate(std::vector<size_t> order) const;

private:
  const AxisOrderProblem &problem;
  std::vector<std::vector<double>> seconds;
};
} // namespace

AxisOrder Times::evaluate(std::vector<size_t> order) const {
  const Cluster &cluster = problem.cluster;
  AxisOrder result;
  result.order = std::move(order);
  result.levels = cluster.levelsInOrder(problem.sizes, result.order);
  for (size_t i = 0; i < seconds.size() && cluster.hasLinks(); ++i) {
    size_t slowest = 0;
    bool isFirst = true;
    for (size_t axis : problem.traffic[i].axes) {
      size_t level = result.levels[axis];
      if (isFirst ||
          isSlower(cluster.levels[level].link, cluster.levels[slowest].link))
        slowest = level;
      isFirst = false;
    }
    result.seconds += seconds[i][slowest];
  }
  return result;
}

AxisOrder evaluateOrder(const AxisOrderProblem &problem,
                        std::vector<size_t> order) {
  return Times(problem).evaluate(std::move(order));
}

double secondsApart(const AxisOrderProblem &problem, size_t axis) {
  const auto &levels = problem.cluster.levels;
  auto slowest = std::max_element(
      levels.begin(), levels.end(),
      [](const auto &a, const auto &b) { return isSlower(b.link, a.link); });
  double sum = 0;
  for (const AxisTraffic &traffic : problem.traffic)
    if (slowest != levels.end() &&
        std::find(traffic.axes.begin(), traffic.axes.end(), axis) !=
            traffic.axes.end())
      sum += secondsOn(traffic, slowest->link);
  return sum;
}

AxisLoad loadOf(const AxisOrderProblem &problem, size_t axis) {
  AxisLoad load;
  for (const AxisTraffic &traffic : problem.traffic)
    if (std::find(traffic.axes.begin(), traffic.axes.end(), axis) !=
        traffic.axes.end()) {
      load.bytes +=
          static_cast<double>(traffic.times) *
          plan::formulaWireBytes(traffic.collective, traffic.groupSize);
      load.collectives += traffic.times;
    }
  return load;
}

AxisOrder chooseOrder(const AxisOrderProblem &problem) {
  Times times(problem);
  std::vector<double> apart;
  for (size_t axis = 0; axis < problem.sizes.size(); ++axis)
    apart.push_back(secondsApart(problem, axis));
  // What takes longest comes last, which is innermost.
  std::vector<size_t> byTime(problem.sizes.size());
  std::iota(byTime.begin(), byTime.end(), 0);
  std::sort(byTime.begin(), byTime.end(), [&](size_t a, size_t b) {
    return apart[a] != apart[b] ? apart[a] < apart[b] : a < b;
  });
  AxisOrder best = times.evaluate(byTime);
  if (byTime.size() > mostSearched)
    return best;
  std::vector<size_t> places(byTime.size());
  std::iota(places.begin(), places.end(), 0);
  while (std::next_permutation(places.begin(), places.end())) {
    std::vector<size_t> order;
    for (size_t place : places)
      order.push_back(byTime[place]);
    AxisOrder one = times.evaluate(std::move(order));
    // Sums of the same numbers may differ by rounding.
    if (one.seconds < best.seconds * (1 - 1e-9))
      best = std::move(one);
  }
  return best;
}

std::string whyThere(const AxisOrderProblem &problem, const AxisOrder &chosen,
                     size_t axis) {
  double own = secondsApart(problem, axis);
  size_t place = static_cast<size_t>(
      std::find(chosen.order.begin(), chosen.order.end(), axis) -
      chosen.order.begin());
  if (own == 0)
    return "sends nothing, so it may lie outermost";
  std::string took = "takes " + plan::secondsText(own) + " on the slowest link";
  if (place + 1 == chosen.order.size())
    return took + (chosen.order.size() > 1 ? ", so it lies innermost" : "");
  size_t inner = chosen.order[place + 1];
  double other = secondsApart(problem, inner);
  std::string against =
      "'" + problem.names[inner] + "' (" + plan::secondsText(other) + ")";
  if (own <= other)
    return took + ", no more than " + against + ", so it lies outside of it";
  return took + ", more than " + against +
         ", but all axes together take least in this order";
}

std::string whyLevel(const AxisOrderProblem &problem, const AxisOrder &chosen,
                     size_t axis) {
  const auto &levels = problem.cluster.levels;
  if (levels.empty())
    return "ranks are threads of one machine";
  size_t level = chosen.levels[axis];
  if (problem.sizes[axis] == 1)
    return "one device, no link";
  if (level == 0)
    return "stays within one " + levels[0].name + " of " +
           std::to_string(levels[0].devices);
  uint64_t inside = 1;
  for (size_t i = chosen.order.size(); i-- > 0 && chosen.order[i] != axis;)
    inside *= problem.sizes[chosen.order[i]];
  const ClusterLevel &inner = levels[level - 1];
  std::string unit =
      "one " + inner.name + " of " + std::to_string(inner.devices);
  if (inside == 1)
    return std::to_string(problem.sizes[axis]) + " devices do not fit into " +
           unit;
  return "with the " + std::to_string(inside) +
         " devices of the axes inside of it, it does not fit into " + unit;
}

} // namespace partopt::simulate
