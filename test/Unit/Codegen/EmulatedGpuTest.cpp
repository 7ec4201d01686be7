// The emulated GPU itself: who runs, who waits for whom, and what a kernel that
// forgets to wait sees.
#include "runtime/drivers/cuda/emulator/EmulatedGpu.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

using Thread = PartoptEmulatedThread;

PartoptEmulatedGrid gridOf(void (*run)(Thread *, void **), uint64_t grid,
                           uint64_t block, uint64_t waits) {
  return {run, grid, block, 1024, waits};
}

int32_t *numbers(void **parameters) {
  return *static_cast<int32_t **>(parameters[0]);
}

TEST(EmulatedGpu, RunsEveryThreadOnceInTheOrderOfTheSeed) {
  auto run = [](Thread *self, void **parameters) {
    int32_t *out = numbers(parameters);
    out[1 + out[0]++] = int32_t(self->block * 4 + self->thread);
  };
  PartoptEmulatedGrid grid = gridOf(run, 3, 4, 0);
  std::set<std::vector<int32_t>> orders;
  for (uint32_t seed : {0, 1, 2}) {
    std::vector<int32_t> out(13);
    int32_t *address = out.data();
    void *parameters[] = {&address};
    partopt_emulate_seed(seed);
    partopt_emulate_grid(&grid, 3, parameters);
    EXPECT_EQ(out[0], 12);
    EXPECT_EQ(std::set<int32_t>(out.begin() + 1, out.end()).size(), 12u);
    if (seed == 0)
      for (int32_t i = 0; i < 12; ++i)
        EXPECT_EQ(out[1 + i], i);
    orders.insert(out);
  }
  EXPECT_EQ(orders.size(), 3u);
  partopt_emulate_seed(1);
}

/// Each thread writes its number to shared memory and reads its neighbour's.
template <bool isWaiting> void readNeighbour(Thread *self, void **parameters) {
  auto *shared = reinterpret_cast<int32_t *>(self->shared);
  shared[self->thread] = int32_t(self->thread);
  if (isWaiting)
    self->barrier(self);
  numbers(parameters)[self->thread] = shared[(self->thread + 1) % 64];
}

std::vector<int32_t> neighbours(void (*run)(Thread *, void **)) {
  PartoptEmulatedGrid grid = gridOf(run, 1, 64, 1);
  std::vector<int32_t> out(64);
  int32_t *address = out.data();
  void *parameters[] = {&address};
  partopt_emulate_grid(&grid, 1, parameters);
  return out;
}

TEST(EmulatedGpu, BarriersWaitForTheBlock) {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 64; ++i)
    expected.push_back((i + 1) % 64);
  EXPECT_EQ(neighbours(readNeighbour<true>), expected);
  EXPECT_NE(neighbours(readNeighbour<false>), expected);
}

TEST(EmulatedGpu, ShufflesStayInTheWarp) {
  auto run = [](Thread *self, void **parameters) {
    uint32_t value = self->shuffleDown(self, self->thread, 5);
    value += self->shuffleDown(self, 100 * self->thread, 1);
    numbers(parameters)[self->thread] = int32_t(value);
  };
  std::vector<int32_t> out = neighbours(run);
  for (int32_t i = 0; i < 64; ++i) {
    int32_t lane = i % 32;
    EXPECT_EQ(out[i], (lane < 27 ? i + 5 : i) + 100 * (lane < 31 ? i + 1 : i));
  }
}

} // namespace
