// See GivenCut.h.

#include "GivenCut.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace partopt;

using Place = LayerPlaces::Place;

/// Cuts at the place of `range` where least crosses. False where what begins
/// there is not behind `last`, the end of the range before, which it becomes.
static bool cutWithin(std::pair<int64_t, int64_t> range, int64_t &last,
                      ArrayRef<double> crossings, std::vector<int64_t> &cuts) {
  auto [from, to] = range;
  from = std::max(from, last + 1);
  to = std::min(to, int64_t(crossings.size()) - 1);
  if (from > to)
    return false;
  const double *least =
      std::min_element(crossings.begin() + from, crossings.begin() + to + 1);
  cuts.push_back(least - crossings.begin());
  last = to;
  return true;
}

FailureOr<std::vector<int64_t>>
partopt::cutByCounts(const PipelineBody &body, const LayerPlaces &places,
                     ArrayRef<int64_t> counts, ArrayRef<double> crossings) {
  SmallVector<Place, 0> layers = places.numbered();
  std::string list = llvm::join(
      llvm::map_range(counts, [](int64_t n) { return std::to_string(n); }),
      ",");
  int64_t sum = 0;
  for (int64_t count : counts)
    sum += count;
  comm::LoopBeginOp begin = body.begin;
  if (sum != int64_t(layers.size()))
    return begin.emitError()
           << "--stages " << list << " are " << sum
           << (sum == 1 ? " layer" : " layers") << ", and the step has "
           << layers.size() << (layers.empty() ? "" : ": ") << namesOf(layers)
           << (layers.empty() ? "; name some with --layer REGEX=NAME" : "");
  std::vector<int64_t> cuts;
  int64_t number = 0, last = 0;
  for (int64_t count : counts.drop_back()) {
    number += count;
    auto range = number < int64_t(layers.size())
                     ? places.beginsFor(layers[number].first)
                     : places.beginsBehind(layers.back());
    if (!cutWithin(range, last, crossings, cuts)) {
      InFlightDiagnostic error = begin.emitError();
      error << "--stages " << list << ": ";
      if (number == 0)
        error << "nothing is in front of layer " << layers.front().name
              << ", so the first stage needs at least one layer";
      else if (number == int64_t(layers.size()))
        error << "nothing is behind layer " << layers.back().name
              << ", so the last stage needs at least one layer";
      else
        error << "layers " << layers[number - 1].name << " and "
              << layers[number].name
              << " share their operations; put them in one stage";
      return error;
    }
  }
  return cuts;
}

static const Place *firstMatch(ArrayRef<Place> places, llvm::Regex &regex) {
  auto *found = llvm::find_if(
      places, [&](const Place &place) { return regex.match(place.name); });
  return found == places.end() ? nullptr : found;
}

FailureOr<std::vector<int64_t>>
partopt::cutByNames(const PipelineBody &body, const LayerPlaces &places,
                    ArrayRef<std::string> begins, ArrayRef<double> crossings) {
  std::vector<int64_t> cuts;
  std::string before;
  int64_t last = 0;
  comm::LoopBeginOp begin = body.begin;
  for (auto [i, text] : llvm::enumerate(begins)) {
    llvm::Regex regex(text);
    const Place *at = firstMatch(places.layers, regex);
    if (!at)
      at = firstMatch(places.parameters, regex);
    if (!at)
      return begin.emitError()
             << "--stages at: '" << text
             << "' matches no layer and no parameter that the forward part "
                "reads; layers are "
             << namesOf(places.layers) << "; parameters are "
             << namesOf(places.parameters);
    bool isCut = cutWithin(places.beginsFor(at->first), last, crossings, cuts);
    if (!isCut && cuts.empty())
      return begin.emitError()
             << "--stages at: '" << text << "' is " << at->name
             << ", in front of which nothing is: the first stage is there "
                "already, name where the second one begins";
    if (!isCut)
      return begin.emitError()
             << "--stages at: '" << text << "' is " << at->name
             << ", which is not behind " << before
             << ", where the stage before begins; in forward order there are "
             << namesOf(places.layers);
    before = at->name;
  }
  return cuts;
}
