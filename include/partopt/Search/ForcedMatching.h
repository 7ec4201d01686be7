// Which pairs of a bipartite graph leave no choice.

#ifndef PARTOPT_SEARCH_FORCEDMATCHING_H
#define PARTOPT_SEARCH_FORCEDMATCHING_H

#include <string>
#include <vector>

namespace partopt {

/// Each item takes one of its places, each place one item.
struct MatchingProblem {
  /// By item: the places that it may take.
  std::vector<std::vector<unsigned>> places;
  unsigned numPlaces = 0;

  /// Empty, or what is wrong with the problem.
  std::string check() const;
};

/// By item: the place that it takes in every matching of the most items, or -1
/// where there are several such places or none. One maximum matching by
/// augmenting paths (H. W. Kuhn, 1955), and for each of its pairs one more
/// search without it: O(items * edges), each search within one component.
std::vector<int> forcedPlaces(const MatchingProblem &problem);

} // namespace partopt

#endif // PARTOPT_SEARCH_FORCEDMATCHING_H
