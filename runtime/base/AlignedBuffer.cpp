//===- AlignedBuffer.cpp - Counted, aligned memory ------------------------===//
//
// See AlignedBuffer.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AlignedBuffer.h"

#include <cstdlib>
#include <cstring>

namespace partopt::rt {

void AlignedBuffer::Free::operator()(uint8_t *pointer) const {
  std::free(pointer);
}

StatusOr<AlignedBuffer> AlignedBuffer::allocate(uint64_t bytes) {
  constexpr uint64_t alignment = 64;
  AlignedBuffer buffer;
  buffer.size = bytes;
  if (bytes > SIZE_MAX - 2 * alignment)
    return Status::badInput("cannot allocate " + std::to_string(bytes) +
                            " bytes");
  // One line more: kernels may read, never write, a vector past the end.
  uint64_t rounded = (bytes + 2 * alignment - 1) / alignment * alignment;
  buffer.memory.reset(
      static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded)));
  if (!buffer.memory)
    return Status::badInput("cannot allocate " + std::to_string(bytes) +
                            " bytes: out of memory");
  std::memset(buffer.memory.get(), 0, rounded);
  return buffer;
}

} // namespace partopt::rt
