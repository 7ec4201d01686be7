//===- Transport.h - Moving bytes between ranks ---------------------------===//
//
// Collectives are written over one primitive, a simultaneous send and receive
// with two peers. Nothing here lets a rank see another rank's memory, so a
// driver over MPI or a network can stand in for the one over threads.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_HAL_TRANSPORT_H
#define PARTOPT_RUNTIME_HAL_TRANSPORT_H

#include "partopt-rt/Status.h"
#include "partopt/Plan/PlanFormat_generated.h"
#include "runtime/hal/View.h"

#include <chrono>
#include <functional>
#include <memory>

namespace partopt::rt {

/// Tells messages apart; both ends must agree, or the exchange fails.
struct Tag {
  uint32_t collective; ///< CollectiveStart.id
  uint32_t step;       ///< within the collective
  plan::CollectiveKind kind;
};

/// Takes bytes [offset, offset + bytes) of an incoming message, in order.
using Consumer =
    std::function<void(uint64_t offset, const uint8_t *data, uint64_t bytes)>;

/// One rank's end of one communication stream. Used by one thread at a time.
class Channel {
public:
  virtual ~Channel() = default;

  /// Sends `outgoing` to rank `to` and receives `incoming` bytes from rank
  /// `from`; either may be empty, then its peer is not looked at. Progress is
  /// made in both directions at once. Part i of the incoming message is given
  /// to `consume` only when part i of the outgoing one may be overwritten.
  /// Twins: MPI_Sendrecv; ncclGroupStart, ncclSend, ncclRecv, ncclGroupEnd.
  /// Fails when the world is aborted, the deadline passes, or the peer sends
  /// something else.
  virtual Status exchange(const Tag &tag, uint32_t to, const View &outgoing,
                          uint32_t from, uint64_t incoming,
                          const Consumer &consume) = 0;

  /// When a blocked exchange gives up.
  virtual void setDeadline(std::chrono::steady_clock::time_point when) = 0;

  /// The mesh axis over which the next messages go, or -1. Matters only where
  /// the transport delays messages (simulate::LinkModel).
  virtual void setLink(int axis) {}
};

class Transport {
public:
  virtual ~Transport() = default;

  /// The end of `stream` at `rank`; valid as long as the transport.
  virtual Channel &channel(uint32_t rank, uint16_t stream) = 0;

  /// Bytes that `rank` has sent for collectives of `kind` since creation.
  virtual uint64_t bytesSent(uint32_t rank,
                             plan::CollectiveKind kind) const = 0;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_HAL_TRANSPORT_H
