// A GPU of one block at a time, for tests: runs kernels that were compiled with
// --gpu-arch emulated. Their code is what PTX is made from, with the threads'
// numbers, barriers, shuffles and shared memory as calls of this emulator.
#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_EMULATOR_EMULATEDGPU_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_EMULATOR_EMULATEDGPU_H

#include <cstdint>

extern "C" {

/// What a thread sees of the device. Generated code reads the fields in this
/// order.
struct PartoptEmulatedThread {
  uint32_t thread = 0; ///< in its block
  uint32_t block = 0;  ///< in the grid
  unsigned char *shared = nullptr;
  /// Returns when all threads of the block have called it.
  void (*barrier)(PartoptEmulatedThread *self) = nullptr;
  /// The value that the lane `offset` lanes on gives, or the own one where that
  /// is another warp; returns when all threads of the warp have called it.
  uint32_t (*shuffleDown)(PartoptEmulatedThread *self, uint32_t value,
                          uint32_t offset) = nullptr;
  void *scheduler = nullptr;
};

/// One grid: a launch symbol of a Host image is such a table.
struct PartoptEmulatedGrid {
  /// One thread; `parameters` are those of the CUDA launch: addresses of the
  /// arguments' addresses.
  void (*run)(PartoptEmulatedThread *self, void **parameters);
  uint64_t grid, block, sharedBytes;
  /// Not 0: threads wait for each other.
  uint64_t waits;
};

struct PartoptEmulatedKernel {
  uint64_t numArguments; ///< inputs and outputs
  uint64_t scratchBytes;
  uint64_t numGrids;
  const PartoptEmulatedGrid *const *grids;
};

/// Runs one grid of `blocks` blocks, a block after the other, with threads in
/// an order that depends on the seed. `parameters` as cuLaunchKernel takes
/// them.
void partopt_emulate_grid(const PartoptEmulatedGrid *grid, uint32_t blocks,
                          void **parameters);
/// Runs all grids of a kernel with scratch memory full of old bytes;
/// `arguments` as host kernels take them: the addresses of inputs and outputs.
void partopt_emulate_kernel(const PartoptEmulatedKernel *kernel,
                            void **arguments);
/// Sets the seed of the order of threads (default 1); 0: in order.
void partopt_emulate_seed(uint32_t seed);

} // extern "C"

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_EMULATOR_EMULATEDGPU_H
