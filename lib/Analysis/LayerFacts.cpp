// Layers outside of repeats, what the user says of them, and what follows for
// ops and arguments.

#include "LayerFinder.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

/// The name of each piece's group. A group without a matrix (a norm between two
/// convolutions) joins the one before it, or the one behind at the beginning.
std::vector<std::string> LayerFinder::groupsOf(unsigned first, unsigned last) {
  std::vector<std::string> groups;
  std::map<std::string, bool> hasMatrix;
  for (unsigned i = first; i < last; ++i) {
    std::string group = numberedNameOf(pieces[i]);
    if (group.empty())
      group = firstWord(nameOf(pieces[i].id.argument));
    hasMatrix[group] |= pieces[i].isMatrix;
    groups.push_back(group);
  }
  std::map<std::string, std::string> joins;
  std::string before;
  for (const std::string &group : groups) {
    if (hasMatrix[group])
      before = group;
    else if (!before.empty())
      joins.insert({group, before});
  }
  for (std::string &group : llvm::reverse(groups)) {
    if (hasMatrix[group])
      before = group;
    else if (!joins.count(group) && !before.empty())
      joins.insert({group, before});
  }
  for (std::string &group : groups)
    if (auto found = joins.find(group); found != joins.end())
      group = found->second;
  return groups;
}

/// Without numbers in names a stretch is one layer, called by its place.
std::string LayerFinder::runName(unsigned first, unsigned last) {
  std::string name = firstWord(nameOf(pieces[first].id.argument));
  for (unsigned i = first; i < last; ++i)
    if (firstWord(nameOf(pieces[i].id.argument)) != name)
      name = "";
  if (!name.empty())
    return name;
  if (first == 0)
    return last == pieces.size() ? "model" : "first";
  return last == pieces.size() ? "last" : "middle";
}

void LayerFinder::plainRun(unsigned first, unsigned last) {
  bool isNumbered = llvm::any_of(llvm::seq(first, last), [&](unsigned i) {
    return !numberedNameOf(pieces[i]).empty();
  });
  std::vector<std::string> groups;
  if (isNumbered)
    groups = groupsOf(first, last);
  else
    groups.assign(last - first, runName(first, last));
  std::map<std::string, unsigned> made;
  for (unsigned i = first; i < last; ++i) {
    auto [found, isNew] = made.insert({groups[i - first], 0});
    if (isNew) {
      int64_t start = pieces[i].firstUse;
      if (i == first && behind >= 0)
        start = std::min(start, behind);
      found->second = newLayer(groups[i - first], start);
    }
    pieces[i].layer = found->second;
  }
  behind = -1;
}

/// Puts arguments with `partopt.layer` where it says, makes names unique, and
/// brings layers into the order of their starts.
void LayerFinder::applyGiven() {
  std::map<std::string, unsigned> byName;
  for (auto [i, layer] : llvm::enumerate(result.layers)) {
    std::string name = layer.name;
    for (unsigned again = 2; !byName.insert({name, i}).second; ++again)
      name = layer.name + "_" + std::to_string(again);
    layer.name = name;
  }
  for (Piece &piece : pieces) {
    auto given =
        func.getArgAttrOfType<StringAttr>(piece.id.argument, kLayerAttr);
    if (!given || given.getValue().empty())
      continue;
    std::string name = given.getValue().str();
    if (size_t star = name.find(kEveryRow);
        star != name.npos && piece.id.row >= 0)
      name.replace(star, 1, std::to_string(piece.id.row));
    auto [found, isNew] = byName.insert({name, 0});
    if (isNew)
      found->second = newLayer(name, piece.firstUse);
    piece.layer = found->second;
  }
  for (Piece &piece : pieces)
    result.layers[piece.layer].parameters.push_back(piece.id);
  std::vector<unsigned> order, number(result.layers.size(), 0);
  for (unsigned i = 0; i < result.layers.size(); ++i)
    if (!result.layers[i].parameters.empty())
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(starts[a], a) < std::pair(starts[b], b);
  });
  std::vector<Layer> sorted;
  std::vector<int64_t> sortedStarts;
  for (unsigned i : order) {
    number[i] = sorted.size();
    sorted.push_back(std::move(result.layers[i]));
    sortedStarts.push_back(starts[i]);
  }
  result.layers = std::move(sorted);
  starts = std::move(sortedStarts);
  for (Piece &piece : pieces) {
    piece.layer = number[piece.layer];
    result.layers[piece.layer].bytes += piece.bytes;
  }
}

void LayerFinder::placeOps() {
  if (result.layers.empty())
    return;
  unsigned layer = 0;
  for (auto [at, op] : llvm::enumerate(ops)) {
    while (layer + 1 < starts.size() && starts[layer + 1] <= int64_t(at))
      ++layer;
    result.ofOp[op] = layer;
    ++result.layers[layer].forwardOps;
    result.layers[layer].flops += opFlops(op);
  }
}

/// A whole number whose next value depends on itself and constants alone.
bool LayerFinder::isCounter(unsigned argument) {
  auto type = cast<RankedTensorType>(block.getArgument(argument).getType());
  std::optional<unsigned> next = nextResultOf(func, argument);
  if (!type.getElementType().isInteger() || type.getRank() != 0 || !next)
    return false;
  Value nextValue = block.getTerminator()->getOperand(*next);
  SmallVector<Value> work{nextValue};
  llvm::SmallDenseSet<Value> seen;
  bool usesItself = false;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (value == block.getArgument(argument)) {
      usesItself = value != nextValue;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || seen.size() > 16)
      return false;
    llvm::append_range(work, op->getOperands());
  }
  return usesItself;
}

/// The layers that read each parameter.
void LayerFinder::collectReaders() {
  for (const Piece &piece : pieces) {
    ArgumentFacts &about = result.facts[piece.id.argument];
    auto add = [&](unsigned layer) {
      if (!llvm::is_contained(about.layers, layer))
        about.layers.push_back(layer);
    };
    add(piece.layer);
    for (Operation *op : piece.reads)
      if (auto layer = result.layerOf(op); layer && *layer != piece.layer) {
        add(*layer);
        about.isTied = true;
      }
  }
}

void LayerFinder::collectFacts(unsigned argument) {
  ArgumentFacts &about = result.facts[argument];
  BlockArgument value = block.getArgument(argument);
  about.isCounter = isCounter(argument);
  StringRef role = roleOf(func, argument);
  bool isOwn = llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == block.getTerminator();
  });
  about.isUnused = isOwn;
  if (role != "param")
    return;
  about.isUnused |= about.layers.empty();
  about.isFrozen = !about.isUnused && step.hasBackward() &&
                   step.updateOf(argument).gradients.empty();
}

void LayerFinder::stateBelongsTo(unsigned state, unsigned parameter) {
  ArgumentFacts &about = result.facts[state];
  about.isStacked = result.facts[parameter].isStacked;
  for (unsigned layer : result.facts[parameter].layers)
    if (!llvm::is_contained(about.layers, layer))
      about.layers.push_back(layer);
}
