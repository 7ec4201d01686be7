// A kernel's grids, regions of one function, become a function each. What
// stands between them (constants, addresses, elements of inputs that conditions
// and start indices need) is computed again in every grid that uses it.
#include "LowerGpu.h"

#include "EmitGpu.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

class Splitter {
public:
  Splitter(func::FuncOp kernel, bool hasScratch, std::vector<GpuGrid> &grids)
      : kernel(kernel), hasScratch(hasScratch), grids(grids),
        builder(kernel.getContext()) {}

  LogicalResult run() { return split(kernel.getBody().front()); }

private:
  struct Condition {
    Value value;
    bool isTrue;
  };

  LogicalResult split(Block &block);
  LogicalResult outline(scf::ExecuteRegionOp region);
  LogicalResult require(Value value);
  LogicalResult requireAll(Operation *op);

  func::FuncOp kernel;
  bool hasScratch;
  std::vector<GpuGrid> &grids;
  OpBuilder builder;
  SmallVector<Condition> conditions; ///< of the branches around
  IRMapping mapping;                 ///< of the grid at hand
};

LogicalResult Splitter::split(Block &block) {
  for (Operation &op : block) {
    if (auto region = dyn_cast<scf::ExecuteRegionOp>(op)) {
      if (failed(outline(region)))
        return failure();
      continue;
    }
    bool hasGrids = op.walk([](scf::ExecuteRegionOp) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!hasGrids && !op.hasTrait<OpTrait::IsTerminator>() &&
        hasEffect<MemoryEffects::Write>(&op))
      return op.emitError("stores between the grids of a kernel");
    if (!hasGrids)
      continue;
    if (!branch)
      return op.emitError("has grids of a kernel in a loop");
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (region->empty())
        continue;
      conditions.push_back(
          {branch.getCondition(), region == &branch.getThenRegion()});
      if (failed(split(region->front())))
        return failure();
      conditions.pop_back();
    }
  }
  return success();
}

/// Clones what defines the operands of `op` and of the ops in it.
LogicalResult Splitter::requireAll(Operation *op) {
  return success(!op->walk([&](Operation *inner) {
                      for (Value operand : inner->getOperands()) {
                        bool isInside = op->isAncestor(
                            operand.getParentBlock()->getParentOp());
                        if (!isInside && failed(require(operand)))
                          return WalkResult::interrupt();
                      }
                      return WalkResult::advance();
                    }).wasInterrupted());
}

LogicalResult Splitter::require(Value value) {
  if (mapping.contains(value))
    return success();
  Operation *op = value.getDefiningOp();
  if (!op)
    return emitError(value.getLoc(),
                     "a grid needs a value of a loop around it");
  if (failed(requireAll(op)))
    return failure();
  builder.clone(*op, mapping);
  return success();
}

LogicalResult Splitter::outline(scf::ExecuteRegionOp region) {
  auto number = [&](StringRef name) {
    return region->getAttrOfType<IntegerAttr>(name).getInt();
  };
  GpuGrid grid{(kernel.getName() + "_" + Twine(grids.size())).str(),
               number(kGridAttr), number(kBlockAttr)};
  builder.setInsertionPoint(kernel);
  ArrayRef<Type> types = kernel.getArgumentTypes();
  auto function = builder.create<func::FuncOp>(
      region.getLoc(), grid.symbol,
      builder.getFunctionType(hasScratch ? types : types.drop_back(), {}));
  function->setAttr(kLaunchAttr, builder.getI64IntegerAttr(grid.block));
  grids.push_back(std::move(grid));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  mapping.clear();
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), entry->getArguments()))
    mapping.map(from, to);
  if (failed(requireAll(region)))
    return failure();
  for (const Condition &condition : conditions)
    if (failed(require(condition.value)))
      return failure();
  auto end = builder.create<func::ReturnOp>(region.getLoc());
  builder.setInsertionPoint(end);
  for (const Condition &condition : conditions) {
    auto branch = builder.create<scf::IfOp>(
        region.getLoc(), mapping.lookup(condition.value), true);
    builder.setInsertionPointToStart(condition.isTrue ? branch.thenBlock()
                                                      : branch.elseBlock());
  }
  for (Operation &op : region.getRegion().front().without_terminator())
    builder.clone(op, mapping);
  return success();
}

} // namespace

LogicalResult splitLaunches(func::FuncOp kernel, bool hasScratch,
                            std::vector<GpuGrid> &grids) {
  if (failed(Splitter(kernel, hasScratch, grids).run()))
    return failure();
  kernel.erase();
  return success();
}

} // namespace partopt::codegen
