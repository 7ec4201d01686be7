//===- HostTransport.h - Bounded queues between threads -------------------===//
//
// Each rank and stream has an inbox with one bounded queue per sender. A piece
// of a message is copied into a buffer of the inbox and out of it again, as a
// network would, and counted where it is sent. Links can be slowed down: each
// sender has one per mesh axis, a message occupies it for bytes / bandwidth,
// and arrives a latency later.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_HOST_HOSTTRANSPORT_H
#define PARTOPT_RUNTIME_DRIVERS_HOST_HOSTTRANSPORT_H

#include "partopt/Simulate/LinkModel.h"
#include "runtime/hal/AbortSignal.h"
#include "runtime/hal/Transport.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace partopt::rt {

/// Test hooks, sizes, and modelled links.
struct HostTransportOptions {
  /// Bytes per piece; a multiple of 16, so that no element is cut.
  uint64_t pieceBytes = 256 << 10;
  /// Pieces that may wait per sender.
  size_t queueDepth = 4;
  /// When not zero: each piece is held back by a pseudo-random time below
  /// this, to provoke other interleavings.
  uint32_t jitterMicroseconds = 0;
  /// By mesh axis; empty: messages arrive as soon as they are copied. Else
  /// nothing waits for room in a queue, since a link holds what is on its way.
  std::vector<simulate::LinkSpeed> links;
};

class HostTransport : public Transport {
public:
  HostTransport(uint32_t ranks, uint16_t streams, AbortSignal &abort,
                const HostTransportOptions &options);
  ~HostTransport() override;

  Channel &channel(uint32_t rank, uint16_t stream) override;
  uint64_t bytesSent(uint32_t rank, plan::CollectiveKind kind) const override;

private:
  struct Message;
  struct Inbox;
  struct SenderLink;
  class HostChannel;

  Inbox &inbox(uint32_t rank, uint16_t stream) {
    return *inboxes[size_t(rank) * streams + stream];
  }
  void wakeAll();

  static constexpr size_t kinds =
      static_cast<size_t>(plan::CollectiveKind::MAX) + 1;

  uint16_t streams;
  AbortSignal &abort;
  HostTransportOptions options;
  std::vector<std::unique_ptr<Inbox>> inboxes;
  std::vector<std::unique_ptr<HostChannel>> channels;
  std::vector<std::atomic<uint64_t>> counters; // rank x kind
  std::vector<SenderLink> senderLinks;         // rank x axis
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_HOST_HOSTTRANSPORT_H
