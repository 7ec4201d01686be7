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

} // namespace
