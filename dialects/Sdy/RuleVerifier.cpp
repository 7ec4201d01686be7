// What makes a sharding rule valid: it maps every dimension of every operand
// and result to factors, uses every factor, and gives each at most one kind.

#include "dialects/Sdy/Verifiers.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt::sdy::detail {
namespace {

// The mapping of one dimension. `used` are the factors of the tensor so far.
LogicalResult verifyDim(DimMappingAttr dim, ArrayRef<int64_t> sizes,
                        llvm::BitVector &used, const EmitError &emitError) {
  if (dim.getFactorIndices().empty())
    return emitError() << "every dimension must have a factor";
  for (int64_t factor : dim.getFactorIndices()) {
    if (factor < 0 || factor >= static_cast<int64_t>(sizes.size()))
      return emitError() << "factor " << factorSymbol(factor)
                         << " has no size, the rule has " << sizes.size()
                         << " factors";
    if (used.test(factor))
      return emitError() << "factor " << factorSymbol(factor)
                         << " is used twice";
    used.set(factor);
    if (sizes[factor] == 1 && dim.getFactorIndices().size() > 1)
      return emitError() << "factor " << factorSymbol(factor)
                         << " of size 1 must not share a dimension";
  }
  return success();
}

LogicalResult verifyMappings(Operation *op, TypeRange types,
                             ArrayRef<TensorMappingAttr> mappings,
                             ArrayRef<int64_t> sizes, llvm::BitVector &used,
                             StringRef what) {
  if (types.size() != mappings.size())
    return op->emitOpError() << "has " << types.size() << " " << what
                             << "s but its sharding rule "
                             << "maps " << mappings.size();
  if (mappings.empty())
    return op->emitOpError()
           << "cannot have a sharding rule: it has no " << what;
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    auto emitError = [&, i = index]() -> InFlightDiagnostic {
      return op->emitOpError() << "sharding rule, " << what << " " << i << ": ";
    };
    auto type = dyn_cast<ShapedType>(types[index]);
    if (!type || !type.hasStaticShape())
      return emitError() << "needs a static shape, got " << types[index];
    if (type.getRank() != mapping.getRank())
      return emitError() << "maps " << mapping.getRank()
                         << " dimensions but the type " << type << " has "
                         << type.getRank();
    llvm::BitVector usedHere(sizes.size());
    for (DimMappingAttr dim : mapping.getDimMappings())
      if (failed(verifyDim(dim, sizes, usedHere, emitError)))
        return failure();
    used |= usedHere;
  }
  return success();
}

// A sorted list of distinct factors.
LogicalResult verifyFactorList(Operation *op, ArrayRef<int64_t> factors,
                               int64_t count, StringRef kind) {
  for (auto [index, factor] : llvm::enumerate(factors)) {
    if (factor < 0 || factor >= count)
      return op->emitOpError()
             << "sharding rule: " << kind << " factor " << factorSymbol(factor)
             << " has no size, the rule has " << count << " factors";
    if (index > 0 && factors[index - 1] >= factor)
      return op->emitOpError()
             << "sharding rule: " << kind << " factors must be in order, got "
             << factorSymbol(factor) << " after "
             << factorSymbol(factors[index - 1]);
  }
  return success();
}

} // namespace

LogicalResult verifyShardingRule(OpShardingRuleAttr rule, Operation *op) {
  ArrayRef<int64_t> sizes = rule.getFactorSizes();
  llvm::BitVector used(sizes.size());
  if (failed(verifyMappings(op, op->getOperandTypes(),
                            rule.getOperandMappings(), sizes, used,
                            "operand")) ||
      failed(verifyMappings(op, op->getResultTypes(), rule.getResultMappings(),
                            sizes, used, "result")))
    return failure();
  if (!used.all())
    return op->emitOpError()
           << "sharding rule: factor " << factorSymbol(used.find_first_unset())
           << " is in no operand or result";

  int64_t count = rule.getNumFactors();
  if (failed(verifyFactorList(op, rule.getReductionFactors(), count,
                              "reduction")) ||
      failed(verifyFactorList(op, rule.getNeedReplicationFactors(), count,
                              "need_replication")) ||
      failed(verifyFactorList(op, rule.getPermutationFactors(), count,
                              "permutation")) ||
      failed(verifyFactorList(op, rule.getBlockedPropagationFactors(), count,
                              "blocked_propagation")))
    return failure();
  for (int64_t factor = 0; factor < count; ++factor)
    if (rule.isReductionFactor(factor) + rule.isNeedReplicationFactor(factor) +
            rule.isPermutationFactor(factor) >
        1)
      return op->emitOpError()
             << "sharding rule: factor " << factorSymbol(factor)
             << " can be only one of reduction, need_replication and "
                "permutation";
  return success();
}

} // namespace partopt::sdy::detail
