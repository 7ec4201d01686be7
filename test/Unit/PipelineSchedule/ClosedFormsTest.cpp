//===- ClosedFormsTest.cpp - Bubbles and peaks by their formulas ----------===//
//
// Over ranks, microbatches, chunks and times.
//
//===----------------------------------------------------------------------===//

#include "TestSchedules.h"

using namespace partopt::pipeline;

namespace {

constexpr int rankCounts[] = {2, 3, 4, 6, 8};

/// A schedule's shape with its times, for the body of a test.
struct Instance {
  int p, m, v;
  StageTimes times;
  ScheduleShape shape() const { return {p, m, v, std::nullopt, 0}; }
};

template <typename Body>
void forEach(int chunks, int stepOfMicrobatches, Body &&body) {
  for (int p : rankCounts)
    for (int m = stepOfMicrobatches == 0 ? p : 1; m <= 8 * p;
         m += stepOfMicrobatches == 0 ? p : stepOfMicrobatches)
      for (const StageTimes &times : timeTriples())
        body(Instance{p, m, chunks, times});
}

std::vector<int> peaks(int p, int (*of)(const Instance &, int),
                       const Instance &one) {
  std::vector<int> result;
  for (int rank = 0; rank < p; ++rank)
    result.push_back(of(one, rank));
  return result;
}

std::string text(const Instance &one) {
  return testing::PrintToString(one.times) + " p=" + std::to_string(one.p) +
         " m=" + std::to_string(one.m) + " v=" + std::to_string(one.v);
}

/// (p-1)(F+D), the bubble of every schedule with full backwards.
double fullBubble(const Instance &one) {
  return (one.p - 1) * (one.times.forward + one.times.backward());
}

} // namespace

TEST(ClosedForms, OfFullBackwardsWithOneChunk) {
  struct Case {
    const char *name;
    int (*peak)(const Instance &, int);
  };
  const Case cases[] = {
      {"gpipe", [](const Instance &one, int) { return one.m; }},
      {"1f1b",
       [](const Instance &one, int r) { return std::min(one.m, one.p - r); }},
      {"eager-1f1b", [](const Instance &one, int r) {
         return std::min(one.m, 2 * (one.p - r) - 1);
       }}};
  for (const Case &one : cases)
    forEach(1, 1, [&](const Instance &instance) {
      Timing timing = timingOf(one.name, instance.shape(), instance.times);
      ASSERT_EQ(timing.bubble, fullBubble(instance))
          << one.name << text(instance);
      ASSERT_EQ(timing.peak, peaks(instance.p, one.peak, instance))
          << one.name << text(instance);
    });
}

TEST(ClosedForms, OfFullBackwardsWithChunks) {
  auto peakOfRank = [](const Instance &one, int r) {
    return std::min(one.m * one.v,
                    (one.v - 1) * one.p + 2 * (one.p - 1 - r) + 1);
  };
  for (int chunks : {1, 2, 3, 4})
    forEach(chunks, 0, [&](const Instance &one) {
      Timing timing = timingOf("interleaved", one.shape(), one.times);
      ASSERT_EQ(timing.bubble, fullBubble(one)) << text(one);
      ASSERT_EQ(timing.peak, peaks(one.p, peakOfRank, one)) << text(one);
      timing = timingOf("looped-bfs", one.shape(), one.times);
      ASSERT_EQ(timing.bubble, fullBubble(one)) << text(one);
      ASSERT_EQ(largestPeak(timing), one.m * one.v) << text(one);
    });
}

TEST(ClosedForms, OfInterleavingWithAnyGroup) {
  for (int p : rankCounts)
    for (int m = 1; m <= 8 * p; ++m)
      for (int q = p; q <= m; ++q) {
        ScheduleShape shape{p, m, 2, q, 0};
        bool takes = m % q == 0 || m % q >= p;
        ASSERT_EQ(checkShape("interleaved", shape).empty(), takes);
        if (!takes)
          continue;
        Instance one{p, m, 2, {1, 1, 1}};
        ASSERT_EQ(timingOf("interleaved", shape).bubble, fullBubble(one))
            << text(one) << " q=" << q;
      }
}

TEST(ClosedForms, OfOneMoreWarmupForward) {
  for (int p : rankCounts) {
    ScheduleShape shape{p, 4 * p, 2, std::nullopt, 1};
    Instance one{p, 4 * p, 2, {1, 1, 1}};
    Timing usual = timingOf("interleaved", one.shape());
    Timing ahead = timingOf("interleaved", shape);
    EXPECT_EQ(ahead.bubble, fullBubble(one));
    for (int rank = 0; rank < p; ++rank)
      EXPECT_EQ(ahead.peak[rank], usual.peak[rank] + 1);
  }
}

TEST(ClosedForms, OfZeroBubbleInALoop) {
  forEach(1, 1, [](const Instance &one) {
    auto [f, b, w] = one.times;
    if (one.m >= one.p) {
      Timing h1 = timingOf("zb-h1", one.shape(), one.times);
      ASSERT_EQ(h1.bubble, (one.p - 1) * (b + std::max(0.0, f - w)))
          << text(one);
      ASSERT_EQ(h1.peak, std::vector<int>(one.p, one.p)) << text(one);
    }
    // Longer weight gradients than forwards leave gaps of another kind.
    if (one.m >= 2 * one.p - 1 && w <= f) {
      Timing h2 = timingOf("zb-h2", one.shape(), one.times);
      ASSERT_EQ(h2.bubble, (one.p - 1) * std::max(f, f + b - 2 * w))
          << text(one);
      ASSERT_EQ(h2.spanBubble, (one.p - 1) * std::max(0.0, f + b - 2 * w))
          << text(one);
      ASSERT_EQ(h2.peak, std::vector<int>(one.p, 2 * one.p - 1)) << text(one);
    }
  });
  for (int p : {2, 4, 8})
    for (int v : {2, 3})
      for (int m = p; m <= 4 * p; m += p)
        for (const StageTimes &times : timeTriples()) {
          Instance one{p, m, v, times};
          Timing timing = timingOf("interleaved-zb", one.shape(), times);
          double gap = std::max(0.0, times.forward - times.weightGrad);
          ASSERT_EQ(timing.bubble, (p - 1) * (times.inputGrad + gap))
              << text(one);
          ASSERT_EQ(timing.peak, std::vector<int>(p, v * p)) << text(one);
        }
}

TEST(ClosedForms, OfZbH1WithFewerMicrobatchesThanItTakes) {
  // The order can be run; what the name promises is gone.
  for (int p : rankCounts)
    for (int m = 1; m < p; ++m) {
      ScheduleShape shape{p, m, 1, std::nullopt, 0};
      EXPECT_NE(checkShape("zb-h1", shape), "");
      Timing timing = simulateSchedule(problemOf("zb-h1", shape),
                                       makeSchedule("zb-h1", shape));
      EXPECT_EQ(timing.bubble, 2 * (p - 1) - (m - 1)) << p << " " << m;
    }
}

TEST(ClosedForms, OfZbV) {
  for (int p : rankCounts)
    for (int m = 1; m <= 8 * p; ++m) {
      Instance one{p, m, 2, {1, 1, 1}};
      Timing timing = timingOf("zb-v", one.shape());
      ASSERT_EQ(timing.spanBubble, 2 * std::max(0, 2 * p - 1 - m)) << text(one);
      ASSERT_EQ(largestPeak(timing), std::min(2 * m, 2 * p)) << text(one);
    }
  const std::pair<int, double> uneven[] = {{2, 2}, {4, 6}, {8, 14}};
  for (const auto &[p, bubble] : uneven)
    EXPECT_EQ(
        timingOf("zb-v", {p, 4 * p, 2, std::nullopt, 0}, {1, 2, 1}).spanBubble,
        bubble);
  EXPECT_EQ(timingOf("zb-v", {2, 8, 2, std::nullopt, 0}, {1, 1, 2}).spanBubble,
            0);
}

TEST(ClosedForms, OfVHalfAndVMin) {
  for (int p = 2; p <= 16; ++p) {
    ScheduleShape shape{p, 8 * p, 2, std::nullopt, 0};
    Timing half = timingOf("v-half", shape), least = timingOf("v-min", shape);
    EXPECT_EQ(largestPeak(half), 2 * ((p + 2) / 2)) << p;
    EXPECT_EQ(largestPeak(least), 2 * ((p + 4) / 3)) << p;
    // About a half and two thirds of 1F1B's, in chunks.
    double full = 6 * (p - 1);
    EXPECT_LE(half.bubble, 0.5 * full) << p;
    EXPECT_LE(least.bubble, 2 * full / 3 + 1) << p;
  }
}

TEST(ClosedForms, OfDualPipe) {
  for (int p : rankCounts)
    for (int m = 2 * p; m <= 8 * p; ++m) {
      Timing timing = timingOf("dualpipev", {p, m, 2, std::nullopt, 0});
      ASSERT_EQ(timing.bubble, 2 * (p - 1)) << p << " " << m;
      ASSERT_EQ(timing.peak, std::vector<int>(p, 2 * p + 1)) << p << " " << m;
      if (p % 2 != 0 || m % 2 != 0)
        continue;
      timing = timingOf("dualpipe", {p, m, 1, std::nullopt, 0});
      ASSERT_EQ(timing.bubble, p - 2) << p << " " << m;
      ASSERT_EQ(timing.peak, std::vector<int>(p, p + 1)) << p << " " << m;
    }
  for (const auto &[f, b, w] : timeTriples())
    if (w <= f)
      EXPECT_EQ(
          timingOf("dualpipev", {2, 8, 2, std::nullopt, 0}, {f, b, w}).bubble,
          2 * f + b - w);
}

TEST(ClosedForms, OfLatency) {
  constexpr double c = 0.25;
  for (int p : rankCounts)
    for (int k = 1; k <= 8; ++k) {
      int m = k * p;
      ScheduleShape shape{p, m, 1, std::nullopt, 0};
      double full = (m + p - 1) * 3;
      // 1F1B waits in every round.
      EXPECT_EQ(timingOf("1f1b", shape, {}, c).makespan,
                full + 2 * c * ((p - 1) * k + (p - 2)));
      EXPECT_EQ(timingOf("gpipe", shape, {}, c).makespan,
                full + 2 * c * (p - 1));
      for (double latency : {c, 1.5})
        EXPECT_EQ(timingOf("eager-1f1b", shape, {}, latency).makespan,
                  full + 2 * latency * (p - 1));
      if (k >= 2)
        EXPECT_EQ(timingOf("zb-h1", shape, {}, c).bubble,
                  (p - 1) * (1 + 4 * c));
      for (int v : {2, 3})
        EXPECT_EQ(
            timingOf("interleaved", {p, m, v, std::nullopt, 0}, {}, c).bubble,
            (p - 1) * 3 + 2 * (p * v - 1) * c);
    }
}
