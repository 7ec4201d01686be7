//===- CutChain.h - A chain of work cut into balanced stages ----*- C++ -*-===//
//
// Elements one behind the other, each with a time, and between two of them what
// it costs to cut there. Problem, algorithm and proof.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SEARCH_CUTCHAIN_H
#define PARTOPT_SEARCH_CUTCHAIN_H

#include <cstdint>
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

  /// Empty, or what is wrong: sizes that differ, negative numbers, no stage, or
  /// more stages than elements.
  std::string check() const;
};

/// The first element of every stage but the first, ascending: the longest stage
/// is within `slack` of the shortest that is possible (and a thousandth, to
/// which that is found), and among such cuts the least crosses in all. What
/// crosses occupies no stage. check() must be empty. Deterministic, and linear
/// in elements times stages.
std::vector<int64_t> cutChain(const CutChainProblem &problem);

/// The longest stage of such a cut.
double longestStage(const CutChainProblem &problem,
                    const std::vector<int64_t> &cuts);

/// Empty, or why `cuts` is no answer: a wrong number, an empty stage, or a
/// longest stage beyond what a cut into equal numbers of elements has.
std::string verifyCutChain(const CutChainProblem &problem,
                           const std::vector<int64_t> &cuts);

} // namespace partopt

#endif // PARTOPT_SEARCH_CUTCHAIN_H
