//===- Dependences.h - What an action waits for ---------------------------===//
//
// The one statement of the chain's data flow, and the walk along all orders at
// once that the proof and the simulator share.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINESCHEDULE_DEPENDENCES_H
#define PARTOPT_LIB_PIPELINESCHEDULE_DEPENDENCES_H

#include "partopt/PipelineSchedule/Problem.h"
#include "partopt/PipelineSchedule/Schedule.h"
#include "partopt/PipelineSchedule/SimulateSchedule.h"

namespace partopt::pipeline {

/// What an action leaves behind. A full backward leaves both gradients.
enum class ResultKind : unsigned char { Activation, InputGrad, WeightGrad };

struct Result {
  ResultKind kind;
  int stage, microbatch;
};

/// Up to two.
struct Inputs {
  Result results[2];
  int count = 0;
  void add(ResultKind kind, int stage, int microbatch) {
    results[count++] = {kind, stage, microbatch};
  }
};

/// F(s) needs F(s-1); a gradient needs the next stage's, and its own forward; W
/// needs its I.
Inputs inputsOf(const Problem &problem, const Action &action);

/// The action that a name of the result stands for in messages.
std::string resultText(const Result &result);

double durationOf(const Problem &problem, const Action &action);
double durationOf(const Problem &problem, const Step &step);

/// The most chunks that a rank keeps along its order.
int peakOf(const Problem &problem, const std::vector<Step> &order);

/// All orders executed as far as they can be.
class OrderWalk {
public:
  OrderWalk(const Problem &problem, const Schedule &schedule);

  void run();

  /// Steps of `rank` that ran; all of them unless ranks wait for each other.
  size_t position(int rank) const { return times[rank].size(); }
  bool isComplete() const;
  bool has(const Result &result) const { return ends[slot(result)] >= 0; }
  /// The input for which the rank's next step waits; there is one if it has not
  /// come to its end.
  Result missing(int rank) const;
  std::vector<std::vector<StepTime>> takeTimes() { return std::move(times); }

private:
  size_t slot(const Result &result) const;
  /// When all inputs of `action` are there, or -1.
  double readyTime(const Action &action, int rank) const;
  void finish(const Action &action, double end);
  void advance(int rank);

  const Problem &problem;
  const Schedule &schedule;
  std::vector<double> ends; ///< by slot; -1: not yet
  std::vector<std::vector<StepTime>> times;
  std::vector<int> runnable; ///< ranks whose next step may have become ready
};

} // namespace partopt::pipeline

#endif // PARTOPT_LIB_PIPELINESCHEDULE_DEPENDENCES_H
