//===- HostTransport.cpp - Bounded queues between threads -----------------===//
//
// An exchange alternates: send piece i, then receive piece i. Order all steps
// of a collective by (step, piece, send before receive): a thread that blocks
// waits for one that is strictly earlier in this order, so no cycle of blocked
// threads exists as long as a queue holds at least one piece.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/host/HostTransport.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "runtime/base/SleepUntil.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace partopt::rt {

using Clock = std::chrono::steady_clock;

struct HostTransport::Message {
  Tag tag;
  uint64_t bytes;
  Clock::time_point due;       // not to be received earlier
  std::vector<uint8_t> buffer; // capacity of one piece, reused
};

/// The receiving end of one rank and stream.
struct HostTransport::Inbox {
  explicit Inbox(uint32_t ranks) : bySender(ranks) {}

  std::mutex mutex;
  std::condition_variable arrived; // the owner waits
  std::condition_variable drained; // senders wait
  unsigned waitingSenders = 0;
  std::vector<std::deque<Message>> bySender;
  std::vector<std::vector<uint8_t>> spare;
};

/// One sender's link over one mesh axis, shared by its streams.
struct HostTransport::SenderLink {
  std::mutex mutex;
  Clock::time_point free; // when the last message will have left
};

/// When the parts of a message arrive over a modelled link.
class Arrival {
public:
  Arrival(Clock::time_point begin, const simulate::LinkSpeed &speed)
      : begin(begin), speed(speed) {}
  /// Of the first `bytes` bytes.
  Clock::time_point of(uint64_t bytes) const {
    return begin + seconds(speed.occupancy(bytes) + speed.latency);
  }
  /// When the link is free again.
  Clock::time_point left(uint64_t bytes) const {
    return begin + seconds(speed.occupancy(bytes));
  }

private:
  static Clock::duration seconds(double count) {
    constexpr double forever = 1e8; // keeps the clock's range
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(count, forever)));
  }
  Clock::time_point begin;
  simulate::LinkSpeed speed;
};

class HostTransport::HostChannel : public Channel {
public:
  HostChannel(HostTransport &transport, uint32_t rank, uint16_t stream)
      : transport(transport), rank(rank), stream(stream),
        noise(rank * 2654435761u + stream + 1) {}

  Status exchange(const Tag &tag, uint32_t to, const View &outgoing,
                  uint32_t from, uint64_t incoming,
                  const Consumer &consume) override;

  void setDeadline(std::chrono::steady_clock::time_point when) override {
    deadline = when;
  }
  void setLink(int axis) override { link = axis; }

private:
  Arrival occupyLink(uint64_t bytes);
  Status sendPiece(const Tag &tag, uint32_t to, const View &view,
                   uint64_t offset, uint64_t bytes, Clock::time_point due);
  /// Sends all of it, before anything is received.
  Status sendAll(const Tag &tag, uint32_t to, const View &view);
  Status awaitDue(Clock::time_point due, uint32_t from) const;
  Status receivePiece(const Tag &tag, uint32_t from, uint64_t offset,
                      uint64_t bytes, const Consumer &consume);
  template <typename Ready>
  Status block(std::unique_lock<std::mutex> &lock,
               std::condition_variable &condition, uint32_t peer,
               const char *what, Ready ready);
  void jitter();

  HostTransport &transport;
  uint32_t rank;
  uint16_t stream;
  uint32_t noise;
  int link = -1;
  Clock::time_point deadline = Clock::time_point::max();
};

template <typename Ready>
Status HostTransport::HostChannel::block(std::unique_lock<std::mutex> &lock,
                                         std::condition_variable &condition,
                                         uint32_t peer, const char *what,
                                         Ready ready) {
  auto done = [&] { return ready() || transport.abort.raised(); };
  bool inTime = true;
  if (deadline == Clock::time_point::max())
    condition.wait(lock, done);
  else
    inTime = condition.wait_until(lock, deadline, done);
  if (transport.abort.raised())
    return transport.abort.status();
  if (!inTime)
    return Status::rankFailed("timed out " + std::string(what) + " rank " +
                              std::to_string(peer));
  return Status();
}

void HostTransport::HostChannel::jitter() {
  if (transport.options.jitterMicroseconds == 0)
    return;
  noise = noise * 1664525u + 1013904223u;
  std::this_thread::sleep_for(std::chrono::microseconds(
      (noise >> 8) % transport.options.jitterMicroseconds));
}

/// Puts a message at the end of what this rank sends over the link.
Arrival HostTransport::HostChannel::occupyLink(uint64_t bytes) {
  const simulate::LinkSpeed &speed = transport.options.links[link];
  SenderLink &own =
      transport.senderLinks[rank * transport.options.links.size() + link];
  std::lock_guard<std::mutex> lock(own.mutex);
  Arrival arrival(std::max(own.free, Clock::now()), speed);
  own.free = arrival.left(bytes);
  return arrival;
}

Status HostTransport::HostChannel::sendPiece(const Tag &tag, uint32_t to,
                                             const View &view, uint64_t offset,
                                             uint64_t bytes,
                                             Clock::time_point due) {
  jitter();
  Inbox &inbox = transport.inbox(to, stream);
  Message message{tag, bytes, due, {}};
  {
    std::unique_lock<std::mutex> lock(inbox.mutex);
    std::deque<Message> &queue = inbox.bySender[rank];
    ++inbox.waitingSenders;
    Status status = block(lock, inbox.drained, to, "sending to", [&] {
      return link >= 0 || queue.size() < transport.options.queueDepth;
    });
    --inbox.waitingSenders;
    if (!status.ok())
      return status;
    if (!inbox.spare.empty()) {
      message.buffer = std::move(inbox.spare.back());
      inbox.spare.pop_back();
    }
  }
  if (message.buffer.size() < bytes)
    message.buffer.resize(bytes);
  uint8_t *at = message.buffer.data();
  view.forRange(offset, bytes, [&](const uint8_t *data, uint64_t size) {
    std::memcpy(at, data, size);
    at += size;
  });
  {
    std::lock_guard<std::mutex> lock(inbox.mutex);
    inbox.bySender[rank].push_back(std::move(message));
  }
  inbox.arrived.notify_one();
  transport.counters[rank * kinds + static_cast<size_t>(tag.kind)].fetch_add(
      bytes, std::memory_order_relaxed);
  return Status();
}

Status HostTransport::HostChannel::sendAll(const Tag &tag, uint32_t to,
                                           const View &view) {
  uint64_t piece = transport.options.pieceBytes;
  Arrival arrival = occupyLink(view.bytes());
  for (uint64_t offset = 0; offset < view.bytes(); offset += piece) {
    uint64_t bytes = std::min(piece, view.bytes() - offset);
    Status status =
        sendPiece(tag, to, view, offset, bytes, arrival.of(offset + bytes));
    if (!status.ok())
      return status;
  }
  return Status();
}

/// Waits until what was taken from the queue would have arrived.
Status HostTransport::HostChannel::awaitDue(Clock::time_point due,
                                            uint32_t from) const {
  sleepUntil(std::min(due, deadline), transport.abort);
  if (transport.abort.raised())
    return transport.abort.status();
  if (due > deadline)
    return Status::rankFailed("timed out receiving from rank " +
                              std::to_string(from) +
                              ", whose message is still on its modelled link");
  return Status();
}

static std::string describe(const Tag &tag, uint64_t bytes) {
  return std::string(plan::collectiveName(tag.kind)) + " " +
         std::to_string(tag.collective) + ", step " + std::to_string(tag.step) +
         ", " + std::to_string(bytes) + " bytes";
}

Status HostTransport::HostChannel::receivePiece(const Tag &tag, uint32_t from,
                                                uint64_t offset, uint64_t bytes,
                                                const Consumer &consume) {
  Inbox &inbox = transport.inbox(rank, stream);
  Message message;
  bool wake;
  {
    std::unique_lock<std::mutex> lock(inbox.mutex);
    std::deque<Message> &queue = inbox.bySender[from];
    Status status = block(lock, inbox.arrived, from, "receiving from",
                          [&] { return !queue.empty(); });
    if (!status.ok())
      return status;
    message = std::move(queue.front());
    queue.pop_front();
    wake = inbox.waitingSenders > 0;
  }
  if (wake)
    inbox.drained.notify_all();
  if (Status status = awaitDue(message.due, from); !status.ok())
    return status;
  if (message.tag.collective != tag.collective ||
      message.tag.step != tag.step || message.tag.kind != tag.kind ||
      message.bytes != bytes)
    return Status::rankFailed("rank " + std::to_string(from) + " sent " +
                              describe(message.tag, message.bytes) +
                              " where this rank expects " +
                              describe(tag, bytes));
  consume(offset, message.buffer.data(), bytes);
  std::lock_guard<std::mutex> lock(inbox.mutex);
  inbox.spare.push_back(std::move(message.buffer));
  return Status();
}

Status HostTransport::HostChannel::exchange(const Tag &tag, uint32_t to,
                                            const View &outgoing, uint32_t from,
                                            uint64_t incoming,
                                            const Consumer &consume) {
  uint64_t piece = transport.options.pieceBytes;
  uint64_t longest = std::max(outgoing.bytes(), incoming);
  uint64_t toSend = outgoing.bytes();
  if (link >= 0 && toSend > 0) {
    if (Status status = sendAll(tag, to, outgoing); !status.ok())
      return status;
    toSend = 0;
  }
  for (uint64_t offset = 0; offset < longest; offset += piece) {
    if (offset < toSend) {
      uint64_t bytes = std::min(piece, toSend - offset);
      Status status = sendPiece(tag, to, outgoing, offset, bytes, {});
      if (!status.ok())
        return status;
    }
    if (offset < incoming) {
      uint64_t bytes = std::min(piece, incoming - offset);
      Status status = receivePiece(tag, from, offset, bytes, consume);
      if (!status.ok())
        return status;
    }
  }
  return Status();
}

HostTransport::HostTransport(uint32_t ranks, uint16_t streams,
                             AbortSignal &abort,
                             const HostTransportOptions &options)
    : streams(streams), abort(abort), options(options), counters(ranks * kinds),
      senderLinks(ranks * options.links.size()) {
  for (uint32_t rank = 0; rank < ranks; ++rank)
    for (uint16_t stream = 0; stream < streams; ++stream) {
      inboxes.push_back(std::make_unique<Inbox>(ranks));
      channels.push_back(std::make_unique<HostChannel>(*this, rank, stream));
    }
  abort.addWaker([this] { wakeAll(); });
}

HostTransport::~HostTransport() = default;

void HostTransport::wakeAll() {
  for (const auto &inbox : inboxes) {
    // Taking the lock orders the flag before any wait that is about to start.
    {
      std::lock_guard<std::mutex> lock(inbox->mutex);
    }
    inbox->arrived.notify_all();
    inbox->drained.notify_all();
  }
}

Channel &HostTransport::channel(uint32_t rank, uint16_t stream) {
  return *channels[size_t(rank) * streams + stream];
}

uint64_t HostTransport::bytesSent(uint32_t rank,
                                  plan::CollectiveKind kind) const {
  return counters[rank * kinds + static_cast<size_t>(kind)].load(
      std::memory_order_relaxed);
}

} // namespace partopt::rt
