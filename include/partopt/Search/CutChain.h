//===- CutChain.h - A chain of work cut into balanced stages ----*- C++ -*-===//
//
// Elements one behind the other, each with a time, and between two of them what
// it costs to cut there. Problem, algorithm and proof.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SEARCH_CUTCHAIN_H
#define PARTOPT_SEARCH_CUTCHAIN_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partopt {

struct CutChainProblem {
  /// Seconds of each element, at least 0.
  std::vector<double> times;
  /// Seconds of what crosses in front of element i; entry 0 is not read.
  std::vector<double> crossings;
  int64_t stages = 1;
  /// How much longer than the best longest stage the longest may be, where that
  /// sends less.
  double slack = 0.05;

  /// Bytes that every stage has which has one of these elements.
  struct Held {
    int64_t bytes = 0;
    std::vector<int64_t> elements; ///< ascending, each once
  };
  std::vector<Held> held = {};
  /// Bytes that an element leaves for later, of each microbatch; empty: none.
  std::vector<int64_t> left = {};
  /// By stage: microbatches whose leavings it keeps; empty: 1 each.
  std::vector<int64_t> kept = {};
  /// What a stage may hold and keep in all, bytes; absent: any number.
  std::optional<int64_t> memory = std::nullopt;

  /// Empty, or what is wrong: sizes that differ, negative numbers, no stage,
  /// more stages than elements, or elements of what is held that there are not.
  std::string check() const;

private:
  std::string checkMemory() const;
};

/// The first element of every stage but the first, ascending. Of cuts whose
/// stages keep within `memory`, or within leastMemory where none does: the
/// longest stage is within `slack` of the shortest that is possible (and a
/// thousandth, to which that is found), and among such cuts the least crosses
/// in all. What crosses occupies no stage. check() must be empty.
/// Deterministic, and linear in elements, and those of what is held, times
/// stages.
std::vector<int64_t> cutChain(const CutChainProblem &problem);

/// Bytes of the fullest stage, at least: no cut does with less.
int64_t leastMemory(const CutChainProblem &problem);

/// Bytes that each stage of such a cut holds and keeps.
std::vector<int64_t> stageMemory(const CutChainProblem &problem,
                                 const std::vector<int64_t> &cuts);

/// The longest stage of such a cut.
double longestStage(const CutChainProblem &problem,
                    const std::vector<int64_t> &cuts);

/// Empty, or why `cuts` is no answer: a wrong number, an empty stage, a
/// stage that needs more memory than is there or leastMemory, or a longest
/// stage beyond what a cut into equal numbers of elements has, where that has
/// the memory.
std::string verifyCutChain(const CutChainProblem &problem,
                           const std::vector<int64_t> &cuts);

} // namespace partopt

#endif // PARTOPT_SEARCH_CUTCHAIN_H
