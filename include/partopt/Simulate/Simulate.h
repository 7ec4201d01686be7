//===- Simulate.h - How long a step of a plan takes -----------------------===//
//
// A discrete-event simulation of one rank of each class: its instructions one
// after the other, its collectives on their streams, their messages on links
// that streams share. All ranks of a class are alike and begin together, so one
// stands for all; classes meet in their messages.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_SIMULATE_H
#define PARTOPT_SIMULATE_SIMULATE_H

#include "partopt/Simulate/Machine.h"
#include "partopt/Simulate/Timeline.h"

#include <vector>

namespace partopt::simulate {

/// One CollectiveStart; times are seconds from the step's begin, in a loop
/// those of the first iteration.
struct CollectiveTime {
  uint32_t instruction = 0;
  double start = 0;   ///< its first message is sent
  double end = 0;     ///< its last one has arrived
  double exposed = 0; ///< of all iterations: the device waits for it
};

struct Prediction {
  double step = 0;
  double compute = 0; ///< kernels, products and copies
  double exposed = 0; ///< communication for which the device waits
  std::vector<CollectiveTime> collectives; ///< in the program's order
};

/// Predicts a step of `program` by itself, which is verified: what it receives
/// is there. Iterations of a loop are alike, since no collective is in flight
/// across its bounds, and are simulated once.
Prediction simulateProgram(const plan::PlanT &plan,
                           const plan::ProgramT &program,
                           const Machine &machine);

/// Predicts a step of an entry, by class: programs that send to each other wait
/// for what they receive. Turns of interleaved loops are simulated one by one.
/// A message takes its sender's link and arrives a latency later; it holds up
/// neither rank. `timelines`, where given, becomes one of each class.
std::vector<Prediction>
simulateEntry(const plan::PlanT &plan, size_t entry, const Machine &machine,
              std::vector<Timeline> *timelines = nullptr);

/// From start to end, alone on its link.
double collectiveSeconds(const plan::CollectiveStartT &collective, uint64_t n,
                         const Machine &machine);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_SIMULATE_H
