//===- HostTransportTest.cpp - Queues, deadlines, determinism -------------===//
//
// What the transport promises beside moving bytes, and two properties of
// all_reduce that need raw access to memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/host/HostTransport.h"
#include "runtime/collectives/Collectives.h"

#include <gtest/gtest.h>
#include <thread>

using namespace partopt::rt;
using partopt::plan::CollectiveKind;
using partopt::plan::CollectiveStartT;
using partopt::plan::Combiner;
using partopt::plan::ElementType;

namespace {

TEST(Collectives, InPlaceAllReduce) {
  constexpr uint32_t n = 5;
  AbortSignal abort;
  HostTransport transport(n, 1, abort, {});
  CollectiveStartT op;
  op.kind = CollectiveKind::AllReduce;
  op.combiner = Combiner::Sum;
  op.type = ElementType::I32;
  op.counts = {13};
  std::vector<std::vector<int32_t>> data(n, std::vector<int32_t>(13));
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < n; ++rank)
    threads.emplace_back([&, rank] {
      for (int i = 0; i < 13; ++i)
        data[rank][i] = static_cast<int>(rank) * i;
      CollectiveCall call;
      call.op = &op;
      call.members = {0, 1, 2, 3, 4};
      call.member = rank;
      call.operands =
          call.results = {reinterpret_cast<uint8_t *>(data[rank].data())};
      EXPECT_TRUE(runCollective(transport.channel(rank, 0), call).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (uint32_t rank = 0; rank < n; ++rank)
    for (int i = 0; i < 13; ++i)
      EXPECT_EQ(data[rank][i], 10 * i);
}

TEST(Collectives, AllReduceGivesTheSameBitsOnAllRanks) {
  constexpr uint32_t n = 8;
  AbortSignal abort;
  HostTransportOptions options;
  options.jitterMicroseconds = 50;
  HostTransport transport(n, 1, abort, options);
  CollectiveStartT op;
  op.kind = CollectiveKind::AllReduce;
  op.combiner = Combiner::Sum;
  op.type = ElementType::F32;
  op.counts = {100};
  std::vector<std::vector<float>> results(n, std::vector<float>(100)), again;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < n; ++rank)
      threads.emplace_back([&, rank] {
        std::vector<float> mine(100);
        for (int i = 0; i < 100; ++i)
          mine[i] = 1.f / static_cast<float>(rank * 31 + i + 3);
        CollectiveCall call;
        call.op = &op;
        for (uint32_t r = 0; r < n; ++r)
          call.members.push_back(r);
        call.member = rank;
        call.operands = {reinterpret_cast<uint8_t *>(mine.data())};
        call.results = {reinterpret_cast<uint8_t *>(results[rank].data())};
        EXPECT_TRUE(runCollective(transport.channel(rank, 0), call).ok());
      });
    for (std::thread &thread : threads)
      thread.join();
    for (uint32_t rank = 1; rank < n; ++rank)
      EXPECT_EQ(results[rank], results[0]);
    if (round == 1)
      EXPECT_EQ(again, results);
    again = results;
  }
}

TEST(HostTransport, DeadlinesEndAWait) {
  AbortSignal abort;
  HostTransport transport(2, 1, abort, {});
  Channel &channel = transport.channel(0, 0);
  channel.setDeadline(std::chrono::steady_clock::now() +
                      std::chrono::milliseconds(50));
  Status status =
      channel.exchange({0, 0, CollectiveKind::Permute}, 0, View(), 1, 8,
                       [](uint64_t, const uint8_t *, uint64_t) {});
  EXPECT_EQ(status.code(), Code::RankFailed);
  EXPECT_EQ(status.message(), "timed out receiving from rank 1");
}

TEST(HostTransport, AbortWakesEveryone) {
  AbortSignal abort;
  HostTransport transport(2, 1, abort, {});
  std::thread waiter([&] {
    Status status = transport.channel(0, 0).exchange(
        {0, 0, CollectiveKind::Permute}, 0, View(), 1, 8,
        [](uint64_t, const uint8_t *, uint64_t) {});
    EXPECT_EQ(status.message(), "boom");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  abort.raise(Status::rankFailed("boom"));
  waiter.join();
}

TEST(HostTransport, OtherMessagesAreRefused) {
  AbortSignal abort;
  HostTransport transport(2, 1, abort, {});
  std::vector<uint8_t> data(8);
  auto ignore = [](uint64_t, const uint8_t *, uint64_t) {};
  ASSERT_TRUE(transport.channel(1, 0)
                  .exchange({3, 0, CollectiveKind::AllReduce}, 0,
                            View(data.data(), 8), 0, 0, ignore)
                  .ok());
  Status status = transport.channel(0, 0).exchange(
      {4, 0, CollectiveKind::AllReduce}, 0, View(), 1, 8, ignore);
  EXPECT_EQ(status.message(),
            "rank 1 sent all_reduce 3, step 0, 8 bytes where "
            "this rank expects all_reduce 4, step 0, 8 bytes");
}

/// One message each way between two ranks; when it was there.
std::vector<std::chrono::steady_clock::time_point>
receive(HostTransport &transport, uint32_t from, uint32_t to, uint16_t stream,
        std::vector<std::vector<uint8_t>> messages) {
  std::vector<std::chrono::steady_clock::time_point> arrived;
  std::thread sender([&] {
    Channel &channel = transport.channel(from, stream);
    channel.setLink(0);
    for (uint32_t i = 0; i < messages.size(); ++i)
      EXPECT_TRUE(channel
                      .exchange({0, i, CollectiveKind::Permute}, to,
                                View(messages[i].data(), messages[i].size()),
                                from, 0,
                                [](uint64_t, const uint8_t *, uint64_t) {})
                      .ok());
  });
  Channel &channel = transport.channel(to, stream);
  for (uint32_t i = 0; i < messages.size(); ++i) {
    std::vector<uint8_t> got(messages[i].size());
    EXPECT_TRUE(
        channel
            .exchange({0, i, CollectiveKind::Permute}, to, View(), from,
                      got.size(),
                      [&](uint64_t at, const uint8_t *data, uint64_t bytes) {
                        std::copy(data, data + bytes, got.begin() + at);
                      })
            .ok());
    EXPECT_EQ(got, messages[i]);
    arrived.push_back(std::chrono::steady_clock::now());
  }
  sender.join();
  return arrived;
}

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

TEST(ModelledLink, MessagesComeInOrderAndNotTooEarly) {
  AbortSignal abort;
  HostTransportOptions options;
  options.links = {{5e-3, 1e6}}; // 1000 bytes take 1 ms
  HostTransport transport(2, 1, abort, options);
  std::vector<std::vector<uint8_t>> messages;
  for (size_t i = 0; i < 4; ++i)
    messages.emplace_back(1000 * (i + 1), static_cast<uint8_t>(i + 1));
  auto begin = std::chrono::steady_clock::now();
  auto arrived = receive(transport, 0, 1, 0, messages);
  // The link carries one message after the other; latencies overlap.
  double left = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    left += static_cast<double>(messages[i].size()) / 1e6;
    EXPECT_GE(seconds(arrived[i] - begin), left + 5e-3);
  }
}

TEST(ModelledLink, LargeMessagesAreCutAndNeedNoRoom) {
  AbortSignal abort;
  HostTransportOptions options;
  options.links = {{20e-3, std::numeric_limits<double>::infinity()}};
  options.pieceBytes = 16;
  options.queueDepth = 1;
  HostTransport transport(2, 1, abort, options);
  std::vector<uint8_t> message(160);
  for (size_t i = 0; i < message.size(); ++i)
    message[i] = static_cast<uint8_t>(i);
  // All of it is on its way before any of it is taken.
  Channel &sender = transport.channel(0, 0);
  sender.setLink(0);
  ASSERT_TRUE(sender
                  .exchange({0, 0, CollectiveKind::Permute}, 1,
                            View(message.data(), message.size()), 0, 0,
                            [](uint64_t, const uint8_t *, uint64_t) {})
                  .ok());
  uint64_t taken = 0;
  ASSERT_TRUE(
      transport.channel(1, 0)
          .exchange({0, 0, CollectiveKind::Permute}, 0, View(), 0, 160,
                    [&](uint64_t at, const uint8_t *data, uint64_t bytes) {
                      EXPECT_EQ(at, taken);
                      for (uint64_t i = 0; i < bytes; ++i)
                        EXPECT_EQ(data[i], at + i);
                      taken += bytes;
                    })
          .ok());
  EXPECT_EQ(taken, 160u);
}

TEST(ModelledLink, StreamsOfOneSenderShareIt) {
  AbortSignal abort;
  HostTransportOptions options;
  options.links = {{0, 1e6}};
  HostTransport transport(2, 2, abort, options);
  auto begin = std::chrono::steady_clock::now();
  std::thread other(
      [&] { receive(transport, 0, 1, 1, {std::vector<uint8_t>(40000)}); });
  receive(transport, 0, 1, 0, {std::vector<uint8_t>(40000)});
  other.join();
  EXPECT_GE(seconds(std::chrono::steady_clock::now() - begin), 80e-3);
}

TEST(ModelledLink, DeadlinesAndAbortsEndTheWait) {
  AbortSignal abort;
  HostTransportOptions options;
  options.links = {{1e6, 1e6}};
  HostTransport transport(2, 1, abort, options);
  for (bool raise : {false, true}) {
    std::vector<uint8_t> byte(1);
    auto ignore = [](uint64_t, const uint8_t *, uint64_t) {};
    Channel &sender = transport.channel(0, 0), &taker = transport.channel(1, 0);
    sender.setLink(0);
    ASSERT_TRUE(sender
                    .exchange({0, 0, CollectiveKind::Permute}, 1,
                              View(byte.data(), 1), 0, 0, ignore)
                    .ok());
    taker.setDeadline(raise ? std::chrono::steady_clock::time_point::max()
                            : std::chrono::steady_clock::now() +
                                  std::chrono::milliseconds(50));
    std::thread raiser([&] {
      if (raise)
        abort.raise(Status::rankFailed("boom"));
    });
    Status status = taker.exchange({0, 0, CollectiveKind::Permute}, 1, View(),
                                   0, 1, ignore);
    raiser.join();
    EXPECT_EQ(status.message(),
              raise ? "boom"
                    : "timed out receiving from rank 0, whose message is still "
                      "on its modelled link");
  }
}

} // namespace
