// From one layout to another by the cheapest sequence of collectives.

#ifndef PARTOPT_SEARCH_RESHARDSEARCH_H
#define PARTOPT_SEARCH_RESHARDSEARCH_H

#include "partopt/Analysis/Layout.h"

#include <string>

namespace partopt {

/// What moving bytes costs: bytes on the wire by the ring formulas plus a fixed
/// price per step, in bytes.
struct ReshardCost {
  double perStep = 64;
  /// Relative price of a byte on each space axis; 1 where missing.
  llvm::SmallVector<double, 4> perByte;
};

struct ReshardProblem {
  mlir::RankedTensorType type; ///< global
  Layout from, to;
  const Mesh *mesh = nullptr;
  ReshardCost cost;
  /// No intermediate shard may exceed this factor of the larger of the two
  /// shards while another way exists.
  double memoryFactor = 2;

  /// Empty, or why the problem makes no sense.
  std::string check() const;

  /// Cuts the axes of both layouts wherever either one cuts them, so that parts
  /// of an axis can move on their own.
  void splitAxes();
};

enum class ReshardKind : uint8_t {
  Slice,         ///< keep the own part of `dim`; no traffic
  AllGather,     ///< the `axes`, minor in `dim`, leave it
  AllToAll,      ///< the `axes`, minor in `dim`, become minor in `dim2`
  Permute,       ///< every device sends its shard to another one
  AllReduce,     ///< combine over `axes`
  ReduceScatter, ///< combine over `axes`, which become minor in `dim`
  ToUnreduced    ///< first device keeps the value, others the identity
};

struct ReshardStep {
  ReshardKind kind;
  AxisList axes;
  int64_t dim = -1, dim2 = -1;
  Combiner combiner = Combiner::Sum;
  Layout after;
};

struct ReshardSolution {
  llvm::SmallVector<ReshardStep, 4> steps;
  double cost = 0;
  /// Bytes one device sends, by the ring formulas.
  double wireBytes = 0;
  /// True when the value was gathered whole because no cheaper way existed.
  bool gathersAll = false;
};

/// Dijkstra over layouts with split axes; moves that cannot lead to the target
/// are left out.
ReshardSolution searchReshard(const ReshardProblem &problem);

/// Replays the steps independently of the search. Empty, or what is wrong.
std::string verifyReshard(const ReshardProblem &problem,
                          const ReshardSolution &solution);

/// Text of a layout for keys and messages, e.g. `[{0}, {1:(2)4}] unreduced sum
/// {2}` with axis numbers.
std::string layoutKey(const Layout &layout);

} // namespace partopt

#endif // PARTOPT_SEARCH_RESHARDSEARCH_H
