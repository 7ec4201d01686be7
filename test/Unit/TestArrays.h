//===- TestArrays.h - Arguments of a session in memory --------------------===//

#ifndef PARTOPT_TEST_UNIT_TESTARRAYS_H
#define PARTOPT_TEST_UNIT_TESTARRAYS_H

#include "partopt-rt/Session.h"

#include <cstring>
#include <utility>
#include <vector>

namespace partopt::test {

/// A whole array in memory.
class Values : public rt::ArraySource {
public:
  explicit Values(std::vector<float> values) : values(std::move(values)) {}
  void read(uint64_t first, uint64_t count, uint8_t *out) const override {
    std::memcpy(out, &values[first], count * sizeof(float));
  }

private:
  std::vector<float> values;
};

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_TESTARRAYS_H
