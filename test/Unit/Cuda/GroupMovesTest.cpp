//===- GroupMovesTest.cpp - Moves in one memory against the collectives ---===//
//
// What groupMoves says is done on plain memory and compared, bit for bit, with
// the algorithms over a transport; so are the bytes that each member sends.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "runtime/collectives/Collectives.h"
#include "runtime/collectives/Combine.h"
#include "runtime/collectives/GroupMoves.h"
#include "runtime/drivers/host/HostTransport.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace partopt;
using namespace partopt::rt;
using plan::CollectiveKind;
using plan::CollectiveStartT;
using plan::Combiner;
using plan::ElementType;

namespace {

using Bytes = std::vector<uint8_t>;

/// Random bits; of wide floats small numbers, since what is left of a NaN's
/// bits depends on how the compiler orders operands.
void fillRandom(Bytes &bytes, ElementType type, std::mt19937 &random) {
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  for (uint8_t &byte : bytes)
    if (type == ElementType::I1)
      byte &= 1;
  bool isSingle = type == ElementType::F32 || type == ElementType::C64;
  bool isDouble = type == ElementType::F64 || type == ElementType::C128;
  uint64_t part = isDouble ? 8 : 4;
  for (size_t i = 0; (isSingle || isDouble) && i + part < bytes.size();
       i += part) {
    double wide = (static_cast<int>(random() % 4001) - 2000) / 7.0;
    auto narrow = static_cast<float>(wide);
    std::memcpy(&bytes[i],
                isSingle ? static_cast<const void *>(&narrow) : &wide, part);
  }
}

/// The memory of all members: operands and results, by member and tensor.
struct Memory {
  Memory(const CollectiveStartT &op, uint64_t n, bool inPlace)
      : operands(n), results(n), inPlace(inPlace) {
    std::mt19937 random(7);
    uint64_t size = plan::elementSize(op.type);
    for (uint64_t m = 0; m < n; ++m)
      for (uint64_t count : op.counts) {
        Bytes &bytes = operands[m].emplace_back(count * size + 1);
        fillRandom(bytes, op.type, random);
        uint64_t made = op.kind == CollectiveKind::AllGather       ? count * n
                        : op.kind == CollectiveKind::ReduceScatter ? count / n
                                                                   : count;
        results[m].emplace_back(made * size + 1);
      }
  }
  std::vector<uint8_t *> operandsOf(uint64_t m) {
    return addresses(operands[m]);
  }
  std::vector<uint8_t *> resultsOf(uint64_t m) {
    return addresses(inPlace ? operands[m] : results[m]);
  }
  static std::vector<uint8_t *> addresses(std::vector<Bytes> &tensors) {
    std::vector<uint8_t *> list;
    for (Bytes &tensor : tensors)
      list.push_back(tensor.data());
    return list;
  }

  std::vector<std::vector<Bytes>> operands, results;
  bool inPlace;
};

/// By the transport; returns the bytes that each member sent.
std::vector<uint64_t> runOnTransport(const CollectiveStartT &op, uint64_t n,
                                     Memory &memory) {
  AbortSignal abort;
  HostTransport transport(static_cast<uint32_t>(n), 1, abort, {});
  std::vector<std::thread> threads;
  for (uint32_t m = 0; m < n; ++m)
    threads.emplace_back([&, m] {
      CollectiveCall call;
      call.op = &op;
      for (uint32_t i = 0; i < n; ++i)
        call.members.push_back(i);
      call.member = m;
      call.operands = memory.operandsOf(m);
      call.results = memory.resultsOf(m);
      EXPECT_TRUE(runCollective(transport.channel(m, 0), call).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  std::vector<uint64_t> sent;
  for (uint32_t m = 0; m < n; ++m)
    sent.push_back(transport.bytesSent(m, op.kind));
  return sent;
}

Bytes combineTree(const std::vector<Bytes> &sources, size_t first, size_t count,
                  CombineFunction combine, uint64_t elements) {
  if (count == 1)
    return sources[first];
  Bytes own = combineTree(sources, first, count / 2, combine, elements);
  Bytes other =
      combineTree(sources, first + count / 2, count / 2, combine, elements);
  combine(own.data(), other.data(), elements);
  return own;
}

void runMove(const GroupMove &move, const CollectiveStartT &op) {
  uint64_t bytes = move.count * plan::elementSize(op.type);
  CombineFunction combine = combineFunction(op.type, op.combiner);
  std::vector<Bytes> sources;
  for (const uint8_t *source : move.sources)
    sources.emplace_back(source, source + bytes);
  Bytes sum = sources.front();
  if (move.order == CombineOrder::Tree)
    sum = combineTree(sources, 0, sources.size(), combine, move.count);
  else
    for (size_t i = 1; i < sources.size(); ++i) {
      Bytes own = sources[i];
      combine(own.data(), sum.data(), move.count);
      sum = own;
    }
  for (uint8_t *target : move.targets)
    std::memcpy(target, sum.data(), bytes);
}

void expectSame(const CollectiveStartT &op, uint64_t n, bool inPlace) {
  Memory want(op, n, inPlace), got(op, n, inPlace);
  std::vector<uint64_t> wantSent = runOnTransport(op, n, want), sent;
  GroupCall call;
  call.op = &op;
  call.groupSize = n;
  for (uint32_t m = 0; m < n; ++m)
    call.members.push_back({m, m, got.operandsOf(m), got.resultsOf(m)});
  // Any order will do.
  std::vector<GroupMove> moves = groupMoves(call, sent);
  for (size_t i = moves.size(); i-- > 0;)
    runMove(moves[i], op);
  std::string what = std::string(plan::collectiveName(op.kind)) + " " +
                     plan::combinerName(op.combiner) + " " +
                     plan::elementName(op.type) + " of " + std::to_string(n);
  EXPECT_TRUE(got.results == want.results) << what;
  EXPECT_TRUE(got.operands == want.operands) << what;
  EXPECT_EQ(sent, wantSent) << what;
}

CollectiveStartT makeOp(CollectiveKind kind, ElementType type, uint64_t n,
                        std::vector<uint64_t> counts) {
  CollectiveStartT op;
  op.kind = kind;
  op.type = type;
  bool isCut =
      kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll;
  for (uint64_t &count : counts)
    count *= isCut ? n : 1;
  op.counts = std::move(counts);
  op.root = static_cast<uint32_t>(n / 2);
  for (uint32_t m = 0; m < n; ++m)
    op.permutation.push_back((m + 2) % static_cast<uint32_t>(n));
  return op;
}

TEST(GroupMoves, KindsThatOnlyMove) {
  for (uint64_t n : {1, 2, 3, 4, 8})
    for (CollectiveKind kind :
         {CollectiveKind::AllGather, CollectiveKind::AllToAll,
          CollectiveKind::Permute, CollectiveKind::Broadcast})
      for (std::vector<uint64_t> counts :
           {std::vector<uint64_t>{5}, {3, 0, 7}, {20000}})
        expectSame(makeOp(kind, ElementType::F32, n, counts), n, false);
}

TEST(GroupMoves, ReductionsOfEveryTypeAndCombiner) {
  for (ElementType type : plan::EnumValuesElementType())
    for (Combiner combiner : plan::EnumValuesCombiner()) {
      if (combiner == Combiner::None || !combineFunction(type, combiner))
        continue;
      for (uint64_t n : {1, 2, 3, 4, 8})
        for (CollectiveKind kind :
             {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter}) {
          CollectiveStartT op = makeOp(kind, type, n, {5, 0, 9});
          op.combiner = combiner;
          expectSame(op, n, false);
        }
    }
}

/// Above 64 KiB of payload a ring, below it halving.
TEST(GroupMoves, LargeReductionsAndThoseInPlace) {
  for (uint64_t n : {2, 4, 5, 8, 16})
    for (std::vector<uint64_t> counts :
         {std::vector<uint64_t>{33333}, {1, 20001, 4096}, {40, 1, 3}})
      for (bool inPlace : {false, true}) {
        CollectiveStartT op =
            makeOp(CollectiveKind::AllReduce, ElementType::F32, n, counts);
        op.combiner = Combiner::Sum;
        expectSame(op, n, inPlace);
      }
}

TEST(GroupMoves, MessagesAreTheirSenders) {
  CollectiveStartT op =
      makeOp(CollectiveKind::Send, ElementType::BF16, 2, {6, 2});
  Memory memory(op, 2, false);
  GroupCall call;
  call.op = &op;
  call.groupSize = 4;
  call.members = {{5, 3, memory.operandsOf(0), {}},
                  {2, 0, {}, memory.resultsOf(1)}};
  std::vector<uint64_t> sent;
  for (const GroupMove &move : groupMoves(call, sent))
    runMove(move, op);
  EXPECT_EQ(sent, (std::vector<uint64_t>{16, 0}));
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(std::memcmp(memory.results[1][i].data(),
                          memory.operands[0][i].data(), 2 * op.counts[i]),
              0);
}

} // namespace
