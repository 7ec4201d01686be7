//===- AlignedBuffer.h - Counted, aligned memory --------------------------===//
//
// A rank's memory comes in few large aligned pieces, and what was allocated is
// counted here so that a report shows what really happened.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_BASE_ALIGNEDBUFFER_H
#define PARTOPT_RUNTIME_BASE_ALIGNEDBUFFER_H

#include "partopt-rt/Status.h"

#include <cstdint>
#include <memory>

namespace partopt::rt {

/// Zero-filled memory, aligned to 64 bytes. Owned by the object.
class AlignedBuffer {
public:
  AlignedBuffer() = default;

  /// Fails with the size when the system has no memory left. Zero bytes give
  /// a valid, empty buffer.
  static StatusOr<AlignedBuffer> allocate(uint64_t bytes);

  uint8_t *data() const { return memory.get(); }
  uint64_t bytes() const { return size; }

private:
  struct Free {
    void operator()(uint8_t *pointer) const;
  };
  std::unique_ptr<uint8_t, Free> memory;
  uint64_t size = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_BASE_ALIGNEDBUFFER_H
