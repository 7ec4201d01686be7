#include "dialects/StableHLO/Captures.h"

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partopt::stablehlo {

LogicalResult ownConstants(Operation *op) {
  if (isa<WhileOp, IfOp, CaseOp>(op))
    return success();
  for (Region &region : op->getRegions()) {
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(region, outside);
    for (Value value : outside) {
      auto constant = value.getDefiningOp<ConstantOp>();
      if (!constant)
        return op->emitOpError()
               << "uses a value from outside in its computation, which only "
                  "constants may be";
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      Value own = builder.clone(*constant)->getResult(0);
      replaceAllUsesInRegionWith(value, own, region);
    }
  }
  return success();
}

} // namespace partopt::stablehlo
