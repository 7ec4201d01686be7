// Union-find over (value, dimension), joined factor by factor.

#include "DimensionClasses.h"

#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;
using namespace partopt;

int64_t partopt::rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

int64_t partopt::sizeOf(Value value, int64_t dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

unsigned DimensionClasses::number(Value value, int64_t dim) {
  auto [it, isNew] = begins.try_emplace(value, parents.size());
  if (isNew)
    for (int64_t i = 0, e = cast<RankedTensorType>(value.getType()).getRank();
         i < e; ++i)
      parents.push_back(parents.size());
  return it->second + dim;
}

unsigned DimensionClasses::find(unsigned element) {
  while (parents[element] != element)
    element = parents[element] = parents[parents[element]];
  return element;
}

/// The earlier element stays the root, so that numbers follow the program.
void DimensionClasses::join(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  parents[std::max(a, b)] = std::min(a, b);
}

/// Calls `visit(value, dim, factors)` for every dimension of the op's tensors.
template <typename Fn>
static void forEachDim(Operation *op, const ShardingRule &rule, Fn visit) {
  auto tensor = [&](Value value, const TensorMapping &mapping) {
    if (isa<RankedTensorType>(value.getType()))
      for (auto [dim, factors] : llvm::enumerate(mapping))
        visit(value, int64_t(dim), factors);
  };
  for (auto [operand, mapping] : llvm::zip(op->getOperands(), rule.operands))
    tensor(operand, mapping);
  for (auto [result, mapping] : llvm::zip(op->getResults(), rule.results))
    tensor(result, mapping);
}

bool partopt::isSplat(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    value = broadcast.getOperand();
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && type.getRank() == 0)
      return true;
  }
  return value.getDefiningOp<stablehlo::ConstantOp>() != nullptr;
}

/// Joins the dimensions that a factor has for itself, or (by `majorOfMerged`)
/// is the outermost of; `factors` gets the factor's element for now.
void DimensionClasses::joinFactors(OpClasses &entry, bool majorOfMerged,
                                   llvm::function_ref<bool(Value)> has) {
  const ShardingRule &rule = entry.rule;
  entry.factors.assign(rule.factors.size(), std::nullopt);
  forEachDim(
      entry.op, rule, [&](Value value, int64_t dim, const DimMapping &f) {
        if (f.empty() || !has(value))
          return;
        int64_t size = rule.factors[f.front()].size;
        int64_t extent =
            cast<RankedTensorType>(value.getType()).getDimSize(dim);
        if (size < 2 || (extent != size && (!majorOfMerged || f.size() < 2)))
          return;
        unsigned own = number(value, dim);
        std::optional<unsigned> &first = entry.factors[f.front()];
        if (first)
          join(*first, own);
        first = own;
      });
}

DimensionClasses::DimensionClasses(func::FuncOp func, bool majorOfMerged,
                                   llvm::function_ref<bool(Operation *)> joins,
                                   llvm::function_ref<bool(Value)> has) {
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (!joins(&op))
      continue;
    if (std::optional<ShardingRule> rule = getShardingRule(&op)) {
      opClasses.push_back({&op, std::move(*rule), {}});
      joinFactors(opClasses.back(), majorOfMerged, has);
    }
  }
  numberClasses();
}

void DimensionClasses::numberClasses() {
  classes.resize(parents.size());
  for (unsigned i = 0; i < parents.size(); ++i)
    classes[i] = find(i) == i ? numClasses++ : classes[find(i)];
  for (OpClasses &entry : opClasses)
    for (std::optional<unsigned> &factor : entry.factors)
      if (factor)
        factor = classes[*factor];
}

std::optional<unsigned> DimensionClasses::classOf(Value value,
                                                  int64_t dim) const {
  auto it = begins.find(value);
  if (it == begins.end() ||
      cast<RankedTensorType>(value.getType()).getDimSize(dim) < 2)
    return std::nullopt;
  return classes[it->second + dim];
}
