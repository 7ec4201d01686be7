// Threads of a block as fibers that switch where they wait. A grid whose
// threads never wait is a plain loop.
#include "runtime/drivers/cuda/emulator/EmulatedGpu.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <ucontext.h>
#include <vector>

namespace {

constexpr uint32_t kWarp = 32;
constexpr size_t kStackBytes = 64 * 1024;

std::atomic<uint32_t> &seed() {
  static std::atomic<uint32_t> value{1};
  return value;
}

/// The order in which a block's threads run.
std::vector<uint32_t> orderOf(uint32_t threads, uint32_t block) {
  std::vector<uint32_t> order(threads);
  for (uint32_t i = 0; i < threads; ++i)
    order[i] = i;
  if (uint32_t s = seed().load()) {
    std::minstd_rand random(s + block);
    std::shuffle(order.begin(), order.end(), random);
  }
  return order;
}

/// A block whose threads wait for each other.
class Scheduler {
public:
  Scheduler(const PartoptEmulatedGrid &grid, void **parameters)
      : grid(grid), parameters(parameters), fibers(grid.block),
        warps((grid.block + kWarp - 1) / kWarp) {
    for (Fiber &fiber : fibers)
      fiber.stack.reset(new unsigned char[kStackBytes]);
  }

  void runBlock(uint32_t block, unsigned char *shared);

private:
  /// What a thread waits for: its turn, the others of the block or warp.
  enum class State { Ready, Block, Warp, Done };
  struct Fiber {
    PartoptEmulatedThread self;
    ucontext_t context;
    std::unique_ptr<unsigned char[]> stack;
    State state = State::Ready;
    uint32_t value = 0; ///< of a shuffle
  };
  struct Warp {
    uint32_t waiting = 0;
  };

  static void start(unsigned high, unsigned low);
  static void barrier(PartoptEmulatedThread *self);
  static uint32_t shuffle(PartoptEmulatedThread *self, uint32_t value,
                          uint32_t offset);
  Fiber &fiberOf(PartoptEmulatedThread *self) { return fibers[self->thread]; }
  void wait(Fiber &fiber, State state);
  uint32_t warpSize(uint32_t warp) const {
    return std::min<uint32_t>(kWarp, grid.block - warp * kWarp);
  }
  void release(State state, uint32_t first, uint32_t count);

  const PartoptEmulatedGrid &grid;
  void **parameters;
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  ucontext_t home;
  uint32_t waitingForBlock = 0;
};

void Scheduler::start(unsigned high, unsigned low) {
  auto *fiber =
      reinterpret_cast<Fiber *>((uintptr_t(high) << 32) | uintptr_t(low));
  auto *scheduler = static_cast<Scheduler *>(fiber->self.scheduler);
  scheduler->grid.run(&fiber->self, scheduler->parameters);
  fiber->state = State::Done;
  swapcontext(&fiber->context, &scheduler->home);
}

void Scheduler::wait(Fiber &fiber, State state) {
  fiber.state = state;
  swapcontext(&fiber.context, &home);
}

void Scheduler::release(State state, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; ++i)
    if (fibers[i].state == state)
      fibers[i].state = State::Ready;
}

void Scheduler::barrier(PartoptEmulatedThread *self) {
  auto *s = static_cast<Scheduler *>(self->scheduler);
  if (++s->waitingForBlock == s->grid.block) {
    s->waitingForBlock = 0;
    s->release(State::Block, 0, s->grid.block);
  } else {
    s->wait(s->fiberOf(self), State::Block);
  }
}

uint32_t Scheduler::shuffle(PartoptEmulatedThread *self, uint32_t value,
                            uint32_t offset) {
  auto *s = static_cast<Scheduler *>(self->scheduler);
  Fiber &fiber = s->fiberOf(self);
  uint32_t warp = self->thread / kWarp, size = s->warpSize(warp);
  fiber.value = value;
  // Twice: when all have given their value, and when all have taken another's.
  auto meet = [&] {
    if (++s->warps[warp].waiting == size) {
      s->warps[warp].waiting = 0;
      s->release(State::Warp, warp * kWarp, size);
    } else {
      s->wait(fiber, State::Warp);
    }
  };
  meet();
  uint32_t lane = self->thread % kWarp + offset;
  uint32_t result = lane < size ? s->fibers[warp * kWarp + lane].value : value;
  meet();
  return result;
}

void Scheduler::runBlock(uint32_t block, unsigned char *shared) {
  for (uint32_t i = 0; i < grid.block; ++i) {
    Fiber &fiber = fibers[i];
    fiber.self = {i, block, shared, barrier, shuffle, this};
    fiber.state = State::Ready;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    auto address = reinterpret_cast<uintptr_t>(&fiber);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(start), 2,
                unsigned(address >> 32), unsigned(address));
  }
  std::vector<uint32_t> order = orderOf(grid.block, block);
  for (bool isDone = false; !isDone;) {
    isDone = true;
    bool hasMoved = false;
    for (uint32_t i : order) {
      if (fibers[i].state == State::Ready) {
        swapcontext(&home, &fibers[i].context);
        hasMoved = true;
      }
      isDone &= fibers[i].state == State::Done;
    }
    // Threads that wait for one that has ended: a fault of the kernel.
    if (!isDone && !hasMoved)
      std::abort();
  }
}

} // namespace

void partopt_emulate_seed(uint32_t value) { seed().store(value); }

void partopt_emulate_grid(const PartoptEmulatedGrid *grid, uint32_t blocks,
                          void **parameters) {
  std::unique_ptr<unsigned char[]> memory(
      new unsigned char[grid->sharedBytes + 64]);
  auto *shared = reinterpret_cast<unsigned char *>(
      (reinterpret_cast<uintptr_t>(memory.get()) + 63) / 64 * 64);
  std::unique_ptr<Scheduler> scheduler;
  if (grid->waits)
    scheduler = std::make_unique<Scheduler>(*grid, parameters);
  for (uint32_t block : orderOf(blocks, 0)) {
    std::memset(shared, 0xa5, grid->sharedBytes);
    if (scheduler) {
      scheduler->runBlock(block, shared);
      continue;
    }
    for (uint32_t thread : orderOf(uint32_t(grid->block), block)) {
      PartoptEmulatedThread self{thread, block, shared};
      grid->run(&self, parameters);
    }
  }
}

void partopt_emulate_kernel(const PartoptEmulatedKernel *kernel,
                            void **arguments) {
  std::unique_ptr<unsigned char[]> memory(
      new unsigned char[kernel->scratchBytes + 256]);
  std::memset(memory.get(), 0xa5, kernel->scratchBytes + 256);
  void *scratch = reinterpret_cast<void *>(
      (reinterpret_cast<uintptr_t>(memory.get()) + 255) / 256 * 256);
  std::vector<void *> parameters;
  for (uint64_t i = 0; i < kernel->numArguments; ++i)
    parameters.push_back(&arguments[i]);
  parameters.push_back(&scratch);
  for (uint64_t i = 0; i < kernel->numGrids; ++i)
    partopt_emulate_grid(kernel->grids[i], uint32_t(kernel->grids[i]->grid),
                         parameters.data());
}
