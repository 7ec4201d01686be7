// A softmax looks for the largest score of each query: its sum runs over keys.
// Behind it is a product of two activations, of which one has the queries, the
// other one the keys. What has both dimensions from there on is a matrix of
// that attention, in the backward pass too, and the products that make such
// matrices or use them have all that goes in and comes out.

#include "AttentionDims.h"

#include "partopt/Support/ArgumentRole.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace partopt;

/// Calls `visit(value, mapping)` for the tensors of an op.
template <typename Fn>
static void forEachTensor(const DimensionClasses::OpClasses &entry, Fn visit) {
  for (auto [value, mapping] :
       llvm::zip(entry.op->getOperands(), entry.rule.operands))
    visit(Value(value), mapping);
  for (auto [value, mapping] :
       llvm::zip(entry.op->getResults(), entry.rule.results))
    visit(Value(value), mapping);
}

void AttentionDims::readRoles() {
  for (BlockArgument argument : func.getArguments()) {
    StringRef role = roleOf(argument);
    isWeight[argument] = role == "param";
    if (role == "batch" && rankOf(argument) > 0)
      if (auto rows = dims.classOf(argument, 0))
        isRows[*rows] = true;
  }
  // Constants are no activations either.
  for (Operation &op : func.getBody().front().without_terminator()) {
    bool weight = llvm::all_of(op.getOperands(), [&](Value operand) {
      return isWeight.lookup(operand);
    });
    for (Value result : op.getResults())
      isWeight[result] = weight;
  }
}

/// The product of two activations of which only one has `keys`, seen through
/// the ops that have this dimension, and its dimension.
std::optional<AttentionDims::Place> AttentionDims::scoresOf(Place keys) const {
  llvm::DenseSet<Place> seen;
  SmallVector<Place> open{keys};
  while (!open.empty()) {
    Place place = open.pop_back_val();
    auto [value, dim] = place;
    Operation *op = value.getDefiningOp();
    auto known = op ? entries.find(op) : entries.end();
    if (known == entries.end() || !seen.insert(place).second)
      continue;
    const ShardingRule &rule = known->second->rule;
    unsigned result = cast<OpResult>(value).getResultNumber();
    unsigned factor = rule.results[result][dim].front();
    SmallVector<Place, 2> sources;
    for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule.operands))
      if (auto source = dimOfFactor(mapping, factor))
        sources.push_back({operand, *source});
    if (isa<stablehlo::DotGeneralOp>(op)) {
      if (sources.size() == 1 && !isWeight.lookup(op->getOperand(0)) &&
          !isWeight.lookup(op->getOperand(1)))
        return place;
      continue;
    }
    // A number per query that was spread over the keys has no keys.
    for (const Place &source : sources)
      if (rankOf(source.first) == rankOf(value))
        open.push_back(source);
  }
  return std::nullopt;
}

/// What has the scores' two dimensions, along ops whose tensors have both.
AttentionDims::Matrices AttentionDims::matricesOf(Value scores,
                                                  int64_t queryDim,
                                                  int64_t keyDim) const {
  Matrices matrices;
  matrices.insert({scores, {queryDim, keyDim}});
  SmallVector<Value> open{scores};
  auto follow = [&](Operation *op, Value from) {
    auto known = entries.find(op);
    if (known == entries.end() || isa<stablehlo::DotGeneralOp>(op))
      return;
    std::optional<std::pair<unsigned, unsigned>> factors;
    int64_t query = matrices.find(from)->second.first;
    int64_t key = matrices.find(from)->second.second;
    forEachTensor(*known->second, [&](Value value, const TensorMapping &map) {
      if (value == from && map[query].size() == 1 && map[key].size() == 1)
        factors = {map[query].front(), map[key].front()};
    });
    if (!factors)
      return;
    forEachTensor(*known->second, [&](Value value, const TensorMapping &map) {
      auto q = dimOfFactor(map, factors->first);
      auto k = dimOfFactor(map, factors->second);
      // Masks are the same for all layers.
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (q && k && isa<FloatType>(type.getElementType()) && !isSplat(value) &&
          matrices.insert({value, {*q, *k}}).second)
        open.push_back(value);
    });
  };
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (Operation *op = value.getDefiningOp())
      follow(op, value);
    for (Operation *user : value.getUsers())
      follow(user, value);
  }
  return matrices;
}

/// The largest factor that all tensors of a product have, beside the rows.
std::optional<unsigned>
AttentionDims::headFactor(const DimensionClasses::OpClasses &entry) const {
  std::optional<unsigned> best;
  for (auto [i, factor] : llvm::enumerate(entry.rule.factors)) {
    if (entry.factors[i] && isRows[*entry.factors[i]])
      continue;
    bool isShared = true;
    forEachTensor(entry, [&, f = unsigned(i)](Value, const TensorMapping &map) {
      isShared &= dimOfFactor(map, f).has_value();
    });
    if (isShared && (!best || factor.size > entry.rule.factors[*best].size))
      best = i;
  }
  return best;
}

/// What `entry`, which makes or uses a matrix, takes in and gives out.
void AttentionDims::addTensors(const DimensionClasses::OpClasses &entry,
                               const Matrices &matrices, Attention &attention) {
  std::optional<std::pair<unsigned, unsigned>> factors; // of queries and keys
  forEachTensor(entry, [&](Value value, const TensorMapping &map) {
    if (auto it = matrices.find(value); it != matrices.end())
      factors = {map[it->second.first].front(), map[it->second.second].front()};
  });
  if (!factors)
    return;
  std::optional<unsigned> heads = headFactor(entry);
  auto describe = [&](Value value, const TensorMapping &map) {
    AttentionTensor tensor;
    tensor.value = value;
    auto query = dimOfFactor(map, factors->first);
    auto key = dimOfFactor(map, factors->second);
    tensor.isKey = key.has_value();
    tensor.sequence = key ? *key : query.value_or(0);
    if (heads)
      tensor.heads = dimOfFactor(map, *heads);
    if (auto number = dims.classOf(value, tensor.sequence);
        number && (query || key))
      isSequence[*number] = true;
    return std::make_pair(tensor, query.has_value() != key.has_value());
  };
  for (OpOperand &operand : entry.op->getOpOperands()) {
    auto [tensor, isSide] = describe(
        operand.get(), entry.rule.operands[operand.getOperandNumber()]);
    tensor.use = &operand;
    if (isSide)
      attention.inputs.push_back(tensor);
  }
  auto [tensor, isSide] =
      describe(entry.op->getResult(0), entry.rule.results[0]);
  if (isSide)
    attention.outputs.push_back(tensor);
}

void AttentionDims::addAttention(Place keys, Place softmax) {
  auto [result, keyDim] = keys;
  Operation *scores = result.getDefiningOp();
  const DimensionClasses::OpClasses &entry = *entries.find(scores)->second;
  const TensorMapping &map = entry.rule.results[0];
  unsigned keySide =
      dimOfFactor(entry.rule.operands[1], map[keyDim].front()) ? 1 : 0;
  std::optional<int64_t> queryDim;
  for (auto [dim, factors] : llvm::enumerate(map)) {
    bool isQuery =
        dimOfFactor(entry.rule.operands[1 - keySide], factors.front()) &&
        !dimOfFactor(entry.rule.operands[keySide], factors.front());
    if (isQuery && sizeOf(result, dim) == sizeOf(result, keyDim))
      queryDim = dim;
  }
  if (!queryDim)
    return;
  Attention &attention = found.emplace_back();
  attention.scores = scores;
  attention.queries = sizeOf(result, *queryDim);
  attention.keys = sizeOf(result, keyDim);
  if (std::optional<unsigned> heads = headFactor(entry))
    attention.heads = entry.rule.factors[*heads].size;
  Matrices matrices = matricesOf(result, *queryDim, keyDim);
  attention.softmax = softmax.first;
  attention.keyDim = softmax.second;
  if (auto at = matrices.find(softmax.first); at != matrices.end())
    attention.queryDim = at->second.first;
  llvm::SetVector<Operation *> products;
  auto add = [&](Operation *op) {
    if (isa_and_nonnull<stablehlo::DotGeneralOp>(op) && entries.count(op))
      products.insert(op);
  };
  for (const auto &[matrix, places] : matrices) {
    if (Operation *op = matrix.getDefiningOp())
      attention.matrices.push_back(op);
    add(matrix.getDefiningOp());
    llvm::for_each(matrix.getUsers(), add);
  }
  SmallVector<Operation *> inOrder = products.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *product : inOrder)
    addTensors(*entries.find(product)->second, matrices, attention);
}

AttentionDims::AttentionDims(func::FuncOp func)
    : func(func), dims(func, /*majorOfMerged=*/true), isRows(dims.size()),
      isSequence(dims.size()) {
  for (const DimensionClasses::OpClasses &entry : dims.ops())
    entries[entry.op] = &entry;
  readRoles();
  llvm::DenseSet<Operation *> seen;
  for (const DimensionClasses::OpClasses &entry : dims.ops()) {
    auto reduce = dyn_cast<stablehlo::ReduceOp>(entry.op);
    if (!reduce || reduce.getInputs().size() != 1 ||
        reduce.getDimensions().size() != 1 ||
        bodyCombiner(reduce.getBody()) != Combiner::Max)
      continue;
    int64_t dim = reduce.getDimensions()[0];
    Value input = entry.op->getOperand(0);
    std::optional<Place> scores = scoresOf({input, dim});
    if (scores && seen.insert(scores->first.getDefiningOp()).second)
      addAttention(*scores, {input, dim});
  }
}

std::optional<int64_t> AttentionDims::sequenceOf(Value value) const {
  std::optional<int64_t> only;
  for (int64_t dim = 0; dim < rankOf(value); ++dim)
    if (auto number = dims.classOf(value, dim); number && isSequence[*number]) {
      if (only)
        return std::nullopt;
      only = dim;
    }
  return only;
}
