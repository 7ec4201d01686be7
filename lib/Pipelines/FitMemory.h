//===- FitMemory.h - Choices that a device's memory decides -----*- C++ -*-===//
//
// Options that are "auto" start with what costs least time and turn, one after
// the other, towards less memory until the plan fits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINES_FITMEMORY_H
#define PARTOPT_LIB_PIPELINES_FITMEMORY_H

#include "partopt/Pipelines/Compile.h"

#include <set>

namespace partopt {

/// What one turn of an option changes.
struct MemoryChoice {
  Phase actsIn;             ///< the phases before it do the same
  plan::MemoryClass spares; ///< of which the plan may need less
};

/// Turns the next choice that was left open towards less memory; none where
/// none is left.
std::optional<MemoryChoice> useLessMemory(CompileOptions &options);

/// The attempts to make one plan fit.
class MemorySearch {
public:
  explicit MemorySearch(const CompileOptions &asked) : asked(asked) {}

  /// The phases that a later attempt may start from.
  std::set<Phase> startingPhases() const;

  /// After an attempt with `options` whose plan does not fit: turns them until
  /// the plan may fit, and says which phase to start from; none where it
  /// cannot. What the classes of memory that no turn spares need alone is not
  /// tried.
  std::optional<Phase> next(CompileOptions &options,
                            const CompileOutcome &outcome);

  /// Says in the plan what was chosen and what the alternatives need, or in
  /// the problem what was tried.
  void report(const CompileOptions &options, CompileOutcome &outcome) const;

private:
  struct Attempt {
    CompileOptions options;
    uint64_t bytes;
    bool isBound; ///< at least so many
  };

  CompileOptions asked;
  std::vector<Attempt> attempts; ///< that do not fit
};

} // namespace partopt

#endif // PARTOPT_LIB_PIPELINES_FITMEMORY_H
