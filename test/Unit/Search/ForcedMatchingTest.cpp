// Forced pairs of random graphs against all matchings tried one by one.

#include "partopt/Search/ForcedMatching.h"

#include <gtest/gtest.h>

#include <random>

using namespace partopt;

namespace {

/// Tries every matching from `item` on.
void tryAll(const MatchingProblem &problem, unsigned item,
            std::vector<int> &current, std::vector<bool> &taken,
            std::vector<std::vector<int>> &matchings) {
  if (item == problem.places.size()) {
    matchings.push_back(current);
    return;
  }
  current[item] = -1;
  tryAll(problem, item + 1, current, taken, matchings);
  for (unsigned place : problem.places[item]) {
    if (taken[place])
      continue;
    taken[place] = true;
    current[item] = int(place);
    tryAll(problem, item + 1, current, taken, matchings);
    taken[place] = false;
  }
  current[item] = -1;
}

size_t sizeOf(const std::vector<int> &matching) {
  size_t size = 0;
  for (int place : matching)
    size += place >= 0;
  return size;
}

std::vector<int> byTrying(const MatchingProblem &problem) {
  std::vector<int> current(problem.places.size(), -1);
  std::vector<bool> taken(problem.numPlaces, false);
  std::vector<std::vector<int>> matchings;
  tryAll(problem, 0, current, taken, matchings);
  size_t most = 0;
  for (const auto &one : matchings)
    most = std::max(most, sizeOf(one));
  std::vector<int> forced;
  for (const auto &one : matchings) {
    if (sizeOf(one) != most)
      continue;
    if (forced.empty())
      forced = one;
    for (size_t i = 0; i < one.size(); ++i)
      if (forced[i] != one[i])
        forced[i] = -1;
  }
  return forced;
}

TEST(ForcedMatching, EqualsWhatAllMatchingsShare) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    MatchingProblem problem;
    problem.numPlaces = 1 + random() % 5;
    problem.places.resize(random() % 6);
    for (auto &places : problem.places)
      for (unsigned place = 0; place < problem.numPlaces; ++place)
        if (random() % 3 == 0)
          places.push_back(place);
    ASSERT_EQ(problem.check(), "");
    EXPECT_EQ(forcedPlaces(problem), byTrying(problem)) << "round " << round;
  }
}

TEST(ForcedMatching, AChainLeavesNoChoice) {
  // A parameter, and two moments that its new value is computed from.
  MatchingProblem problem{{{0}, {0, 1}, {0, 2}}, 3};
  EXPECT_EQ(forcedPlaces(problem), (std::vector<int>{0, 1, 2}));
}

TEST(ForcedMatching, TwoForTwoIsAChoice) {
  MatchingProblem problem{{{0, 1}, {0, 1}, {2}}, 3};
  EXPECT_EQ(forcedPlaces(problem), (std::vector<int>{-1, -1, 2}));
}

TEST(ForcedMatching, RefusesPlacesThatAreNotThere) {
  MatchingProblem problem{{{0}, {3}}, 2};
  EXPECT_EQ(problem.check(), "item 1 may take place 3 of 2");
}

} // namespace
