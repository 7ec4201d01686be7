//===- Simulate.cpp - How long a step of a plan takes ---------------------===//
//
// See Simulate.h: one rank by itself, or all classes along their messages.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Simulate.h"

#include "RankSimulation.h"

#include "partopt/Plan/Classes.h"

namespace partopt::simulate {

Prediction simulateProgram(const plan::PlanT &plan,
                           const plan::ProgramT &program,
                           const Machine &machine) {
  RankSimulation simulation(plan, program, machine, nullptr, 0, nullptr);
  Arrivals none;
  simulation.run(none);
  return simulation.take();
}

std::vector<Prediction> simulateEntry(const plan::PlanT &plan, size_t entry,
                                      const Machine &machine,
                                      std::vector<Timeline> *timelines) {
  plan::Peers peers(plan);
  if (timelines)
    timelines->assign(plan.classes.size(), {});
  std::deque<RankSimulation> classes;
  for (const auto &rankClass : plan.classes)
    classes.emplace_back(plan, *plan::programOf(*rankClass, entry), machine,
                         &peers, classes.size(),
                         timelines ? &(*timelines)[classes.size()] : nullptr);
  Arrivals arrivals;
  for (bool moved = true; moved;) {
    moved = false;
    for (RankSimulation &one : classes)
      moved |= one.run(arrivals);
  }
  std::vector<Prediction> predictions;
  for (RankSimulation &one : classes)
    predictions.push_back(one.take());
  return predictions;
}

double collectiveSeconds(const plan::CollectiveStartT &collective, uint64_t n,
                         const Machine &machine) {
  double seconds = 0;
  int axis = slowestAxis(machine.links, collective.axes);
  for (const MessageRun &run : messagesOf(collective, n)) {
    double each = machine.transportSeconds(run);
    if (axis >= 0)
      each += machine.links[axis].occupancy(run.bytes) +
              (run.isPipelined ? 0 : machine.links[axis].latency);
    seconds += static_cast<double>(run.count) * each;
  }
  return seconds;
}

} // namespace partopt::simulate
