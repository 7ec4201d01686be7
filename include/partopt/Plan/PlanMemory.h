//===- PlanMemory.h - Offsets of buffers in the arena -----------*- C++ -*-===//
//
// Packs byte ranges with known lifetimes into one arena. A problem, a pure
// solver and an independent proof: the solver is never trusted.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PLANMEMORY_H
#define PARTOPT_PLAN_PLANMEMORY_H

#include <cstdint>
#include <string>
#include <vector>

namespace partopt {

/// `bytes` of memory that are in use in the instructions [first, last], both
/// inclusive.
struct MemoryInterval {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
};

struct MemoryProblem {
  std::vector<MemoryInterval> intervals;
  int64_t alignment = 64; ///< of every offset, in bytes

  /// Empty, or the first interval that is malformed and why.
  std::string check() const;

  /// No arena can be smaller: the most bytes in use at one instruction, every
  /// interval rounded up to the alignment.
  int64_t lowerBound() const;
};

struct MemorySolution {
  std::vector<int64_t> offsets; ///< one per interval
  int64_t bytes = 0;            ///< the arena's size, a multiple of alignment
};

/// Solves `problem`, whose check() must be empty. O(n log n) for n intervals;
/// problems of up to `kExactGapLimit` intervals also try a quadratic placement
/// that fills gaps. The best answer is returned; the same problem always gives
/// the same answer.
MemorySolution planMemory(const MemoryProblem &problem);
inline constexpr size_t kExactGapLimit = 4096;

/// Empty, or why `solution` is wrong: a misaligned or negative offset, two
/// overlapping intervals, an arena that is too small.
std::string verifyMemory(const MemoryProblem &problem,
                         const MemorySolution &solution);

} // namespace partopt

#endif // PARTOPT_PLAN_PLANMEMORY_H
