//===- RankSimulation.h - A rank along its program ------------------------===//
//
// The rank's own clock runs along the program; collectives are flows of
// messages that are moved forward, in the order of time, up to where the rank
// is, or to the end of the one that it waits for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_SIMULATE_RANKSIMULATION_H
#define PARTOPT_LIB_SIMULATE_RANKSIMULATION_H

#include "partopt/Plan/Peers.h"
#include "partopt/Simulate/Messages.h"
#include "partopt/Simulate/Simulate.h"

#include <deque>
#include <map>
#include <unordered_map>

namespace partopt::simulate {

/// A collective on its stream.
struct Flow {
  size_t record = 0; ///< in Prediction::collectives
  std::vector<MessageRun> runs;
  size_t run = 0;    ///< the one that is being sent
  uint64_t sent = 0; ///< of its messages
  double ready = 0;  ///< when the next message can be sent
  double start = 0;  ///< when its first message was sent
  double end = 0;    ///< when its last one has arrived
  int link = -1;     ///< axis, or -1
  uint16_t stream = 0;
  uint32_t turn = plan::WalkStep::none; ///< in which it was started
  bool isMessage = false;               ///< a Send
  bool isDone = false, isSettled = false;
};

struct Arrival {
  double sent = 0, there = 0;
};

/// When messages arrive, by channel in the order of their sends.
using Arrivals = std::map<plan::Channel, std::vector<Arrival>>;

class RankSimulation {
public:
  /// Of the class with this index in `peers`' plan; without peers, what it
  /// receives is there. Fills `timeline`, unless it is null.
  RankSimulation(const plan::PlanT &plan, const plan::ProgramT &program,
                 const Machine &machine, plan::Peers *peers, size_t classIndex,
                 Timeline *timeline);

  /// Goes on to the end, or to a message that is not sent yet; true when it
  /// moved.
  bool run(Arrivals &arrivals);
  Prediction take() { return std::move(result); }

private:
  bool isThere(const plan::CollectiveStartT &op, const Arrivals &arrivals);
  void receive(size_t index, const plan::CollectiveStartT &op,
               Arrivals &arrivals);
  void send(size_t index, const plan::CollectiveStartT &op, Arrivals &arrivals);
  void instruction(size_t index, Arrivals &arrivals);
  size_t after(size_t index);
  void compute(const Work &work);
  size_t launchFlow(uint32_t record);
  void start(size_t index, const plan::CollectiveStartT &op);
  void wait(size_t flow);
  void beginLoop();
  void endLoop(size_t begin, size_t end);
  size_t turnBegin() const;
  void enterTurns();
  /// The turn that runs, or none.
  uint32_t currentTurn() const;
  /// The rank was at the instruction since `begin`.
  void note(size_t index, double begin);

  /// Sends every message that can be sent before `until`, in order of time; or
  /// until `wanted` is done.
  void advance(double until);
  void advanceTo(const Flow &wanted);
  std::deque<size_t> *nextStream();
  void step(std::deque<size_t> &stream, double until);
  void sendMessages(Flow &flow, double until, bool isAlone);
  void finish(Flow &flow);
  void record(const Flow &flow);
  bool isAlone(const Flow &flow) const;

  plan::MeshMath mesh;
  const plan::ProgramT &program;
  const Machine &machine;
  Prediction result;
  double now = 0;
  std::deque<Flow> flows;                  // stable addresses
  std::vector<std::deque<size_t>> streams; // flows, the first one runs
  std::vector<size_t> eventFlow;           // by event: flow, or record (Late)
  std::vector<bool> isRecorded;            // by record
  std::vector<uint32_t> eventStart; // by event: the instruction that uses it
  std::unordered_map<size_t, uint32_t> recordAt; // by instruction
  plan::Peers *peers;
  size_t classIndex;
  Timeline *timeline;
  std::map<plan::Channel, size_t> taken; // messages that were received
  size_t at = 0;                         // the instruction to be simulated
  size_t turn = 0;                       // of interleaved loops
  bool hasEntered = false;               // these loops
  bool isOver = false;                   // the program
  std::vector<bool> boundsTurns; // by instruction: a bound of such a loop
  std::unordered_map<uint32_t, size_t> loopAt; // by id: where it begins
  std::vector<double> linkFree;                // by axis
  /// What there was when a loop began.
  struct OpenLoop {
    double time, compute, exposed;
  };
  std::vector<OpenLoop> loops; ///< the innermost last
};

} // namespace partopt::simulate

#endif // PARTOPT_LIB_SIMULATE_RANKSIMULATION_H
