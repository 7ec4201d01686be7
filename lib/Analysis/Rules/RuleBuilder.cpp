// Building sharding rules, and reading the combiner of a reduction's body.

#include "lib/Analysis/Rules/RuleBuilder.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

#include <complex>

using namespace mlir;

namespace partopt::rules {

llvm::ArrayRef<int64_t> shapeOf(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return type.getShape();
  return {};
}

RuleBuilder::RuleBuilder(Operation *op) {
  for (Value operand : op->getOperands())
    rule.operands.emplace_back(shapeOf(operand).size());
  for (Value result : op->getResults())
    rule.results.emplace_back(shapeOf(result).size());
}

Factor &RuleBuilder::add(llvm::ArrayRef<int64_t> operandDims,
                         llvm::ArrayRef<int64_t> resultDims, int64_t size,
                         FactorKind kind) {
  unsigned factor = rule.addFactor(size, kind);
  for (auto [mapping, dim] : llvm::zip(rule.operands, operandDims))
    if (dim != kNone)
      mapping[dim].push_back(factor);
  for (auto [mapping, dim] : llvm::zip(rule.results, resultDims))
    if (dim != kNone)
      mapping[dim].push_back(factor);
  return rule.factors[factor];
}

Factor &RuleBuilder::addPointwise(int64_t dim, int64_t size, FactorKind kind) {
  unsigned factor = rule.addFactor(size, kind);
  for (TensorMapping &mapping : rule.operands)
    if (!mapping.empty())
      mapping[dim].push_back(factor);
  for (TensorMapping &mapping : rule.results)
    if (!mapping.empty())
      mapping[dim].push_back(factor);
  return rule.factors[factor];
}

ShardingRule RuleBuilder::build() {
  auto complete = [&](TensorMapping &mapping) {
    for (DimMapping &dim : mapping)
      if (dim.empty())
        dim.push_back(rule.addFactor(1));
  };
  llvm::for_each(rule.operands, complete);
  llvm::for_each(rule.results, complete);
  return std::move(rule);
}

/// The combiner that `op` applies to two scalars.
static std::optional<Combiner> combinerOf(Operation *op) {
  bool boolean = getElementTypeOrSelf(op->getResult(0)).isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<Combiner>>(op)
      .Case([&](stablehlo::AddOp) {
        return boolean ? Combiner::Or : Combiner::Sum;
      })
      .Case([&](stablehlo::MulOp) {
        return boolean ? Combiner::And : Combiner::Product;
      })
      .Case([&](stablehlo::MaxOp) {
        return boolean ? Combiner::Or : Combiner::Max;
      })
      .Case([&](stablehlo::MinOp) {
        return boolean ? Combiner::And : Combiner::Min;
      })
      .Case([&](stablehlo::AndOp) { return Combiner::And; })
      .Case([&](stablehlo::OrOp) { return Combiner::Or; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace partopt::rules

std::optional<partopt::Combiner> partopt::bodyCombiner(Region &body) {
  if (!body.hasOneBlock() || body.front().empty())
    return std::nullopt;
  Block &block = body.front();
  Operation *terminator = &block.back();
  unsigned n = terminator->getNumOperands();
  if (n == 0 || block.getNumArguments() != 2 * n)
    return std::nullopt;
  std::optional<Combiner> common;
  for (unsigned i = 0; i < n; ++i) {
    Operation *op = terminator->getOperand(i).getDefiningOp();
    if (!op || op->getNumOperands() != 2 || op->getNumResults() != 1)
      return std::nullopt;
    Value lhs = block.getArgument(i), rhs = block.getArgument(n + i);
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (!((a == lhs && b == rhs) || (a == rhs && b == lhs)))
      return std::nullopt;
    std::optional<Combiner> combiner = rules::combinerOf(op);
    if (!combiner || (common && common != combiner))
      return std::nullopt;
    common = combiner;
  }
  return common;
}
