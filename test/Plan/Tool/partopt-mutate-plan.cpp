//===- partopt-mutate-plan.cpp - Does the verifier see every fault? -------===//
//
// usage: partopt-mutate-plan PLAN COUNT SEED
//
// Makes COUNT faulty copies of a compiled plan. A copy that verifyPlan accepts
// is run for two steps beside the plan itself: it must end, and every result
// must have the same bits, or the fault was missed. Prints how many of each
// kind were refused, and accepted because they change nothing; exit 1 when one
// was missed.
//
//===----------------------------------------------------------------------===//

#include "MutatePlan.h"

#include "partopt-rt/Session.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/VerifyPlan.h"
#include "runtime/run/Compare.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace partopt;
using namespace partopt::plan;
using namespace partopt::rt;

namespace {

/// Small numbers from an element's place: fractions in [-0.5, 0.5) for f32,
/// 0 or 1 for all else, so that indices stay in range.
class SmallNumbers : public ArraySource {
public:
  SmallNumbers(ElementType type, uint64_t salt)
      : type(type), size(elementSize(type)), salt(salt) {}
  void read(uint64_t first, uint64_t count, uint8_t *out) const override {
    std::memset(out, 0, count * size);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t mixed = (first + i + salt * 7919) * 0x9E3779B97F4A7C15ULL >> 40;
      float fraction = static_cast<float>(mixed % 1000) / 1000 - 0.5F;
      if (type == ElementType::F32)
        std::memcpy(out + i * size, &fraction, sizeof fraction);
      else if (type < ElementType::BF16)
        out[i * size] = mixed % 2;
    }
  }

private:
  ElementType type;
  uint64_t size, salt;
};

/// The results of two steps as bytes, or why there are none.
struct Outcome {
  std::string error;
  std::vector<std::vector<uint8_t>> arrays;
};

Outcome run(std::shared_ptr<const PlanT> plan) {
  SessionOptions options;
  options.collectiveTimeout = std::chrono::milliseconds(5000);
  StatusOr<std::unique_ptr<Session>> session =
      Session::create(std::move(plan), options);
  if (!session.ok())
    return {session.status().message(), {}};
  auto arguments = (*session)->arguments(0);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Status status = (*session)->setArgument(
            0, i, SmallNumbers(arguments[i]->tensor->type, i));
        !status.ok())
      return {status.message(), {}};
  Outcome outcome;
  for (int step = 0; step < 2; ++step) {
    if (Status status = (*session)->step(0); !status.ok())
      return {status.message(), {}};
    auto results = (*session)->results(0);
    for (size_t i = 0; i < results.size(); ++i) {
      ArrayCopy copy(*results[i]->tensor);
      if (Status status = (*session)->readResult(0, i, copy); !status.ok())
        return {status.message(), {}};
      outcome.arrays.push_back(copy.bytes());
    }
  }
  return outcome;
}

struct Tally {
  unsigned refused = 0, harmless = 0, missed = 0;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: partopt-mutate-plan PLAN COUNT SEED\n");
    return 2;
  }
  std::string error;
  std::shared_ptr<PlanT> plan = readPlanFile(argv[1], error);
  if (!plan) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 2;
  }
  Outcome expected = run(plan);
  if (!expected.error.empty()) {
    std::fprintf(stderr, "error: %s\n", expected.error.c_str());
    return 2;
  }
  std::vector<uint8_t> bytes = packPlan(*plan);
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[3])));
  std::map<std::string, Tally> tallies;
  Tally all;
  for (int made = 0, count = std::atoi(argv[2]), kind = 0; made < count;
       kind = (kind + 1) % static_cast<int>(test::numMutations())) {
    std::shared_ptr<PlanT> faulty =
        unpackPlan(bytes.data(), bytes.size(), argv[1], error);
    bool repair = random() % 2;
    if (!test::mutatePlan(*faulty, kind, repair, random))
      continue;
    ++made;
    Tally &tally = tallies[test::mutationName(kind)];
    if (!verifyPlan(*faulty).empty()) {
      ++tally.refused, ++all.refused;
      continue;
    }
    Outcome outcome = run(faulty);
    if (outcome.error.empty() && outcome.arrays == expected.arrays) {
      ++tally.harmless, ++all.harmless;
      continue;
    }
    ++tally.missed, ++all.missed;
    std::printf("missed: fault %d, %s%s: %s\n", made, test::mutationName(kind),
                repair ? ", refitted" : "",
                outcome.error.empty() ? "other results"
                                      : outcome.error.c_str());
  }
  for (const auto &[name, tally] : tallies)
    std::printf("%-28s %4u refused %4u harmless %4u missed\n", name.c_str(),
                tally.refused, tally.harmless, tally.missed);
  std::printf("%u refused, %u change nothing, %u missed\n", all.refused,
              all.harmless, all.missed);
  return all.missed != 0;
}
