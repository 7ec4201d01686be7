//===- BucketBoundaries.cpp - Which gradients share a bucket --------------===//
//
// Dynamic programming over prefixes: finish(j) = min over i < j of
// max(finish(i), ready(j)) + latency + bytes(i, j) / bandwidth.
//
//===----------------------------------------------------------------------===//

#include "partopt/Schedule/BucketBoundaries.h"

#include <algorithm>
#include <deque>

using namespace partopt;

namespace {

/// A prefix of the gradients: when it can be done at the earliest, its bytes.
struct Prefix {
  double finish = 0, bytes = 0;
  size_t cut = 0; ///< where its last bucket begins
};

/// finish() without the part that every later bucket adds alike.
double offsetOf(const Prefix &prefix, const LinkCost &link) {
  return prefix.finish - prefix.bytes / link.bytesPerSecond;
}

std::vector<Prefix> finishTimes(const std::vector<ReadyGradient> &gradients,
                                const LinkCost &link) {
  std::vector<Prefix> prefixes(gradients.size() + 1);
  size_t free = 0;            // the last prefix that is done when j is ready
  std::deque<size_t> waiting; // prefixes behind it, the best one first
  for (size_t j = 1; j <= gradients.size(); ++j) {
    const ReadyGradient &gradient = gradients[j - 1];
    while (!waiting.empty() && offsetOf(prefixes[j - 1], link) <=
                                   offsetOf(prefixes[waiting.back()], link))
      waiting.pop_back();
    waiting.push_back(j - 1);
    while (free + 1 < j && prefixes[free + 1].finish <= gradient.seconds)
      ++free;
    while (!waiting.empty() && waiting.front() <= free)
      waiting.pop_front();
    double bytes = prefixes[j - 1].bytes + gradient.bytes;
    auto with = [&](size_t cut) {
      return std::max(prefixes[cut].finish, gradient.seconds) +
             link.seconds(bytes - prefixes[cut].bytes);
    };
    prefixes[j] = {with(free), bytes, free};
    if (!waiting.empty())
      if (double finish = with(waiting.front()); finish < prefixes[j].finish)
        prefixes[j] = {finish, bytes, waiting.front()};
  }
  return prefixes;
}

} // namespace

std::vector<unsigned>
partopt::chooseBuckets(const std::vector<ReadyGradient> &gradients,
                       const LinkCost &link) {
  std::vector<Prefix> prefixes = finishTimes(gradients, link);
  // From the back, each bucket as large as the deadline allows: taking more
  // leaves the rest no harder a problem, so this is the fewest. A prefix that
  // is done too late for one bucket is too late for those before it as well,
  // whose deadlines are earlier by a latency: nothing is looked at twice.
  std::vector<unsigned> ends;
  double deadline = prefixes.back().finish, slack = 1e-12 * deadline;
  size_t lowest = gradients.size(); // cuts from here on have been looked at
  for (size_t end = gradients.size(); end > 0;) {
    ends.push_back(static_cast<unsigned>(end));
    // When a bucket of [cut, end) has to start.
    auto startOf = [&](size_t cut) {
      return deadline - link.seconds(prefixes[end].bytes - prefixes[cut].bytes);
    };
    size_t best = prefixes[end].cut;
    for (size_t cut = std::min(end, lowest); cut-- > 0;) {
      double start = startOf(cut) + slack;
      if (start < gradients[end - 1].seconds)
        break;
      lowest = cut;
      if (prefixes[cut].finish <= start)
        best = std::min(best, cut);
    }
    deadline = startOf(best);
    end = best;
  }
  std::reverse(ends.begin(), ends.end());
  return ends;
}

double partopt::bucketsFinish(const std::vector<ReadyGradient> &gradients,
                              const std::vector<unsigned> &ends,
                              const LinkCost &link) {
  double finish = 0;
  unsigned begin = 0;
  for (unsigned end : ends) {
    double bytes = 0;
    for (unsigned i = begin; i < end; ++i)
      bytes += gradients[i].bytes;
    finish = std::max(finish, gradients[end - 1].seconds) + link.seconds(bytes);
    begin = end;
  }
  return finish;
}
