// See ForcedMatching.h.

#include "partopt/Search/ForcedMatching.h"

using namespace partopt;

std::string MatchingProblem::check() const {
  for (size_t item = 0; item < places.size(); ++item)
    for (unsigned place : places[item])
      if (place >= numPlaces)
        return "item " + std::to_string(item) + " may take place " +
               std::to_string(place) + " of " + std::to_string(numPlaces);
  return "";
}

namespace {
class Matcher {
public:
  explicit Matcher(const MatchingProblem &problem)
      : problem(problem), placeOf(problem.places.size(), -1),
        itemAt(problem.numPlaces, -1), seen(problem.numPlaces, 0) {}

  std::vector<int> run() {
    for (unsigned item = 0; item < placeOf.size(); ++item)
      search(item);
    std::vector<int> forced = placeOf;
    for (unsigned item = 0; item < placeOf.size(); ++item)
      if (placeOf[item] >= 0 && hasOther(item))
        forced[item] = -1;
    return forced;
  }

private:
  /// Finds a place for `item` by moving others; changes nothing if there is
  /// none.
  bool search(unsigned item) {
    ++round;
    return augment(item);
  }

  bool augment(unsigned item) {
    for (unsigned place : problem.places[item]) {
      bool isBanned = int(item) == bannedItem && int(place) == bannedPlace;
      if (isBanned || seen[place] == round)
        continue;
      seen[place] = round;
      if (itemAt[place] >= 0 && !augment(itemAt[place]))
        continue;
      itemAt[place] = int(item);
      placeOf[item] = int(place);
      return true;
    }
    return false;
  }

  /// As many items can be matched with `item` elsewhere, or with another item
  /// in its stead.
  bool hasOther(unsigned item) {
    std::vector<int> places = placeOf, items = itemAt;
    bannedItem = int(item), bannedPlace = placeOf[item];
    itemAt[bannedPlace] = -1;
    placeOf[item] = -1;
    bool found = search(item);
    // Another search from an item that was left over reaches the same places.
    for (unsigned other = 0; other < placeOf.size() && !found; ++other)
      found = other != item && placeOf[other] < 0 && search(other);
    bannedItem = bannedPlace = -1;
    if (found)
      placeOf = std::move(places), itemAt = std::move(items);
    else
      placeOf[item] = places[item], itemAt[places[item]] = int(item);
    return found;
  }

  const MatchingProblem &problem;
  std::vector<int> placeOf, itemAt;
  std::vector<unsigned> seen; ///< by place: the last search that tried it
  unsigned round = 0;
  int bannedItem = -1, bannedPlace = -1;
};
} // namespace

std::vector<int> partopt::forcedPlaces(const MatchingProblem &problem) {
  return Matcher(problem).run();
}
