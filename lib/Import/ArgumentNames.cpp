// The vocabulary of argument names in JAX, optax, flax and PyTorch programs.
//
// A name is a path; its words are looked up from the outside in and the first
// known one decides: `opt_state[0].mu['params']` is an optimizer's.

#include "ArgumentRoles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace partopt {
namespace {

constexpr std::pair<StringRef, Role> kRoleNames[] = {
    {"param", Role::Param},    {"opt", Role::Opt}, {"state", Role::State},
    {"batch", Role::Batch},    {"rng", Role::Rng}, {"scalar", Role::Scalar},
    {"unknown", Role::Unknown}};

// Lower-case words of the path, without indices.
llvm::SmallVector<std::string> wordsOf(StringRef name) {
  llvm::SmallVector<std::string> words;
  for (StringRef part : pathParts(name))
    if (part.find_first_not_of("0123456789") != part.npos)
      words.push_back(part.lower());
  return words;
}

// Buffers that PyTorch and Keras keep among the parameters.
bool isRunningStatistic(StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("running_mean", "running_var", "num_batches_tracked", true)
      .Cases("moving_mean", "moving_var", "moving_variance", true)
      .Default(false);
}

std::optional<Role> roleOfWord(StringRef word) {
  using R = std::optional<Role>;
  return llvm::StringSwitch<R>(word)
      .Cases("params", "param", "parameters", "weights", "model", Role::Param)
      .Cases("trainable", "trainable_params", "trainable_variables",
             Role::Param)
      .Cases("opt_state", "opt", "optimizer", "optimizer_state", "opt_states",
             "optim", "optim_state", Role::Opt)
      .Cases("momentum", "momenta", "moments", "velocity", "mu", "nu", "adam",
             Role::Opt)
      .Cases("exp_avg", "exp_avg_sq", Role::Opt)
      .Cases("loss_scale", "loss_scaler", "dynamic_scale", "grad_scaler",
             Role::Opt)
      .Cases("stats", "batch_stats", "running_stats", "bn_state", "model_state",
             Role::State)
      .Cases("ema", "ema_params", "cache", "kv_cache", "caches", Role::State)
      .Cases("rng", "rngs", "key", "keys", "prng", "prng_key", "rng_key",
             "dropout_rng", "dropout_key", "seed", Role::Rng)
      .Cases("batch", "inputs", "targets", "labels", "tokens", "input_ids",
             "attention_mask", "images", Role::Batch)
      .Default(std::nullopt);
}

// Leaves that only parameters have, used when no outer word is known.
bool isParameterLeaf(StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("weight", "bias", "kernel", "embedding", true)
      .Default(false);
}

} // namespace

StringRef stringifyRole(Role role) {
  for (auto &[name, value] : kRoleNames)
    if (value == role)
      return name;
  return "unknown";
}

std::optional<Role> symbolizeRole(StringRef name) {
  for (auto &[known, value] : kRoleNames)
    if (known == name)
      return value;
  return std::nullopt;
}

llvm::SmallVector<StringRef> pathParts(StringRef name) {
  llvm::SmallVector<StringRef> parts;
  while (!name.empty()) {
    size_t end = std::min(name.find_first_of("[]()'\"./ ,"), name.size());
    if (end > 0)
      parts.push_back(name.take_front(end));
    name = name.drop_front(std::min(end + 1, name.size()));
  }
  return parts;
}

std::optional<Role> roleFromName(StringRef name) {
  llvm::SmallVector<std::string> words = wordsOf(name);
  if (llvm::any_of(words, [](StringRef w) { return isRunningStatistic(w); }))
    return Role::State;
  for (StringRef word : words)
    if (std::optional<Role> role = roleOfWord(word))
      return role;
  if (!words.empty() && isParameterLeaf(words.back()))
    return Role::Param;
  return std::nullopt;
}

} // namespace partopt
