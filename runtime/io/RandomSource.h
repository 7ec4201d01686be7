//===- RandomSource.h - Made-up inputs ------------------------------------===//
//
// Values depend on the seed, the argument and the element's place in the global
// array only, so that every sharding of a model sees the same input.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_IO_RANDOMSOURCE_H
#define PARTOPT_RUNTIME_IO_RANDOMSOURCE_H

#include "partopt-rt/Session.h"

namespace partopt::rt {

/// Floats are bell-shaped (the sum of four uniforms) with deviation 0.02, their
/// magnitude for optimizer state (second moments are not negative); integers
/// are in [0, int_bound), or [0, 8) where the plan knows no bound; i1 is a fair
/// coin.
class RandomSource : public ArraySource {
public:
  RandomSource(uint64_t seed, const plan::TensorT &tensor)
      : seed(seed), tensor(tensor) {}
  void read(uint64_t first, uint64_t count, uint8_t *out) const override;

private:
  uint64_t seed;
  const plan::TensorT &tensor;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_IO_RANDOMSOURCE_H
