// See LayerPlaces.h.

#include "LayerPlaces.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/Layers.h"
#include "partopt/Support/ArgumentRole.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partopt;

int64_t partopt::rowTakenBy(Operation *op) {
  auto slice = dyn_cast<stablehlo::SliceOp>(op);
  if (!slice)
    return -1;
  auto from = cast<RankedTensorType>(slice.getOperand().getType());
  auto to = cast<RankedTensorType>(slice.getType());
  if (from.getRank() < 1 || from.getDimSize(0) < 2 || to.getDimSize(0) != 1)
    return -1;
  return slice.getStartIndices()[0];
}

LayerPlaces::LayerPlaces(func::FuncOp func, const PipelineBody &body)
    : length(int64_t(body.forward.size())) {
  for (BlockArgument argument : func.getArguments())
    if (roleOf(argument) == "param")
      read(func, argument, body);
  llvm::sort(reads);
  reads.erase(llvm::unique(reads), reads.end());
  auto byFirst = [](const Place &a, const Place &b) {
    return std::tie(a.first, a.name) < std::tie(b.first, b.name);
  };
  llvm::sort(layers, byFirst);
  llvm::sort(parameters, byFirst);
}

void LayerPlaces::add(SmallVectorImpl<Place> &places,
                      llvm::StringMap<unsigned> &index, StringRef name,
                      int64_t at) {
  if (name.empty())
    return;
  auto [known, isNew] = index.try_emplace(name, unsigned(places.size()));
  if (isNew)
    places.push_back({name.str(), at, at});
  Place &place = places[known->second];
  place.first = std::min(place.first, at);
  place.last = std::max(place.last, at);
}

/// What reads the argument, through what is made of it in front of the loop.
void LayerPlaces::read(func::FuncOp func, BlockArgument argument,
                       const PipelineBody &body) {
  auto textOf = [&](StringRef attribute) {
    auto text =
        func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attribute);
    return text ? text.getValue() : StringRef();
  };
  StringRef layer = textOf(kLayerAttr), name = textOf("partopt.name");
  size_t star = layer.find(kEveryRow);
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> work{{argument, -1}};
  while (!work.empty()) {
    auto [value, row] = work.pop_back_val();
    if (!seen.insert({value, row}).second)
      continue;
    for (Operation *user : value.getUsers()) {
      int64_t own = row < 0 && star != StringRef::npos ? rowTakenBy(user) : row;
      std::optional<int64_t> at = body.forwardPosition(user);
      if (!at) {
        if (body.isInFront(user))
          for (Value result : user->getResults())
            work.push_back({result, own});
        continue;
      }
      reads.push_back(*at);
      add(parameters, parameterIndex, name, *at);
      if (star == StringRef::npos)
        add(layers, layerIndex, layer, *at);
      else if (own >= 0)
        add(layers, layerIndex,
            (layer.take_front(star) + Twine(own) + layer.drop_front(star + 1))
                .str(),
            *at);
    }
  }
}

SmallVector<LayerPlaces::Place, 0> LayerPlaces::numbered() const {
  SmallVector<Place, 0> found;
  for (const Place &layer : layers)
    if (llvm::any_of(layer.name, llvm::isDigit))
      found.push_back(layer);
  return found.empty() ? layers : found;
}

std::pair<int64_t, int64_t> LayerPlaces::beginsFor(int64_t first) const {
  auto own = llvm::lower_bound(reads, first);
  return {own == reads.begin() ? 0 : *std::prev(own) + 1, first};
}

std::pair<int64_t, int64_t>
LayerPlaces::beginsBehind(const Place &layer) const {
  for (const Place &next : layers)
    if (next.first > layer.first)
      return beginsFor(next.first);
  auto next = llvm::upper_bound(reads, layer.last);
  return {layer.last + 1, next == reads.end() ? length - 1 : *next};
}

std::string LayerPlaces::nameAt(int64_t position) const {
  auto next = llvm::lower_bound(reads, position);
  const Place *before = nullptr;
  for (const Place &layer : layers) {
    if (next != reads.end() && layer.first == *next)
      return layer.name;
    if (layer.first < position)
      before = &layer;
  }
  if (!before)
    return "";
  return (before->last < position ? "behind " : "within ") + before->name;
}

std::string partopt::namesOf(ArrayRef<LayerPlaces::Place> places) {
  constexpr size_t kEnds = 6;
  std::string text;
  for (auto [i, place] : llvm::enumerate(places)) {
    if (i >= kEnds && i + kEnds < places.size()) {
      if (i == kEnds)
        text += ", …";
      continue;
    }
    text += (text.empty() ? "" : ", ") + place.name;
  }
  return text;
}
