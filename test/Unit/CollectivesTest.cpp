//===- CollectivesTest.cpp - Collectives against a plain loop -------------===//
//
// Every kind, combiner, type and group size on threads, compared with the
// definition; the bytes that the transport counts must be the predicted ones.
//
//===----------------------------------------------------------------------===//

#include "TestPlan.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "runtime/collectives/Collectives.h"
#include "runtime/collectives/Combine.h"
#include "runtime/collectives/NarrowFloat.h"
#include "runtime/drivers/host/HostTransport.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <thread>

using namespace partopt;
using namespace partopt::rt;
using plan::CollectiveKind;
using plan::CollectiveStartT;
using plan::Combiner;
using plan::ElementType;

namespace {

/// Those of a whole group: messages have a test of their own.
std::vector<CollectiveKind> collectiveKinds() {
  std::vector<CollectiveKind> kinds;
  for (CollectiveKind kind : plan::EnumValuesCollectiveKind())
    if (kind != CollectiveKind::Send && kind != CollectiveKind::Recv)
      kinds.push_back(kind);
  return kinds;
}

using Bytes = std::vector<uint8_t>;

/// Writes a small whole number, exact in every type.
void store(ElementType type, uint8_t *at, int value) {
  auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  switch (type) {
  case ElementType::F8E4M3FN:
    return put(F8E4M3FN::encode(float(value)));
  case ElementType::F8E5M2:
    return put(F8E5M2::encode(float(value)));
  case ElementType::F8E4M3B11FNUZ:
    return put(F8E4M3B11FNUZ::encode(float(value)));
  case ElementType::F8E4M3FNUZ:
    return put(F8E4M3FNUZ::encode(float(value)));
  case ElementType::F8E5M2FNUZ:
    return put(F8E5M2FNUZ::encode(float(value)));
  case ElementType::BF16:
    return put(BF16::encode(float(value)));
  case ElementType::F16:
    return put(F16::encode(float(value)));
  case ElementType::F32:
    return put(float(value));
  case ElementType::F64:
    return put(double(value));
  case ElementType::C64:
    put(float(value));
    at += 4;
    return put(float(0));
  case ElementType::C128:
    put(double(value));
    at += 8;
    return put(double(0));
  case ElementType::I1:
    return put(uint8_t(value != 0));
  default:
    for (uint64_t i = 0; i < plan::elementSize(type); ++i)
      at[i] = i == 0 ? static_cast<uint8_t>(value) : 0;
  }
}

/// Member m's element e of operand i: at most 8 in sum and product over 8.
int valueOf(uint64_t m, uint64_t i, uint64_t e, Combiner combiner) {
  uint64_t hash = (m * 7 + i * 5 + e * 3 + e / 4) % 11;
  if (combiner == Combiner::Product)
    return m == e % 3 ? 2 : 1;
  return hash < 6 ? 1 : 0;
}

int reduce(Combiner combiner, int a, int b) {
  switch (combiner) {
  case Combiner::Sum:
    return a + b;
  case Combiner::Product:
    return a * b;
  case Combiner::Min:
    return std::min(a, b);
  case Combiner::Max:
    return std::max(a, b);
  case Combiner::And:
    return a & b;
  default:
    return a | b;
  }
}

/// One collective on all members of one group.
class Case {
public:
  Case(CollectiveStartT op, uint64_t n) : op(std::move(op)), n(n) {}

  int value(uint64_t member, uint64_t operand, uint64_t element) const {
    return valueOf(member, operand, element, op.combiner);
  }
  int reduced(uint64_t operand, uint64_t element) const {
    int sum = value(0, operand, element);
    for (uint64_t m = 1; m < n; ++m)
      sum = reduce(op.combiner, sum, value(m, operand, element));
    return sum;
  }

  uint64_t resultCount(uint64_t operand) const {
    uint64_t count = op.counts[operand];
    if (op.kind == CollectiveKind::AllGather)
      return count * n;
    return op.kind == CollectiveKind::ReduceScatter ? count / n : count;
  }

  /// The definition of element e of member m's result.
  int expected(uint64_t m, uint64_t operand, uint64_t e) const {
    uint64_t count = op.counts[operand], block = count / n;
    switch (op.kind) {
    case CollectiveKind::AllReduce:
      return reduced(operand, e);
    case CollectiveKind::ReduceScatter:
      return reduced(operand, m * block + e);
    case CollectiveKind::AllGather:
      return value(e / count, operand, e % count);
    case CollectiveKind::AllToAll:
      return value(e / block, operand, m * block + e % block);
    case CollectiveKind::Permute:
      for (uint64_t from = 0;; ++from)
        if (op.permutation[from] == m)
          return value(from, operand, e);
    case CollectiveKind::Broadcast:
    case CollectiveKind::Recv:
      return value(op.root, operand, e);
    case CollectiveKind::Send: // has no result
      break;
    }
    return -1;
  }

  Bytes operandOf(uint64_t member, uint64_t operand) const {
    uint64_t size = plan::elementSize(op.type);
    Bytes bytes(op.counts[operand] * size + 1);
    for (uint64_t e = 0; e < op.counts[operand]; ++e)
      store(op.type, &bytes[e * size], value(member, operand, e));
    return bytes;
  }

  Bytes resultOf(uint64_t member, uint64_t operand) const {
    uint64_t size = plan::elementSize(op.type);
    Bytes bytes(resultCount(operand) * size + 1);
    for (uint64_t e = 0; e < resultCount(operand); ++e)
      store(op.type, &bytes[e * size], expected(member, operand, e));
    return bytes;
  }

  /// Runs member `member`'s part; an empty string when all is right.
  std::string run(Channel &channel, const std::vector<uint32_t> &members,
                  uint64_t member) const {
    std::vector<Bytes> operands, results;
    CollectiveCall call;
    call.op = &op;
    call.members = members;
    call.member = static_cast<uint32_t>(member);
    for (uint64_t i = 0; i < op.counts.size(); ++i) {
      operands.push_back(operandOf(member, i));
      results.push_back(Bytes(resultCount(i) * plan::elementSize(op.type) + 1));
    }
    for (uint64_t i = 0; i < op.counts.size(); ++i) {
      call.operands.push_back(operands[i].data());
      call.results.push_back(results[i].data());
    }
    Status status = runCollective(channel, call);
    if (!status.ok())
      return status.message();
    for (uint64_t i = 0; i < op.counts.size(); ++i) {
      if (operands[i] != operandOf(member, i))
        return "the operand was changed";
      if (results[i] != resultOf(member, i))
        return "wrong result of operand " + std::to_string(i);
    }
    return "";
  }

  CollectiveStartT op;
  uint64_t n;
};

/// Runs the cases one after the other on every group of `axes` at once.
void runOnMesh(const plan::PlanT &mesh, const plan::AxisList &axes,
               const std::vector<Case> &cases,
               const HostTransportOptions &options = {}) {
  plan::MeshMath math(mesh);
  AbortSignal abort;
  HostTransport transport(mesh.devices, 1, abort, options);
  std::vector<std::string> errors(mesh.devices);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < mesh.devices; ++rank)
    threads.emplace_back([&, rank] {
      for (size_t i = 0; i < cases.size() && errors[rank].empty(); ++i) {
        errors[rank] = cases[i].run(transport.channel(rank, 0),
                                    math.groupMembers(rank, axes),
                                    math.groupIndex(rank, axes));
        if (!errors[rank].empty()) {
          errors[rank] = "case " + std::to_string(i) + " " +
                         plan::collectiveName(cases[i].op.kind) + " " +
                         plan::elementName(cases[i].op.type) + " " +
                         plan::combinerName(cases[i].op.combiner) + ": " +
                         errors[rank];
          abort.raise(Status::rankFailed(errors[rank]));
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (uint32_t rank = 0; rank < mesh.devices; ++rank) {
    EXPECT_EQ(errors[rank], "") << "rank " << rank;
    std::map<CollectiveKind, uint64_t> predicted;
    for (const Case &one : cases)
      predicted[one.op.kind] +=
          plan::wireBytesSent(one.op, one.n, math.groupIndex(rank, axes));
    for (CollectiveKind kind : collectiveKinds())
      EXPECT_EQ(transport.bytesSent(rank, kind), predicted[kind])
          << "rank " << rank << " " << plan::collectiveName(kind);
  }
}

std::vector<Combiner> combinersOf(ElementType type, CollectiveKind kind) {
  if (kind != CollectiveKind::AllReduce &&
      kind != CollectiveKind::ReduceScatter)
    return {Combiner::None};
  std::vector<Combiner> list;
  for (Combiner combiner : plan::EnumValuesCombiner())
    if (combiner != Combiner::None && combineFunction(type, combiner))
      list.push_back(combiner);
  return list;
}

/// All kinds and combiners of a type; counts per operand are `counts` blocks.
std::vector<Case> casesOf(ElementType type, uint64_t n,
                          const std::vector<std::vector<uint64_t>> &counts) {
  std::vector<Case> cases;
  for (CollectiveKind kind : collectiveKinds())
    for (Combiner combiner : combinersOf(type, kind))
      for (std::vector<uint64_t> each : counts) {
        CollectiveStartT op;
        op.id = static_cast<uint32_t>(cases.size());
        op.kind = kind;
        op.type = type;
        op.combiner = combiner;
        bool blocks = kind == CollectiveKind::ReduceScatter ||
                      kind == CollectiveKind::AllToAll;
        for (uint64_t &count : each)
          count *= blocks ? n : 1;
        op.counts = each;
        op.root = static_cast<uint32_t>(n - 1);
        for (uint64_t m = 0; m < n; ++m)
          op.permutation.push_back(static_cast<uint32_t>((m + 1) % n));
        cases.emplace_back(op, n);
      }
  return cases;
}

const std::vector<std::vector<uint64_t>> smallCounts = {
    {0}, {1}, {7}, {64}, {3, 0, 5}};

class CollectiveTypes : public testing::TestWithParam<ElementType> {};

TEST_P(CollectiveTypes, EveryKindCombinerAndGroupSize) {
  for (uint32_t n : {1, 2, 3, 4, 5, 8}) {
    test::TestPlan mesh({{"x", n}});
    runOnMesh(mesh.plan(), {mesh.axis("x")},
              casesOf(GetParam(), n, smallCounts));
  }
}

std::vector<ElementType> allTypes() {
  std::vector<ElementType> types;
  for (ElementType type : plan::EnumValuesElementType())
    if (type != ElementType::Invalid)
      types.push_back(type);
  return types;
}

INSTANTIATE_TEST_SUITE_P(All, CollectiveTypes, testing::ValuesIn(allTypes()),
                         [](const testing::TestParamInfo<ElementType> &info) {
                           return std::string(
                               plan::EnumNameElementType(info.param));
                         });

TEST(Collectives, SubGroupsOfAMesh) {
  test::TestPlan mesh({{"data", 2}, {"model", 4}});
  plan::AxisRef data = mesh.axis("data"), model = mesh.axis("model");
  std::vector<plan::AxisList> lists = {{data},
                                       {model},
                                       {model, data},
                                       {plan::AxisRef(1, 1, 2)},
                                       {plan::AxisRef(1, 2, 2), data},
                                       {}};
  for (const plan::AxisList &axes : lists) {
    uint64_t n = plan::MeshMath(mesh.plan()).groupSize(axes);
    runOnMesh(mesh.plan(), axes, casesOf(ElementType::F32, n, smallCounts));
  }
  mesh.plan().device_ids = {7, 6, 5, 4, 0, 1, 2, 3};
  runOnMesh(mesh.plan(), {model}, casesOf(ElementType::I32, 4, smallCounts));
}

TEST(Collectives, LargeMessagesAreCutInPieces) {
  test::TestPlan mesh({{"x", 3}});
  HostTransportOptions options;
  options.pieceBytes = 4096;
  options.queueDepth = 1; // the proof of no deadlock needs one place only
  runOnMesh(mesh.plan(), {mesh.axis("x")},
            casesOf(ElementType::F32, 3, {{30001}, {1, 20000, 333}}), options);
  runOnMesh(mesh.plan(), {mesh.axis("x")},
            casesOf(ElementType::BF16, 3, {{300001}}));
}

TEST(Collectives, RandomDelaysChangeNothing) {
  test::TestPlan mesh({{"x", 4}});
  HostTransportOptions options;
  options.pieceBytes = 64;
  options.queueDepth = 2;
  options.jitterMicroseconds = 100;
  runOnMesh(mesh.plan(), {mesh.axis("x")},
            casesOf(ElementType::I32, 4, {{101}}), options);
}

TEST(Collectives, ManyStreamsAtOnce) {
  constexpr uint16_t streams = 4;
  test::TestPlan mesh({{"x", 4}});
  plan::MeshMath math(mesh.plan());
  plan::AxisList axes = {mesh.axis("x")};
  AbortSignal abort;
  HostTransportOptions options;
  options.pieceBytes = 128;
  HostTransport transport(4, streams, abort, options);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < 4; ++rank)
    for (uint16_t stream = 0; stream < streams; ++stream)
      threads.emplace_back([&, rank, stream] {
        ElementType type = stream % 2 ? ElementType::F32 : ElementType::I16;
        for (const Case &one : casesOf(type, 4, {{100u + stream}}))
          EXPECT_EQ(one.run(transport.channel(rank, stream),
                            math.groupMembers(rank, axes),
                            math.groupIndex(rank, axes)),
                    "");
      });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
