// What tensor parallelism leaves whole between the products, and how a sequence
// is split there. See TensorSplit.h.

#include "TensorSplit.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace partopt;

/// What splitting each class sends in ops that have no chosen one.
std::vector<double> TensorSplit::bytesOutside() const {
  std::vector<double> bytes(costs.size());
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    if (llvm::any_of(entry.factors, [&](std::optional<unsigned> number) {
          return number && costs[*number].isChosen;
        }))
      continue;
    for (auto [i, factor] : llvm::enumerate(entry.rule.factors))
      if (entry.factors[i] && factor.kind != FactorKind::PassThrough)
        bytes[*entry.factors[i]] += gatherBytes(entry, i);
  }
  return bytes;
}

std::optional<int64_t>
TensorSplit::sequenceDim(Value value, ArrayRef<double> outside) const {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<int64_t> best;
  if (!hasBatch(value))
    return best;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto number = classes.classOf(value, dim);
    if (number && !costs[*number].isBatch && type.getDimSize(dim) >= devices &&
        (!best || outside[*number] < outside[*classes.classOf(value, *best)]))
      best = dim;
  }
  return best;
}

bool TensorSplit::hasBatch(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    if (auto number = classes.classOf(value, dim);
        number && costs[*number].isBatch)
      return true;
  return false;
}

SmallVector<std::pair<Value, int64_t>> TensorSplit::splitProducts() const {
  SmallVector<std::pair<Value, int64_t>> found;
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    Value result = entry.op->getResult(0);
    if (!isProduct(entry.op) || !hasBatch(result))
      continue;
    if (auto part = dimOf(result); part && part->second == devices)
      found.push_back({result, part->first});
  }
  return found;
}

/// A chosen class is among the factors of `mapping`.
bool TensorSplit::isInParts(const DimensionClasses::OpClasses &entry,
                            const TensorMapping &mapping) const {
  for (auto [factor, number] : llvm::enumerate(entry.factors))
    if (number && costs[*number].isChosen && isMapped(mapping, factor))
      return true;
  return false;
}

SmallVector<OpOperand *> TensorSplit::wholeInputs() const {
  SmallVector<OpOperand *> found;
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    if (!isProduct(entry.op))
      continue;
    bool splits =
        llvm::any_of(entry.rule.operands, [&](const TensorMapping &mapping) {
          return isInParts(entry, mapping);
        });
    for (auto [operand, mapping] :
         llvm::zip(entry.op->getOpOperands(), entry.rule.operands))
      if (splits && !isInParts(entry, mapping) && hasBatch(operand.get()))
        found.push_back(&operand);
  }
  return found;
}

SmallVector<std::pair<Value, int64_t>> TensorSplit::partialSums() const {
  llvm::SetVector<Value> partial;
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    bool sums = isa<stablehlo::AddOp, stablehlo::SubtractOp>(entry.op) &&
                llvm::all_of(entry.op->getOperands(), [&](Value operand) {
                  return partial.contains(operand);
                });
    if (sums || isPartial(entry))
      partial.insert(entry.op->result_begin(), entry.op->result_end());
  }
  std::vector<double> outside = bytesOutside();
  SmallVector<std::pair<Value, int64_t>> found;
  for (Value value : partial) {
    bool isLast = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 ||
             !partial.contains(user->getResult(0)) ||
             !isa<stablehlo::AddOp, stablehlo::SubtractOp>(user);
    });
    if (!isLast)
      continue;
    if (std::optional<int64_t> dim = sequenceDim(value, outside))
      found.push_back({value, *dim});
  }
  return found;
}

std::optional<int64_t>
TensorSplit::dimWith(Value value,
                     ArrayRef<std::pair<Value, int64_t>> sums) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
    auto number = classes.classOf(value, dim);
    if (number && type.getDimSize(dim) >= devices &&
        llvm::any_of(sums, [&](const std::pair<Value, int64_t> &sum) {
          return classes.classOf(sum.first, sum.second) == number;
        }))
      return dim;
  }
  return std::nullopt;
}
