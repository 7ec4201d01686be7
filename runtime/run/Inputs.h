//===- Inputs.h - Arguments from files or made up -------------------------===//
//
// Matches the arrays of a file with the arguments of an entry, and says clearly
// what is missing, extra, misshapen or mistyped and where the model declares
// it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_INPUTS_H
#define PARTOPT_RUNTIME_RUN_INPUTS_H

#include "runtime/io/Safetensors.h"

namespace partopt::rt {

/// "argument arg0 'w' of 2x3xf32 (at "f.py":3:1)"
std::string tensorText(const plan::PlanT &plan, const char *kind,
                       const plan::TensorT &tensor);

/// Checks that `entry` has the tensor's shape and type.
Status matchArray(const plan::PlanT &plan, const char *kind,
                  const plan::TensorT &tensor, const SafetensorsFile &file,
                  const ArrayEntry &entry);

/// By argument of `entry` the array of the file that it gets, or null. Fails
/// for an array that is no argument's or no result's that is one's next value,
/// is another array's double, or has another shape or type; with `perStep` also
/// for arguments that are kept from step to step. The plan may be one that has
/// its signature alone.
Status matchFile(const plan::PlanT &plan, size_t entry,
                 const SafetensorsFile &file, bool perStep,
                 std::vector<const ArrayEntry *> &arrays);

/// Fails when an argument was not given; `source` names what was read.
Status checkGiven(const plan::PlanT &plan, size_t entry,
                  const std::vector<bool> &given, const std::string &source);

/// The seed of "random:SEED", or -1 when `text` is not of that form. Fails when
/// the seed is not a number.
StatusOr<int64_t> randomSeed(const std::string &text);

/// Sets a session's arguments and keeps account of which were given.
class Inputs {
public:
  Inputs(Session &session, size_t entry)
      : session(session), entry(entry), arguments(session.arguments(entry)),
        given(arguments.size()) {}

  /// Sets what the file has (matchFile).
  Status setFromFile(const SafetensorsFile &file, bool perStep);

  /// All arguments, or with `perStep` those of the batch, rng and scalar roles
  /// that no result feeds back.
  Status setRandom(uint64_t seed, bool perStep);

  Status checkComplete(const std::string &source) const;

private:
  Session &session;
  size_t entry;
  std::vector<const plan::ArgumentT *> arguments;
  std::vector<bool> given;
};

/// The per-step inputs of --batches: "random:SEED", a folder (its .safetensors
/// files in natural order) or a list "F1,F2".
class Batches {
public:
  static StatusOr<Batches> open(const std::string &text);

  bool empty() const { return seed < 0 && files.empty(); }
  /// Marks what the files (or random numbers) give; fails as matchFile does.
  Status check(const plan::PlanT &plan, size_t entry,
               std::vector<bool> &given) const;
  /// Sets the arguments of step `step`; files are cycled.
  Status set(Inputs &inputs, uint64_t step) const;

private:
  int64_t seed = -1;
  std::vector<std::shared_ptr<SafetensorsFile>> files;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_INPUTS_H
