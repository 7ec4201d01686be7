// The SPMD rewrite: each op on local shapes through its own lowering, each
// reshard as the cheapest collectives.

#include "LowerReshard.h"
#include "OpPartition.h"

#include "dialects/Comm/Comm.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/Captures.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Partition/Passes.h"
#include "partopt/Support/UnitAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_PARTITIONPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Rewrites one function's body in place, op by op.
class Partitioner {
public:
  Partitioner(func::FuncOp func, const Mesh &mesh)
      : func(func), mesh(mesh), builder(func.getContext()) {}

  LogicalResult run() {
    Block &body = func.getBody().front();
    for (BlockArgument argument : body.getArguments())
      layouts[argument] = getValueLayout(argument, mesh);
    for (Operation &op : body)
      for (Value result : op.getResults())
        layouts[result] = getValueLayout(result, mesh);
    // The old arguments keep their global types while ops are rewritten.
    unsigned count = body.getNumArguments();
    for (unsigned i = 0; i < count; ++i) {
      BlockArgument old = body.getArgument(i);
      auto type = cast<RankedTensorType>(old.getType());
      local.map(old,
                body.addArgument(layouts[old].localType(type), old.getLoc()));
    }

    SmallVector<Operation *> old;
    for (Operation &op : body.without_terminator())
      old.push_back(&op);
    for (Operation *op : old) {
      if (failed(stablehlo::ownConstants(op)))
        return failure();
      builder.setInsertionPoint(op);
      if (failed(rewrite(op)))
        return failure();
    }
    Operation *terminator = body.getTerminator();
    for (auto [i, operand] : llvm::enumerate(terminator->getOperands()))
      terminator->setOperand(i, local.lookup(operand));
    for (Operation *op : llvm::reverse(old))
      op->erase();
    setSignature(body, count);
    return success();
  }

private:
  func::FuncOp func;
  const Mesh &mesh;
  OpBuilder builder;
  IRMapping local;
  llvm::DenseMap<Value, Layout> layouts;

  LogicalResult rewrite(Operation *op) {
    if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
      return lowerOne(reshard);
    std::optional<ShardingRule> rule = getPartitionRule(op);
    if (!rule)
      return keepWhole(op);
    FactorAxes axes = axesOf(op, *rule);
    if (failed(checkOperands(op, *rule, axes)))
      return failure();
    LocalContext context{builder, op->getLoc(), mesh, *rule, axes, {}, {}};
    for (Value operand : op->getOperands())
      context.operands.push_back(local.lookup(operand));
    for (Value result : op->getResults())
      context.resultTypes.push_back(
          layouts[result].localType(cast<RankedTensorType>(result.getType())));
    auto values = lowerToLocal(op, context);
    if (failed(values))
      return op->emitOpError("has no form on one device's shards");
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *values)) {
      auto expected =
          layouts[result].localType(cast<RankedTensorType>(result.getType()));
      if (value.getType() != expected)
        return op->emitOpError()
               << "becomes " << value.getType()
               << " on one device, but its layout says " << expected;
      local.map(result, value);
    }
    return success();
  }

  /// Every device computes the whole op.
  LogicalResult keepWhole(Operation *op) {
    Operation *clone = builder.clone(*op, local);
    dropShardings(clone);
    for (auto [result, value] :
         llvm::zip_equal(op->getResults(), clone->getResults()))
      local.map(result, value);
    return success();
  }

  /// Reads back what partopt-insert-reshards chose: the operands' axes, and the
  /// results' for factors that only results have.
  FactorAxes axesOf(Operation *op, const ShardingRule &rule) {
    FactorAxes axes(rule.factors.size());
    auto merge = [&](Value value, const TensorMapping &mapping) {
      FactorAxes some = projectToFactors(layouts[value], mapping, rule);
      for (auto [all, one] : llvm::zip_equal(axes, some))
        if (all.empty())
          all = one;
    };
    for (auto [operand, mapping] :
         llvm::zip_equal(op->getOperands(), rule.operands))
      merge(operand, mapping);
    for (auto [result, mapping] :
         llvm::zip_equal(op->getResults(), rule.results))
      merge(result, mapping);
    return axes;
  }

  /// What partopt-insert-reshards chose has to fit the rule here: an axis that
  /// a factor cannot take would split an operand without the op's knowing.
  LogicalResult checkOperands(Operation *op, const ShardingRule &rule,
                              const FactorAxes &axes) {
    for (auto [operand, mapping] :
         llvm::zip_equal(op->getOperands(), rule.operands)) {
      auto fits = projectToDims(mapping, axes);
      for (auto [dim, has] : llvm::enumerate(layouts[operand].dims))
        if (axesSize(has) > axesSize(fits[dim]))
          return op->emitOpError()
                 << "takes an operand that is split along dimension " << dim
                 << ", which its rule cannot split";
    }
    return success();
  }

  LogicalResult lowerOne(sdy::ReshardOp op) {
    ReshardProblem problem;
    problem.type = cast<RankedTensorType>(op.getOperand().getType());
    problem.from = layouts[op.getOperand()];
    problem.to = layouts[op.getResult()];
    problem.mesh = &mesh;
    ReshardSolution solution = searchReshard(problem);
    if (std::string error = verifyReshard(problem, solution); !error.empty())
      return op.emitOpError() << "cannot be proven: " << error;
    if (failed(checkTime(op, solution)))
      return failure();
    Value source = local.lookup(op.getOperand());
    Value result = lowerReshard(builder, op.getLoc(), source, problem, solution,
                                reason(op, problem));
    for (StringRef name : {kStorageGatherAttr, kRingAttr})
      if (Attribute mark = op->getAttr(name))
        markGathers(source, result, name, mark);
    local.map(op.getResult(), result);
    return success();
  }

  /// Over axes in time there are only slices and accumulations.
  LogicalResult checkTime(sdy::ReshardOp op, const ReshardSolution &solution) {
    for (const ReshardStep &step : solution.steps) {
      if (!mesh.isTime(step.axes) || step.kind == ReshardKind::Slice ||
          step.kind == ReshardKind::AllReduce ||
          step.kind == ReshardKind::ToUnreduced)
        continue;
      Operation *def = op.getOperand().getDefiningOp();
      return op.emitError()
             << "needs the rows of all microbatches at once"
             << (def ? (" of the result of '" + def->getName().getStringRef() +
                        "'")
                           .str()
                     : "")
             << "; no microbatch has those of the others: leave out "
                "--microbatches, or change the model so that rows do not meet";
    }
    return success();
  }

  /// Says of the gathers between the two what they are for, so that no later
  /// pass merges those of the forward with those of the backward pass.
  static void markGathers(Value source, Value result, StringRef name,
                          Attribute mark) {
    while (result != source && result.getDefiningOp()) {
      Operation *step = result.getDefiningOp();
      if (isa<comm::AllGatherOp>(step))
        step->setAttr(name, mark);
      result = step->getOperand(0);
    }
  }

  static std::string reason(sdy::ReshardOp op, const ReshardProblem &problem) {
    if (Attribute storage = op->getAttr(kStorageGatherAttr))
      return storage == StringAttr::get(op.getContext(), kGatherBackward)
                 ? "gathers a stored shard again for the backward pass"
                 : "gathers a stored shard for use";
    std::string who;
    if (Operation *def = op.getOperand().getDefiningOp())
      who = def->getName().getStringRef().str();
    else
      who = "an argument";
    if (problem.from.unreduced.size() > problem.to.unreduced.size())
      return "combines the partial results of " + who;
    return "moves the result of " + who + " to the layout of its use";
  }

  void setSignature(Block &body, unsigned count) {
    SmallVector<Type> inputs, results;
    for (unsigned i = 0; i < count; ++i)
      func.setArgAttr(i, "partopt.global_type",
                      TypeAttr::get(body.getArgument(i).getType()));
    body.eraseArguments(0, count);
    for (BlockArgument argument : body.getArguments())
      inputs.push_back(argument.getType());
    for (auto [i, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      func.setResultAttr(i, "partopt.global_type",
                         TypeAttr::get(func.getResultTypes()[i]));
      results.push_back(value.getType());
    }
    func.setFunctionType(FunctionType::get(func.getContext(), inputs, results));
  }
};

struct Partition : partopt::impl::PartitionPassBase<Partition> {
  void runOnOperation() override {
    Mesh mesh = getModuleMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(Partitioner(func, mesh).run()))
        return signalPassFailure();
      func.walk([&](comm::CollectiveOpInterface op) {
        ++numCollectives;
        payloadBytes += op.getPayloadBytes();
      });
    }
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createPartitionPass() {
  return std::make_unique<Partition>();
}
