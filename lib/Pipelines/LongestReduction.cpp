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
#include "llvm/ADT/StringSwitch.h"

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

/// The same of a type of --grad-reduce-dtype; 0 where none is asked for.
static double epsilonOfName(llvm::StringRef name) {
  return llvm::StringSwitch<double>(name)
      .Case("bf16", 0x1p-7)
      .Case("f16", 0x1p-10)
      .Case("f32", 0x1p-23)
      .Default(0);
}

std::vector<double> partopt::resultEpsilons(mlir::ModuleOp module,
                                            const CompileOptions &options) {
  std::vector<double> epsilons;
  auto func = module.lookupSymbol<mlir::func::FuncOp>(options.entry);
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
  double gather = epsilonOfName(options.paramGatherType);
  double reduce = std::max(gather, epsilonOfName(options.gradReduceType));
  for (auto [i, value] :
       llvm::enumerate(func.front().getTerminator()->getOperands()))
    epsilons.push_back(
        std::max(known.lookup(value),
                 func.getResultAttr(i, "partopt.loss") ? gather : reduce));
  return epsilons;
}
