// A class of dimensions splits the products that have it as a factor, and makes
// partial sums of those that contract it: column and row splits alternate,
// since a product has room for one of its factors only, and what a column split
// makes is what the row split that costs nothing more contracts.

#include "TensorSplit.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/StorageAttributes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace mlir;
using namespace partopt;

static double bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? tensorBytes(type) : 0;
}

bool TensorSplit::isProduct(Operation *op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
}

bool TensorSplit::isMapped(const TensorMapping &mapping, unsigned factor) {
  return llvm::any_of(mapping, [&](const DimMapping &dim) {
    return llvm::is_contained(dim, factor);
  });
}

/// What a gather of the tensors that have `factor` sends.
double TensorSplit::gatherBytes(const DimensionClasses::OpClasses &entry,
                                unsigned factor) const {
  double bytes = 0;
  for (auto [operand, mapping] :
       llvm::zip(entry.op->getOperands(), entry.rule.operands))
    if (isMapped(mapping, factor))
      bytes += bytesOf(operand);
  return bytes * (devices - 1) / devices;
}

/// How many parts a dimension of this size has: one per device, or one per
/// element where several devices share each of them.
int64_t TensorSplit::partsOf(int64_t size) const {
  if (size == 0)
    return 1;
  return size >= devices ? devices : devices % size == 0 ? size : 1;
}

void TensorSplit::addProduct(const DimensionClasses::OpClasses &entry) {
  if (!isProduct(entry.op))
    return;
  double flops = 2;
  for (const Factor &factor : entry.rule.factors)
    flops *= factor.size;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [factor, number] : llvm::zip(entry.rule.factors, entry.factors)) {
    if (!number || factor.kind > FactorKind::Reduction ||
        !seen.insert(*number).second)
      continue;
    // Uneven parts are as slow as the largest.
    int64_t largest = llvm::divideCeil(factor.size, partsOf(factor.size));
    costs[*number].flops += flops * (1 - double(largest) / factor.size);
  }
}

void TensorSplit::addCosts(const DimensionClasses::OpClasses &entry) {
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [i, factor] : llvm::enumerate(entry.rule.factors)) {
    if (!entry.factors[i])
      continue;
    ClassCost &cost = costs[*entry.factors[i]];
    cost.size = std::max(cost.size, factor.size);
    bool isSecond = !seen.insert(*entry.factors[i]).second;
    bool isWhole = partsOf(factor.size) == 1;
    if (isSecond || isWhole || factor.kind > FactorKind::Reduction) {
      cost.bytes += gatherBytes(entry, i);
    } else if (factor.kind == FactorKind::Reduction) {
      for (Value result : entry.op->getResults())
        cost.bytes += 2 * bytesOf(result) * (devices - 1) / devices;
    }
  }
  // A merged dimension is split along its outermost factor only.
  auto merged = [&](const TensorMapping &mapping) {
    for (const DimMapping &dim : mapping)
      for (unsigned factor : llvm::drop_begin(dim))
        if (entry.factors[factor])
          costs[*entry.factors[factor]].bytes += gatherBytes(entry, factor);
  };
  llvm::for_each(entry.rule.operands, merged);
  llvm::for_each(entry.rule.results, merged);
}

/// Two candidates that one op has cannot both be split: its tensors have one
/// place for the axis.
void TensorSplit::addConflicts(const DimensionClasses::OpClasses &entry,
                               PairSet &pairs) {
  SmallVector<unsigned> present;
  for (std::optional<unsigned> number : entry.factors)
    if (number && costs[*number].isCandidate)
      present.push_back(*number);
  for (unsigned a : present)
    for (unsigned b : present)
      if (a < b)
        if (pairs.insert({a, b}).second) {
          conflicts[a].push_back(b);
          conflicts[b].push_back(a);
        }
}

/// What another recipe splits to compute with is taken: experts.
void TensorSplit::dropTaken(BlockArgument argument) {
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto words = func.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(),
                                                     kStorageOverrideAttr);
  sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
  if (!words || !sharding)
    return;
  for (auto [dim, axes] : llvm::enumerate(sharding.getDimShardings()))
    for (sdy::AxisRefAttr axis : axes.getAxes()) {
      auto word = words.getAs<StringAttr>(axis.getName());
      auto number = classes.classOf(argument, dim);
      if (number && word && word.getValue() == kComputeOver)
        costs[*number].isCandidate = false;
    }
}

void TensorSplit::markCandidates(func::FuncOp func) {
  auto rankOf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getRank() : 0;
  };
  for (BlockArgument argument : func.getArguments())
    if (roleOf(argument) == "param")
      for (int64_t dim = 0; dim < rankOf(argument); ++dim)
        if (auto number = classes.classOf(argument, dim))
          costs[*number].isCandidate = costs[*number].size >= devices;
  for (BlockArgument argument : func.getArguments())
    dropTaken(argument);
  for (BlockArgument argument : func.getArguments())
    if (roleOf(argument) == "batch" && rankOf(argument) > 0)
      if (auto rows = classes.classOf(argument, 0)) {
        costs[*rows].isCandidate = false;
        costs[*rows].isBatch = true;
      }
  dropDataDims(func);
}

/// A dimension that no product reads from weights is one of the data
/// (positions, which parameters may have as well): to split it leaves the
/// weights whole.
void TensorSplit::dropDataDims(func::FuncOp func) {
  BitVector ofWeights(costs.size());
  DenseSet<Value> ofBatch = valuesMadeOf(func, "batch");
  for (const DimensionClasses::OpClasses &entry : classes.ops())
    if (isProduct(entry.op))
      for (auto [operand, mapping] :
           llvm::zip(entry.op->getOperands(), entry.rule.operands))
        for (unsigned factor : llvm::seq<unsigned>(0, entry.factors.size()))
          if (entry.factors[factor] && isMapped(mapping, factor) &&
              !ofBatch.contains(operand))
            ofWeights.set(*entry.factors[factor]);
  for (unsigned i = 0; i < costs.size(); ++i)
    costs[i].isCandidate &= ofWeights.test(i);
}

TensorSplit::TensorSplit(func::FuncOp func, int64_t devices)
    : classes(func, /*majorOfMerged=*/true), devices(devices),
      costs(classes.size()) {
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    addCosts(entry);
    addProduct(entry);
  }
  markCandidates(func);
  conflicts.resize(classes.size());
  PairSet pairs;
  for (const DimensionClasses::OpClasses &entry : classes.ops())
    addConflicts(entry, pairs);
}

double TensorSplit::worth(unsigned number, double flopsPerByte) const {
  return costs[number].flops - flopsPerByte * costs[number].bytes;
}

/// Takes classes by bytes per operation, then exchanges while that gains.
void TensorSplit::choose(double flopsPerByte) {
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < costs.size(); ++i)
    if (costs[i].isCandidate && worth(i, flopsPerByte) > 0)
      order.push_back(i);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    double left = costs[a].bytes * costs[b].flops;
    double right = costs[b].bytes * costs[a].flops;
    return std::tie(left, a) < std::tie(right, b);
  });
  // What choosing a class throws out.
  auto lost = [&](unsigned number) {
    double sum = 0;
    for (unsigned other : conflicts[number])
      if (costs[other].isChosen)
        sum += worth(other, flopsPerByte);
    return sum;
  };
  bool isFirst = true, gains = true;
  while (gains) {
    gains = false;
    for (unsigned number : order) {
      double price = costs[number].isChosen ? 0 : lost(number);
      if (costs[number].isChosen || (isFirst && price > 0) ||
          worth(number, flopsPerByte) <= price)
        continue;
      for (unsigned other : conflicts[number])
        costs[other].isChosen = false;
      costs[number].isChosen = gains = true;
    }
    isFirst = false;
  }
}

unsigned TensorSplit::numChosen() const {
  return llvm::count_if(costs,
                        [](const ClassCost &cost) { return cost.isChosen; });
}

std::optional<std::pair<int64_t, int64_t>>
TensorSplit::dimOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
    auto number = classes.classOf(value, dim);
    int64_t parts = partsOf(type.getDimSize(dim));
    if (number && costs[*number].isChosen && parts > 1)
      return std::make_pair(dim, parts);
  }
  return std::nullopt;
}

/// A sum over a chosen class.
bool TensorSplit::isPartial(const DimensionClasses::OpClasses &entry) const {
  for (auto [factor, number] : llvm::zip(entry.rule.factors, entry.factors))
    if (number && factor.kind == FactorKind::Reduction &&
        factor.combiner == Combiner::Sum && costs[*number].isChosen)
      return true;
  return false;
}

SmallVector<TensorSplit::Choice>
TensorSplit::choices(func::FuncOp func,
                     const DimensionMeanings &meanings) const {
  llvm::MapVector<unsigned, Choice> byClass;
  for (BlockArgument argument : func.getArguments()) {
    auto part = dimOf(argument);
    if (!part || roleOf(argument) != "param")
      continue;
    unsigned number = *classes.classOf(argument, part->first);
    const ClassCost &cost = costs[number];
    auto [choice, isNew] =
        byClass.insert({number,
                        {argument, part->first, cost.size, meanings.of(number),
                         cost.flops, cost.bytes}});
    choice->second.stored += bytesOf(argument);
  }
  SmallVector<Choice> found;
  for (auto &[number, choice] : byClass) {
    auto *same = llvm::find_if(found, [&one = choice](const Choice &other) {
      return std::tie(other.size, other.meaning, other.flops, other.bytes,
                      other.stored) ==
             std::tie(one.size, one.meaning, one.flops, one.bytes, one.stored);
    });
    if (same == found.end())
      same = &found.emplace_back(choice);
    ++same->count;
  }
  return found;
}
