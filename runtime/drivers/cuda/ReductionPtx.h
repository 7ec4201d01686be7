//===- ReductionPtx.h - Reductions as PTX text ----------------------------===//
//
// Where ranks share a GPU, reductions are kernels of the runtime's own: one for
// each combiner, type, order and number of sources that a plan has, written out
// as PTX when it is loaded. No compiler is needed, and the order in which
// elements are combined is that of the host's collectives.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_REDUCTIONPTX_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_REDUCTIONPTX_H

#include "runtime/collectives/GroupMoves.h"

#include <set>
#include <string>
#include <tuple>

namespace partopt::rt {

/// Combines `sources` arrays and writes the result to `targets` arrays.
struct Reduction {
  plan::Combiner combiner = plan::Combiner::Sum;
  plan::ElementType type = plan::ElementType::F32;
  CombineOrder order = CombineOrder::Ring;
  uint32_t sources = 0, targets = 0;

  /// "reduce_sum_f32_ring4_to1"
  std::string name() const;
  bool operator<(const Reduction &other) const { return key() < other.key(); }

private:
  std::tuple<plan::Combiner, plan::ElementType, CombineOrder, uint32_t,
             uint32_t>
  key() const {
    return {combiner, type, order, sources, targets};
  }
};

/// A kernel's parameters have room for that many arrays.
constexpr uint32_t maxReducedArrays = 500;

/// A module with a kernel for each, for sm_80 and later. Parameters are the
/// targets, the sources, and the number of elements, 64 bits each; any grid of
/// any one-dimensional blocks does it all.
std::string reductionPtx(const std::set<Reduction> &reductions);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_REDUCTIONPTX_H
