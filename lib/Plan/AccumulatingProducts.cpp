//===- AccumulatingProducts.cpp - Products added to a carried sum ---------===//
//
// See AccumulatingProducts.h.
//
//===----------------------------------------------------------------------===//

#include "AccumulatingProducts.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"

#include "partopt/Support/KernelAttributes.h"

using namespace mlir;
using namespace partopt;

/// The only use of `value`, seen through views; null where it has several.
static OpOperand *onlyUse(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    if (!isa<stablehlo::ReshapeOp>(use.getOwner()))
      return &use;
    value = use.getOwner()->getResult(0);
  }
  return nullptr;
}

static bool isSumOfArguments(func::FuncOp kernel) {
  if (!kernel || kernel.getNumArguments() != 2 || kernel.getNumResults() != 1)
    return false;
  Block &body = kernel.getBody().front();
  auto add = dyn_cast<stablehlo::AddOp>(body.front());
  return add && add->getNextNode() == body.getTerminator() &&
         add->getOperand(0) != add->getOperand(1);
}

/// True when `value` becomes value `number` of `loop`'s next iteration,
/// through kernels that may write over it.
static bool becomesNext(Value value, comm::LoopBeginOp loop, unsigned number,
                        const ProgramModel &model) {
  constexpr unsigned longest = 6;
  for (unsigned length = 0; length < longest; ++length) {
    OpOperand *use = onlyUse(value);
    if (!use)
      return false;
    if (isa<comm::LoopEndOp>(use->getOwner()))
      return use->getOperandNumber() == number &&
             model.beginOf.lookup(use->getOwner()) == loop;
    func::FuncOp kernel = model.calledKernel(use->getOwner());
    auto results = kernel ? kernel.getArgAttrOfType<DenseI64ArrayAttr>(
                                use->getOperandNumber(), kMayOverwriteAttr)
                          : DenseI64ArrayAttr();
    if (!results || results.size() != 1)
      return false;
    value = use->getOwner()->getResult(results[0]);
  }
  return false;
}

std::optional<AccumulatingProduct>
partopt::findAccumulation(Operation *product, const ProgramModel &model) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(product);
  OpOperand *use = dot ? onlyUse(dot.getResult()) : nullptr;
  if (!use || !isSumOfArguments(model.calledKernel(use->getOwner())))
    return std::nullopt;
  auto sum = cast<func::CallOp>(use->getOwner());
  Value other = sum->getOperand(1 - use->getOperandNumber());
  while (auto view = other.getDefiningOp<stablehlo::ReshapeOp>())
    other = view.getOperand();
  auto begin = other.getDefiningOp<comm::LoopBeginOp>();
  // Carried values are complete from the beginning of the iteration.
  if (!begin || !begin->isBeforeInBlock(product) || !onlyUse(other))
    return std::nullopt;
  unsigned number = cast<OpResult>(other).getResultNumber();
  if (number == 0 || !becomesNext(sum->getResult(0), begin, number - 1, model))
    return std::nullopt;
  return AccumulatingProduct{sum, other};
}
