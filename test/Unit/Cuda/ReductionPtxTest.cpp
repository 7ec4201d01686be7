//===- ReductionPtxTest.cpp - The reductions' PTX -------------------------===//
//
// Interpreted for every type, combiner and order and compared with the host's
// combiner; assembled by ptxas where there is one.
//
//===----------------------------------------------------------------------===//

#include "PtxInterpreter.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ElementTypes.h"
#include "runtime/collectives/Combine.h"
#include "runtime/drivers/cuda/ReductionPtx.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace partopt;
using namespace partopt::rt;
using plan::Combiner;
using plan::ElementType;

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Reduction> allReductions() {
  std::vector<Reduction> list;
  for (ElementType type : plan::EnumValuesElementType())
    for (Combiner combiner : plan::EnumValuesCombiner()) {
      if (combiner == Combiner::None || !combineFunction(type, combiner))
        continue;
      list.push_back({combiner, type, CombineOrder::Ring, 3, 3});
      list.push_back({combiner, type, CombineOrder::Tree, 4, 1});
    }
  return list;
}

/// Random bits, among them infinities, zeros of both signs and NaN, but of
/// complex numbers, whose product on the host corrects infinities.
Bytes randomElements(ElementType type, uint64_t count, unsigned seed) {
  std::mt19937 random(seed);
  uint64_t size = plan::elementSize(type);
  Bytes bytes(count * size);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  for (size_t i = 0; i < bytes.size() && plan::isComplexType(type);
       i += size / 2) {
    double wide = static_cast<int>(random() % 64) - 32;
    auto narrow = static_cast<float>(wide);
    std::memcpy(&bytes[i],
                size == 8 ? static_cast<const void *>(&narrow) : &wide,
                size / 2);
  }
  for (uint8_t &byte : bytes)
    if (type == ElementType::I1)
      byte &= 1;
  if (plan::isFloatType(type))
    for (uint64_t e = 0; e < count; ++e) {
      uint8_t *top = &bytes[(e + 1) * size - 1];
      if (e % 5 == 3) // a zero
        std::memset(&bytes[e * size], 0, size);
      if (e % 10 == 3) // of the other sign
        *top = 0x80;
    }
  return bytes;
}

Bytes combined(Bytes own, const Bytes &incoming, const Reduction &reduction,
               uint64_t count) {
  combineFunction(reduction.type, reduction.combiner)(own.data(),
                                                      incoming.data(), count);
  return own;
}

bool isNan(ElementType type, const uint8_t *element) {
  uint64_t size = plan::elementSize(type);
  if (size == 1 || !plan::isFloatType(type))
    return false;
  // An infinity and its difference to itself.
  Bytes bits(element, element + size), zero(size, 0);
  combineFunction(type, Combiner::Product)(bits.data(), zero.data(), 1);
  for (uint64_t i = 0; i + 1 < size; ++i)
    if (bits[i])
      return true;
  return (bits[size - 1] & 0x7f) != 0;
}

void expectCombines(const test::PtxModule &module, const Reduction &reduction) {
  constexpr uint64_t count = 61;
  uint64_t size = plan::elementSize(reduction.type);
  std::vector<Bytes> sources;
  std::vector<Bytes> targets(reduction.targets, Bytes(count * size));
  std::vector<uint64_t> parameters;
  for (Bytes &target : targets)
    parameters.push_back(reinterpret_cast<uint64_t>(target.data()));
  for (unsigned i = 0; i < reduction.sources; ++i)
    sources.push_back(randomElements(reduction.type, count, i));
  for (Bytes &source : sources)
    parameters.push_back(reinterpret_cast<uint64_t>(source.data()));
  parameters.push_back(count);
  ASSERT_EQ(module.run(reduction.name(), 2, 3, parameters), "");
  auto combine = [&](const Bytes &own, const Bytes &incoming) {
    return combined(own, incoming, reduction, count);
  };
  Bytes want = reduction.order == CombineOrder::Ring
                   ? combine(sources[2], combine(sources[1], sources[0]))
                   : combine(combine(sources[0], sources[1]),
                             combine(sources[2], sources[3]));
  for (const Bytes &target : targets)
    for (uint64_t e = 0; e < count; ++e)
      EXPECT_TRUE(std::memcmp(&target[e * size], &want[e * size], size) == 0 ||
                  (isNan(reduction.type, &target[e * size]) &&
                   isNan(reduction.type, &want[e * size])))
          << reduction.name() << ", element " << e;
}

TEST(ReductionPtx, CombinesAsTheHostDoes) {
  std::vector<Reduction> list = allReductions();
  test::PtxModule module(reductionPtx({list.begin(), list.end()}));
  for (const Reduction &reduction : list)
    expectCombines(module, reduction);
}

TEST(ReductionPtx, OneTableForAllKernelsOfAByteType) {
  Reduction two{Combiner::Sum, ElementType::F8E5M2, CombineOrder::Ring, 2, 1};
  Reduction three = two;
  three.sources = 3;
  std::string text = reductionPtx({two, three});
  size_t first = text.find(".global .align 16 .b8 table_sum_f8E5M2[65536]");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(".global .align", first + 1), std::string::npos);
  EXPECT_NE(text.find(".entry reduce_sum_f8E5M2_ring2_to1("),
            std::string::npos);
}

TEST(ReductionPtx, Assembles) {
  std::string ptxas = PARTOPT_PTXAS;
  if (ptxas.empty())
    GTEST_SKIP() << "no ptxas";
  // Tables of bytes are data; one of them is enough.
  std::set<Reduction> list = {
      {Combiner::Sum, ElementType::F32, CombineOrder::Tree, 64, 64},
      {Combiner::Max, ElementType::F8E4M3FN, CombineOrder::Ring, 8, 8}};
  for (const Reduction &reduction : allReductions())
    if (plan::elementSize(reduction.type) > 1)
      list.insert(reduction);
  std::string base = testing::TempDir() + "reductions";
  std::ofstream(base + ".ptx") << reductionPtx(list);
  for (const char *arch : {"sm_80", "sm_90", "sm_100"}) {
    std::string command = ptxas + " -v -arch=" + arch + " " + base +
                          ".ptx -o " + base + ".cubin 2> " + base + ".log";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream log(base + ".log");
    for (std::string line; std::getline(log, line);)
      if (line.find("spill stores") != std::string::npos)
        EXPECT_NE(line.find(" 0 bytes spill stores"), std::string::npos)
            << arch << ": " << line;
  }
}

} // namespace
