// The classes of the batch arguments' rows.

#include "BatchDims.h"

#include "partopt/Support/ArgumentRole.h"

using namespace mlir;
using namespace partopt;

BatchDims::BatchDims(func::FuncOp func)
    : classes(func, /*majorOfMerged=*/false), isBatch(classes.size()) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(func.getArgument(i).getType());
    if (roleOf(func, i) != "batch" || !type || type.getRank() == 0)
      continue;
    if (auto rows = classes.classOf(func.getArgument(i), 0))
      isBatch[*rows] = true;
  }
}

std::optional<int64_t> BatchDims::dimOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    if (auto number = classes.classOf(value, dim); number && isBatch[*number])
      return dim;
  return std::nullopt;
}
