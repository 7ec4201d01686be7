// The forms in which attention goes over parts of the sequence: where its
// tensors move, and what each form sends and holds.

#ifndef PARTOPT_LIB_STRATEGY_CONTEXTFORMS_H
#define PARTOPT_LIB_STRATEGY_CONTEXTFORMS_H

#include "AttentionDims.h"

#include <functional>

namespace partopt {

enum class ContextForm { Gather, Ulysses, Ring };

/// A tensor where it is to move, with its dimensions; `heads` is -1 where it
/// has none.
struct ContextSpot {
  mlir::OpOperand *use = nullptr; ///< of what goes in
  mlir::Value value;
  int64_t sequence = -1, heads = -1;
};

/// Finds where a tensor is smallest.
class ContextSpots {
public:
  using PartsFn = std::function<int64_t(mlir::Value value, int64_t dim)>;

  ContextSpots() = default;
  /// `parts`: into how many parts other axes cut a dimension.
  ContextSpots(const DimensionClasses &classes, int64_t devices, PartsFn parts)
      : classes(&classes), devices(devices), partsOf(std::move(parts)) {}

  /// Before it was repeated for more heads, where that is.
  ContextSpot ofInput(const AttentionTensor &tensor, bool exchanges) const;
  /// After it was summed over the heads that it was repeated for.
  ContextSpot ofOutput(const AttentionTensor &tensor, bool exchanges) const;
  bool hasHeads(mlir::Value value, int64_t dim) const;
  int64_t numDevices() const { return devices; }

private:
  std::optional<ContextSpot> smaller(mlir::Value value, const ContextSpot &like,
                                     bool exchanges) const;

  const DimensionClasses *classes = nullptr;
  int64_t devices = 1;
  PartsFn partsOf;
};

/// Bytes per device and step, before other axes divide them.
class ContextPrices {
public:
  explicit ContextPrices(const ContextSpots &spots)
      : spots(spots), n(spots.numDevices()) {}

  /// True where every device can have heads of its own.
  bool canExchange(const Attention &attention) const;
  /// What a device sends.
  double bytes(const Attention &attention, ContextForm form) const;
  /// What was chosen, with the prices of the others.
  std::string describe(const Attention &attention, ContextForm form) const;

private:
  double exchanged(const ContextSpot &spot) const;
  double ringBytes(const Attention &attention) const;
  double scoreBytes(const Attention &attention, ContextForm form) const;
  bool isBalanced(const Attention &attention) const;

  const ContextSpots &spots;
  int64_t n;
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_CONTEXTFORMS_H
