//===- LongestReduction.cpp - What the tolerance of --check grows with ----===//
//
// How many terms the longest sum has, read from the ops' sharding rules, which
// name every reduced factor with its size; and how coarse the types are that a
// result is computed in: an f32 moment of a bf16 gradient is no more exact than
// the gradient.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "partopt/Analysis/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace partopt;

int64_t partopt::reductionTerms(mlir::Operation *op) {
  std::optional<ShardingRule> rule = getShardingRule(op);
  int64_t terms = 1;
  if (rule)
    for (const Factor &factor : rule->factors)
      if (factor.kind == FactorKind::Reduction)
        terms *= factor.size;
  return terms;
}

uint64_t partopt::longestReduction(mlir::ModuleOp module) {
  int64_t longest = 1;
  module.walk([&](mlir::Operation *op) {
    longest = std::max(longest, reductionTerms(op));
  });
  return uint64_t(longest);
}

/// The distance from 1 to the next number of a float type; else 0.
static double epsilonOf(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element))
    element = complex.getElementType();
  auto real = mlir::dyn_cast<mlir::FloatType>(element);
  return real ? std::ldexp(1.0, 1 - int(real.getFPMantissaWidth())) : 0;
}

std::vector<double> partopt::resultEpsilons(mlir::ModuleOp module,
                                            llvm::StringRef entry) {
  std::vector<double> epsilons;
  auto func = module.lookupSymbol<mlir::func::FuncOp>(entry);
  if (!func || func.isExternal())
    return epsilons;
  llvm::DenseMap<mlir::Value, double> known;
  for (mlir::Operation &op : func.front().without_terminator()) {
    double largest = 0;
    op.walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        largest = std::max(largest, known.lookup(operand));
      for (mlir::Type type : inner->getResultTypes())
        largest = std::max(largest, epsilonOf(type));
    });
    for (mlir::Value result : op.getResults())
      known[result] = largest;
  }
  for (mlir::Value value : func.front().getTerminator()->getOperands())
    epsilons.push_back(known.lookup(value));
  return epsilons;
}
