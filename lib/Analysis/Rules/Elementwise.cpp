// Rules of ops whose result element [i] depends on operand elements [i] only:
// one pass-through factor per dimension, scalars beside tensors without factor.

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "lib/Analysis/Rules/RuleBuilder.h"

using namespace mlir;

namespace partopt::rules {

static ShardingRule pointwise(Operation *op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
    builder.addPointwise(dim, size);
  return builder.build();
}

/// Constants and iota: a device makes its own part of the result.
static ShardingRule source(Operation *op) { return pointwise(op); }

/// The state of a random generator is read whole; bits of a part of the output
/// can not be made alone.
static ShardingRule rngBitGenerator(Operation *op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
    int64_t d = dim;
    builder.add({d}, {d}, size, FactorKind::NeedReplication).blocked = true;
  }
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(1))))
    builder.add({}, {kNone, int64_t(dim)}, size, FactorKind::NeedReplication);
  return builder.build();
}

void attachElementwise(MLIRContext *context, Dialect *dialect) {
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (&name.getDialect() == dialect &&
        name.hasTrait<stablehlo::Elementwise>())
      name.attachInterface<RuleModel<pointwise>>();
  if (!isa<stablehlo::StableHLODialect>(dialect))
    return;
  attach<pointwise, stablehlo::MapOp, stablehlo::CollectivePermuteOp,
         stablehlo::CollectiveBroadcastOp>(context);
  attach<source, stablehlo::ConstantOp, stablehlo::IotaOp>(context);
  attach<rngBitGenerator, stablehlo::RngBitGeneratorOp>(context);
}

void attachSdyRules(MLIRContext *context) {
  attach<pointwise, sdy::ShardingConstraintOp, sdy::ReshardOp,
         sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
         sdy::FuncDataFlowEdgeOp>(context);
  attach<source, sdy::ConstantOp>(context);
}

} // namespace partopt::rules
