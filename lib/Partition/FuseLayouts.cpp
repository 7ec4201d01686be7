// A second opinion on the layouts that propagation gave to values in between.
// Propagation settles conflicts by order, not by cost: a mask of tokens by
// experts may follow the experts although everything around it is split by
// tokens. Here each op's result follows its operands instead, and a minimum cut
// chooses between the two layouts of every value at once. The choice counts
// only if the whole program then moves fewer bytes.

#include "ProgramPartition.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Search/MinCut.h"

using namespace mlir;
using namespace partopt;

namespace {

using Wanted = llvm::DenseMap<Value, Layout>;

/// The axes of every op under one assignment of layouts.
using Axes = llvm::DenseMap<Operation *, FactorAxes>;

class Fusion {
public:
  Fusion(ProgramPartition &partition, ReshardPrices &prices)
      : partition(partition), prices(prices),
        body(partition.func.getBody().front()) {}

  LogicalResult run() {
    for (Operation &op : body.without_terminator())
      if (!isa<sdy::ReshardOp>(op))
        if (auto rule = getPartitionRule(&op))
          rules[&op] = std::move(*rule);
    first.wanted = partition.wanted;
    if (!follow())
      return success();
    decide(first);
    decide(second);
    FailureOr<Side> fused = fuse();
    if (failed(fused))
      return failure();
    decide(*fused);
    if (total(*fused) < total(first))
      partition.wanted = fused->wanted;
    return success();
  }

private:
  struct Side {
    Wanted wanted;
    Axes axes;
  };

  ProgramPartition &partition;
  ReshardPrices &prices;
  Block &body;
  llvm::MapVector<Operation *, ShardingRule> rules;
  Side first, second;

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  FactorAxes choose(Operation *op, const OpLayouts &layouts) {
    return chooseFactorAxes(op, rules.find(op)->second, layouts,
                            partition.storage, prices);
  }

  void decide(Side &side) {
    for (auto &[op, rule] : rules)
      side.axes[op] = choose(op, partition.layoutsOf(op, side.wanted));
  }

  static double work(const ShardingRule &rule, const FactorAxes &axes) {
    double points = 1;
    for (auto [factor, list] : llvm::zip_equal(rule.factors, axes))
      points *= double(std::max<int64_t>(factor.size, 1)) / axesSize(list);
    return points;
  }

  /// Fills `second`: results in the layout in which their op leaves them when
  /// its operands stay as they are. False when that is nothing new.
  bool follow() {
    second.wanted = first.wanted;
    bool isNew = false;
    for (auto &[op, rule] : rules) {
      if (llvm::any_of(op->getResults(), isFree))
        continue;
      OpLayouts layouts = partition.layoutsOf(op, second.wanted);
      FactorAxes usual = choose(op, layouts);
      layouts.resultsAreOpen = true;
      FactorAxes axes = choose(op, layouts);
      if (work(rule, axes) > work(rule, usual))
        continue;
      for (auto [i, result] : llvm::enumerate(op->getResults())) {
        Layout raw = rawResultLayout(rule, i, axes);
        Layout &wanted = second.wanted[result];
        if (!raw.unreduced.empty() || !wanted.unreduced.empty() ||
            raw == wanted)
          continue;
        wanted = raw;
        isNew = true;
      }
    }
    return isNew;
  }

  Layout needed(const Side &side, Operation *op, unsigned i) const {
    return projectedLayout(rules.find(op)->second.operands[i],
                           side.axes.find(op)->second);
  }
  Layout raw(const Side &side, OpResult result) const {
    Operation *op = result.getOwner();
    return rawResultLayout(rules.find(op)->second, result.getResultNumber(),
                           side.axes.find(op)->second);
  }

  /// The layout that a use outside of the rules asks for; none: any.
  std::optional<Layout> demanded(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (auto reshard = dyn_cast<sdy::ReshardOp>(user))
      return first.wanted.find(reshard.getResult())->second;
    if (isTap(use))
      return std::nullopt;
    if (user == body.getTerminator()) {
      auto sharding =
          sdy::getFuncResultSharding(partition.func, use.getOperandNumber());
      if (sharding)
        return toLayout(sharding, partition.mesh, typeOf(use.get()).getRank());
      return std::nullopt;
    }
    return Layout::replicated(typeOf(use.get()).getRank());
  }

  /// Bytes that the program moves; uses in one layout share a reshard.
  double total(const Side &side) {
    double bytes = 0;
    auto add = [&](Value value) {
      if (isFree(value))
        return;
      auto result = dyn_cast<OpResult>(value);
      Layout wanted = side.wanted.find(value)->second, from = wanted;
      if (result && rules.contains(result.getOwner()))
        from = raw(side, result);
      if (!from.unreduced.empty()) {
        bytes += prices.price(typeOf(value), from, wanted);
        from = wanted;
      }
      SmallVector<Layout, 4> made{from};
      for (OpOperand &use : value.getUses()) {
        std::optional<Layout> to;
        if (rules.contains(use.getOwner()))
          to = needed(side, use.getOwner(), use.getOperandNumber());
        else
          to = demanded(use);
        if (!to || llvm::is_contained(made, *to))
          continue;
        made.push_back(*to);
        bytes += prices.price(typeOf(value), from, *to);
      }
    };
    llvm::for_each(body.getArguments(), add);
    for (Operation &op : body.without_terminator())
      llvm::for_each(op.getResults(), add);
    return bytes;
  }

  //===--- The cut: the source's side takes `first` -------------------------//

  MinCutProblem problem;
  llvm::DenseMap<Value, unsigned> valueNodes;
  llvm::DenseMap<Operation *, unsigned> opNodes;

  /// costs[a][b]: of node `x` on side a and node `y` on side b.
  void addPair(unsigned x, unsigned y, const double (&costs)[2][2]) {
    auto cost = [&](int a, int b) { return int64_t(costs[a][b]); };
    addSingle(x, cost(1, 0) - cost(0, 0));
    addSingle(y, cost(1, 1) - cost(1, 0));
    // Two ends that disagree at no more than the price of agreeing cannot be
    // expressed; they count as free, and the total decides in the end.
    int64_t apart = cost(0, 1) + cost(1, 0) - cost(0, 0) - cost(1, 1);
    if (apart > 0)
      problem.addEdge(x, y, apart);
  }
  /// What `node` on the target's side costs more than on the source's.
  void addSingle(unsigned node, int64_t more) {
    if (more > 0)
      problem.addEdge(0, node, more);
    else if (more < 0)
      problem.addEdge(node, 1, -more);
  }

  unsigned nodeOf(Operation *op) {
    auto [it, isNew] = opNodes.try_emplace(op, 0);
    if (isNew)
      it->second = problem.addNode();
    return it->second;
  }

  /// `price(side of the op, layout of the value)` between an op and a value.
  template <typename Price>
  void connect(Operation *op, Value value, Price price) {
    double costs[2][2];
    const Side *sides[] = {&first, &second};
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b)
        costs[a][b] = price(*sides[a], sides[b]->wanted.find(value)->second);
    auto node = valueNodes.find(value);
    if (node != valueNodes.end())
      addPair(nodeOf(op), node->second, costs);
    else
      addSingle(nodeOf(op), int64_t(costs[1][0] - costs[0][0]));
  }

  void connectOp(Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      unsigned number = i;
      Value value = operand;
      if (!isFree(value))
        connect(op, value, [&](const Side &side, const Layout &layout) {
          return prices.price(typeOf(value), layout, needed(side, op, number));
        });
    }
    for (OpResult result : op->getResults())
      if (!isFree(result))
        connect(op, result, [&](const Side &side, const Layout &layout) {
          return prices.price(typeOf(result), raw(side, result), layout);
        });
  }

  void connectDemands(Value value, unsigned node) {
    for (OpOperand &use : value.getUses()) {
      if (rules.contains(use.getOwner()))
        continue;
      std::optional<Layout> to = demanded(use);
      if (!to)
        continue;
      auto price = [&](const Side &side) {
        return prices.price(typeOf(value), side.wanted.find(value)->second,
                            *to);
      };
      addSingle(node, int64_t(price(second) - price(first)));
    }
  }

  FailureOr<Side> fuse() {
    for (auto &[op, rule] : rules)
      for (Value result : op->getResults())
        if (first.wanted[result] != second.wanted[result])
          valueNodes[result] = problem.addNode();
    for (auto &[op, rule] : rules) {
      bool touches = first.axes[op] != second.axes[op];
      auto isOpen = [&](Value value) { return valueNodes.contains(value); };
      if (touches || llvm::any_of(op->getOperands(), isOpen) ||
          llvm::any_of(op->getResults(), isOpen))
        connectOp(op);
      for (Value result : op->getResults())
        if (isOpen(result))
          connectDemands(result, valueNodes[result]);
    }
    MinCutSolution cut = solveMinCut(problem);
    if (std::string error = verifyMinCut(problem, cut); !error.empty())
      return partition.func.emitError()
             << "the choice of layouts does not prove: " << error;
    Side fused;
    fused.wanted = first.wanted;
    for (auto [value, node] : valueNodes)
      if (!cut.onSourceSide[node])
        fused.wanted[value] = second.wanted[value];
    return fused;
  }
};

} // namespace

LogicalResult partopt::fuseLayouts(ProgramPartition &partition,
                                   ReshardPrices &prices) {
  return Fusion(partition, prices).run();
}
