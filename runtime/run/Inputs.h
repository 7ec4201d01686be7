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

/// The seed of "random:SEED", or -1 when `text` is not of that form. Fails when
/// the seed is not a number.
StatusOr<int64_t> randomSeed(const std::string &text);

/// Sets a session's arguments and keeps account of which were given.
class Inputs {
public:
  Inputs(Session &session, size_t entry)
      : session(session), entry(entry), arguments(session.arguments(entry)),
        given(arguments.size()) {}

  /// Every array of the file must be an argument, once, under its index name
  /// or its own name, or a result, under its index name, that takes the place
  /// of one. With `perStep`, only batch, rng and scalar arguments and those of
  /// unknown role may occur.
  Status setFromFile(const SafetensorsFile &file, bool perStep);

  /// All arguments, or with `perStep` those of the batch, rng and scalar roles
  /// that no result feeds back.
  Status setRandom(uint64_t seed, bool perStep);

  /// Fails when an argument was never given; `source` names what was read.
  Status checkComplete(const std::string &source) const;

private:
  int find(const std::string &name) const;
  const plan::ResultT *findResult(const std::string &name) const;
  /// False when arguments are known by their numbers alone.
  bool haveNames() const;
  bool isPerStep(size_t index) const;

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
  /// Sets the arguments of step `step`; files are cycled.
  Status set(Inputs &inputs, uint64_t step) const;

private:
  int64_t seed = -1;
  std::vector<std::shared_ptr<SafetensorsFile>> files;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_INPUTS_H
