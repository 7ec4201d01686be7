// Clusters to functions. Reshapes at a kernel's border stay outside as views,
// pointwise kernels lose their shape (so that equal ones of different shapes
// are one function), and the program is put back into an order that follows
// the data and keeps the collectives' order.
#include "FormKernels.h"
#include "FusionGraph.h"
#include "KernelPlan.h"
#include "Rules.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/CSE.h"
#include <queue>

using namespace mlir;

namespace partopt::codegen {
namespace {

using namespace stablehlo;

class Outliner {
public:
  Outliner(func::FuncOp program, const KernelTarget &target)
      : program(program), target(target), block(program.getBody().front()),
        graph(block, target), builder(program.getContext()),
        symbols(program->getParentOfType<ModuleOp>()) {}

  LogicalResult run();

private:
  struct Kernel {
    SmallVector<Operation *> ops;
    SmallVector<Value> inputs, outputs;
  };

  LogicalResult check();
  Kernel withoutBorderReshapes(const Cluster &cluster);
  void sortByUse(const llvm::SetVector<Operation *> &needed, Kernel &kernel);
  void outline(const Cluster &cluster);
  func::FuncOp build(const Kernel &kernel, bool isFlat);
  func::FuncOp shared(func::FuncOp function);
  bool canBeFlat(const Kernel &kernel) const;
  Value view(Location loc, Value value, Type type);
  void sortProgram();

  func::FuncOp program;
  const KernelTarget target;
  Block &block;
  FusionGraph graph;
  OpBuilder builder;
  SymbolTable symbols;
  unsigned skipped = 0; ///< names that the program has already
  /// Section, and in it the position of a cluster's last op.
  using Key = std::pair<unsigned, unsigned>;
  Key key; ///< of the cluster at hand
  llvm::StringMap<func::FuncOp> bodies;
  llvm::DenseMap<Value, Value> replacements; ///< old result to new value
  llvm::DenseMap<Operation *, Key> keys;     ///< of the ops that stay

  Key keyOf(Operation *op) {
    return {graph.sectionOf(op), graph.positionOf(op)};
  }
};

Value Outliner::view(Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Value result = builder.create<ReshapeOp>(loc, type, value);
  keys[result.getDefiningOp()] = key;
  return result;
}

LogicalResult Outliner::check() {
  for (Operation &op : block)
    if (!FusionGraph::isBarrier(&op) && failed(checkKernelOp(&op)))
      return failure();
  return success();
}

/// Producers right before their first user, from the first output on: the order
/// of the program at hand must not tell equal kernels apart.
void Outliner::sortByUse(const llvm::SetVector<Operation *> &needed,
                         Kernel &kernel) {
  llvm::SetVector<Operation *> sorted;
  auto visit = [&](auto &self, Operation *op) -> void {
    if (!op || sorted.contains(op) || !needed.contains(op))
      return;
    for (Value operand : op->getOperands())
      self(self, operand.getDefiningOp());
    sorted.insert(op);
  };
  for (Value output : kernel.outputs)
    visit(visit, output.getDefiningOp());
  kernel.ops = llvm::to_vector(sorted);
}

/// The cluster's ops, with reshapes of inputs and to outputs left outside.
Outliner::Kernel Outliner::withoutBorderReshapes(const Cluster &cluster) {
  Kernel kernel;
  SmallVector<Operation *> all = graph.allOps(cluster);
  llvm::DenseSet<Operation *> inside(all.begin(), all.end());
  // Reshapes of values from outside are views before the call.
  for (Operation *op : all) {
    if (isa<ReshapeOp>(op) &&
        !inside.contains(op->getOperand(0).getDefiningOp()))
      inside.erase(op);
  }
  llvm::SetVector<Value> outputs;
  for (Value output : graph.outputs(cluster)) {
    Value stored = output;
    while (auto reshape = stored.getDefiningOp<ReshapeOp>()) {
      if (!inside.contains(reshape))
        break;
      stored = reshape.getOperand();
    }
    if (inside.contains(stored.getDefiningOp()))
      outputs.insert(stored);
  }
  kernel.outputs = llvm::to_vector(outputs);
  llvm::SetVector<Operation *> needed;
  for (Value output : outputs)
    needed.insert(output.getDefiningOp());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (inside.contains(operand.getDefiningOp()))
        needed.insert(operand.getDefiningOp());
  sortByUse(needed, kernel);
  llvm::SetVector<Value> inputs;
  for (Operation *op : kernel.ops)
    for (Value operand : op->getOperands())
      if (!needed.contains(operand.getDefiningOp()))
        inputs.insert(operand);
  kernel.inputs = llvm::to_vector(inputs);
  return kernel;
}

/// Pointwise kernels: every op elementwise on one shape or on scalars, with
/// splats of scalars.
bool Outliner::canBeFlat(const Kernel &kernel) const {
  ArrayRef<int64_t> shape;
  auto fits = [&](Value value) {
    ArrayRef<int64_t> own = tensorOf(value).getShape();
    if (own.empty())
      return true;
    if (shape.empty())
      shape = own;
    return own == shape;
  };
  for (Operation *op : kernel.ops) {
    DenseElementsAttr constant = constantOf(op);
    auto broadcast = dyn_cast<BroadcastInDimOp>(op);
    bool isSplat =
        (constant && constant.isSplat()) ||
        (broadcast && tensorOf(broadcast.getOperand()).getRank() == 0);
    if (!isSplat && !op->hasTrait<Elementwise>())
      return false;
    if (!llvm::all_of(op->getResults(), fits))
      return false;
  }
  return llvm::all_of(kernel.inputs, fits) && shape.size() > 1;
}

Type flattened(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() < 2 ? type
                              : RankedTensorType::get({tensor.getNumElements()},
                                                      tensor.getElementType());
}

/// A clone of `op` on one-dimensional tensors.
Operation *flatClone(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  Operation *clone = builder.clone(*op, mapping);
  for (OpResult result : clone->getResults())
    result.setType(flattened(result.getType()));
  if (auto constant = dyn_cast<ConstantOp>(clone)) {
    auto type = cast<RankedTensorType>(constant.getType());
    constant.setValueAttr(constantOf(op).resizeSplat(type));
  }
  return clone;
}

/// True for a result that the op writes though nobody reads it, and that the
/// stack has no room for.
bool isLargeUnread(Operation *op, Value result) {
  const OpRule *rule = RuleTable::get().lookup(op);
  RankedTensorType type = tensorOf(result);
  return rule && rule->emit && result.use_empty() &&
         type.getNumElements() * storageBytes(type.getElementType()) >
             kScratchOnStack;
}

/// Further results of a kernel, for the memory that its ops need for a while.
void addScratch(func::FuncOp function) {
  Block &body = function.getBody().front();
  OpBuilder builder(body.getTerminator());
  SmallVector<Value> results(body.getTerminator()->getOperands());
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    for (Value result : op.getResults())
      if (isLargeUnread(&op, result))
        results.push_back(result);
    llvm::append_range(results, createScratch(builder, &op));
  }
  body.getTerminator()->setOperands(results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
}

func::FuncOp Outliner::build(const Kernel &kernel, bool isFlat) {
  auto typeOf = [&](Value value) {
    return isFlat ? flattened(value.getType()) : value.getType();
  };
  SmallVector<Type> inputTypes, outputTypes;
  for (Value input : kernel.inputs)
    inputTypes.push_back(typeOf(input));
  for (Value output : kernel.outputs)
    outputTypes.push_back(typeOf(output));
  SmallVector<Location> locs;
  for (Operation *op : kernel.ops)
    locs.push_back(op->getLoc());
  auto function =
      func::FuncOp::create(FusedLoc::get(program.getContext(), locs), "k",
                           builder.getFunctionType(inputTypes, outputTypes));
  function.setPrivate();
  function->setAttr("partopt.kernel", builder.getUnitAttr());
  Block *body = function.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  mapping.map(kernel.inputs, body->getArguments());
  for (Operation *op : kernel.ops) {
    Operation *clone =
        isFlat ? flatClone(inner, op, mapping) : inner.clone(*op, mapping);
    // Annotations (shardings, hints) must not tell equal kernels apart.
    clone->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  }
  SmallVector<Value> results;
  for (Value output : kernel.outputs)
    results.push_back(mapping.lookup(output));
  inner.create<func::ReturnOp>(function.getLoc(), results);
  IRRewriter rewriter(program.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  // A GPU's kernels have scratch memory beside their results.
  if (!target.isGpu)
    addScratch(function);
  return function;
}

/// The function with the same body, or this one under a new name.
func::FuncOp Outliner::shared(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream out(text);
  function.print(out, OpPrintingFlags().useLocalScope());
  auto [it, isNew] = bodies.try_emplace(text, function);
  if (!isNew) {
    function.erase();
    return it->second;
  }
  std::string name;
  do
    name = "k" + std::to_string(bodies.size() - 1 + skipped);
  while (symbols.lookup(name) && ++skipped);
  function.setName(name);
  symbols.insert(function);
  return function;
}

void Outliner::outline(const Cluster &cluster) {
  key = keyOf(cluster.ops.back());
  Kernel kernel = withoutBorderReshapes(cluster);
  auto current = [&](Value value) {
    auto it = replacements.find(value);
    return it == replacements.end() ? value : it->second;
  };
  // Views before the call: of inputs and of what becomes an input.
  builder.setInsertionPoint(block.getTerminator());
  for (Operation *op : graph.allOps(cluster))
    if (isa<ReshapeOp>(op) && !llvm::is_contained(kernel.ops, op) &&
        !replacements.contains(op->getResult(0)) &&
        !llvm::is_contained(kernel.ops, op->getOperand(0).getDefiningOp()))
      replacements[op->getResult(0)] = view(
          op->getLoc(), current(op->getOperand(0)), op->getResult(0).getType());
  if (!kernel.outputs.empty()) {
    bool isFlat = canBeFlat(kernel);
    func::FuncOp function = shared(build(kernel, isFlat));
    SmallVector<Location> locs;
    for (Operation *op : kernel.ops)
      locs.push_back(op->getLoc());
    Location loc = FusedLoc::get(program.getContext(), locs);
    SmallVector<Value> arguments;
    for (auto [input, type] :
         llvm::zip(kernel.inputs, function.getArgumentTypes()))
      arguments.push_back(view(loc, current(input), type));
    auto call = builder.create<func::CallOp>(loc, function, arguments);
    keys[call] = key;
    for (auto [output, result] : llvm::zip(kernel.outputs, call.getResults()))
      replacements[output] = view(loc, result, output.getType());
  }
  // Views after the call.
  for (Value output : graph.outputs(cluster)) {
    SmallVector<Operation *> chain;
    for (Value value = output; !replacements.contains(value);
         value = value.getDefiningOp()->getOperand(0))
      chain.push_back(value.getDefiningOp());
    for (Operation *op : llvm::reverse(chain))
      replacements[op->getResult(0)] = view(
          op->getLoc(), current(op->getOperand(0)), op->getResult(0).getType());
  }
}

/// Program order among what is ready; collectives in their old order.
void Outliner::sortProgram() {
  llvm::DenseMap<Operation *, unsigned> missing;
  llvm::DenseMap<Operation *, Operation *> next;
  Operation *lastOrdered = nullptr;
  using Entry = std::tuple<Key, unsigned, Operation *>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  llvm::DenseMap<Operation *, unsigned> serial;
  unsigned count = 0;
  auto push = [&](Operation *op) {
    ready.push({keys.lookup(op), serial.lookup(op), op});
  };
  for (Operation &op : block.without_terminator()) {
    serial[&op] = count++;
    unsigned needs = 0;
    for (Value operand : op.getOperands())
      needs += operand.getDefiningOp() != nullptr;
    if (isa_and_nonnull<comm::CommDialect>(op.getDialect())) {
      if (lastOrdered) {
        next[lastOrdered] = &op;
        ++needs;
      }
      lastOrdered = &op;
    }
    missing[&op] = needs;
  }
  for (Operation &op : block.without_terminator())
    if (missing.lookup(&op) == 0)
      push(&op);
  while (!ready.empty()) {
    Operation *op = std::get<2>(ready.top());
    ready.pop();
    op->moveBefore(block.getTerminator());
    auto satisfy = [&](Operation *user) {
      if (user != block.getTerminator() && --missing[user] == 0)
        push(user);
    };
    for (OpOperand &use : op->getUses())
      satisfy(use.getOwner());
    if (Operation *successor = next.lookup(op))
      satisfy(successor);
  }
}

LogicalResult Outliner::run() {
  if (failed(check()))
    return failure();
  graph.fuse();
  graph.cloneCheapProducers();
  for (Operation &op : block)
    if (FusionGraph::isBarrier(&op))
      keys[&op] = keyOf(&op);
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator())
    if (!FusionGraph::isBarrier(&op))
      old.push_back(&op);
  for (const Cluster *cluster : graph.clusters())
    outline(*cluster);
  for (Operation &op : block)
    if (keys.contains(&op) || &op == block.getTerminator())
      for (OpOperand &operand : op.getOpOperands())
        if (auto it = replacements.find(operand.get());
            it != replacements.end())
          operand.set(it->second);
  for (Operation *op : llvm::reverse(old)) {
    op->dropAllUses();
    op->erase();
  }
  // Nothing merges kernels: what barriers kept apart stays so.
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<OptimizationBarrierOp>(op)) {
      op.replaceAllUsesWith(op.getOperands());
      op.erase();
    }
  sortProgram();
  return success();
}

} // namespace

LogicalResult outlineKernels(func::FuncOp program, const KernelTarget &target) {
  return Outliner(program, target).run();
}

} // namespace partopt::codegen
