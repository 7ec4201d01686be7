// See ElementFlow.h.

#include "ElementFlow.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace mlir;
using namespace partopt;

static int64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : -1;
}

static bool isCondition(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(1);
}

/// The values that a region yields in place `index`.
static void addYielded(Region &region, unsigned index,
                       SmallVectorImpl<Value> &sources) {
  if (region.empty() || region.front().empty())
    return;
  Operation &yield = region.front().back();
  if (index < yield.getNumOperands())
    sources.push_back(yield.getOperand(index));
}

/// What a loop or a branch makes its result `index` of; false for other ops.
static bool addControlled(Operation *op, unsigned index,
                          SmallVectorImpl<Value> &sources) {
  if (isa<stablehlo::WhileOp>(op)) {
    sources.push_back(op->getOperand(index));
    addYielded(op->getRegion(1), index, sources);
    return true;
  }
  if (isa<stablehlo::OptimizationBarrierOp>(op)) {
    sources.push_back(op->getOperand(index));
    return true;
  }
  if (!isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    return false;
  for (Region &region : op->getRegions())
    addYielded(region, index, sources);
  return true;
}

/// The operands whose elements are those of the result.
static SmallVector<Value> elementSources(Value value, FlowKind kind) {
  SmallVector<Value> sources;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (Operation *parent = argument.getOwner()->getParentOp();
        isa<stablehlo::WhileOp>(parent))
      addControlled(parent, argument.getArgNumber(), sources);
    return sources;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (addControlled(op, result.getResultNumber(), sources))
    return sources;
  if (op->hasTrait<stablehlo::Elementwise>()) {
    if (!isa<stablehlo::CompareOp>(op))
      for (Value operand : op->getOperands())
        if (elementsOf(operand) == elementsOf(value) &&
            isCondition(operand) == isCondition(value))
          sources.push_back(operand);
    return sources;
  }
  bool moved = kind == FlowKind::Moved;
  if (isa<stablehlo::ReshapeOp, stablehlo::DynamicUpdateSliceOp,
          sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
    sources.push_back(op->getOperand(0));
  else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    sources.push_back(scatter.getInputs()[result.getResultNumber()]);
  else if (moved && isa<stablehlo::ConcatenateOp>(op))
    llvm::append_range(sources, op->getOperands());
  else if (moved &&
           isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp,
               stablehlo::TransposeOp, stablehlo::PadOp, stablehlo::ReverseOp>(
               op))
    sources.push_back(op->getOperand(0));
  if (moved && isa<stablehlo::DynamicUpdateSliceOp>(op))
    sources.push_back(op->getOperand(1));
  return sources;
}

llvm::BitVector partopt::argumentsFlowingInto(func::FuncOp func, Value value,
                                              FlowKind kind) {
  llvm::BitVector arguments(func.getNumArguments());
  llvm::DenseSet<Value> seen{value};
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value at = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(at);
        argument && argument.getOwner() == &func.front())
      arguments.set(argument.getArgNumber());
    for (Value source : elementSources(at, kind))
      if (seen.insert(source).second)
        work.push_back(source);
  }
  return arguments;
}

SmallVector<Value> partopt::elementOrigins(Value value) {
  SmallVector<Value> origins;
  llvm::DenseSet<Value> seen{value};
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value at = work.pop_back_val();
    SmallVector<Value> sources = elementSources(at, FlowKind::InPlace);
    if (sources.empty() && at.getDefiningOp() &&
        !isa<stablehlo::BroadcastInDimOp, stablehlo::ConstantOp,
             stablehlo::IotaOp>(at.getDefiningOp()))
      origins.push_back(at);
    for (Value source : sources)
      if (seen.insert(source).second)
        work.push_back(source);
  }
  return origins;
}

/// The one number that all elements are, where it is computed from constants.
static std::optional<double> constantOf(Value value, unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  DenseElementsAttr elements;
  if (!op || depth == 0)
    return std::nullopt;
  if (matchPattern(op, m_Constant(&elements))) {
    if (!elements.isSplat() || !isa<FloatType>(elements.getElementType()))
      return std::nullopt;
    return elements.getSplatValue<APFloat>().convertToDouble();
  }
  SmallVector<double> operands;
  for (Value operand : op->getOperands()) {
    std::optional<double> number = constantOf(operand, depth - 1);
    if (!number)
      return std::nullopt;
    operands.push_back(*number);
  }
  if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
          stablehlo::ConvertOp>(op))
    return operands[0];
  if (isa<stablehlo::NegOp>(op))
    return -operands[0];
  if (isa<stablehlo::AddOp>(op))
    return operands[0] + operands[1];
  if (isa<stablehlo::SubtractOp>(op))
    return operands[0] - operands[1];
  if (isa<stablehlo::MulOp>(op))
    return operands[0] * operands[1];
  if (isa<stablehlo::DivOp>(op))
    return operands[0] / operands[1];
  return std::nullopt;
}

/// The constant that the result multiplies the elements of `source` with.
static double factorOf(Value value, Value source) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<stablehlo::MulOp, stablehlo::DivOp>(op))
    return 1;
  bool isLeft = op->getOperand(0) == source;
  double other =
      std::abs(constantOf(op->getOperand(isLeft ? 1 : 0)).value_or(1));
  if (isa<stablehlo::MulOp>(op))
    return other;
  return isLeft && other > 0 ? 1 / other : 1;
}

/// One number for all elements.
static bool isUniform(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (elementsOf(value) == 1 || constantOf(value))
      return true;
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::ConvertOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return elementsOf(value) == 1;
}

/// The elements of the result are a sum to which those of `source` belong.
static bool keepsTerm(Value value, Value source) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasTrait<stablehlo::Elementwise>())
    return true;
  if (isa<stablehlo::MulOp, stablehlo::DivOp>(op)) {
    bool isLeft = op->getOperand(0) == source;
    return (isLeft || isa<stablehlo::MulOp>(op)) &&
           isUniform(op->getOperand(isLeft ? 1 : 0));
  }
  return isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::NegOp,
             stablehlo::SelectOp, stablehlo::ClampOp, stablehlo::MaxOp,
             stablehlo::MinOp, stablehlo::ConvertOp,
             stablehlo::ReducePrecisionOp>(op);
}

double partopt::shareOf(BlockArgument argument, Value value, bool isTerm) {
  llvm::DenseMap<Value, double> share{{value, 1}};
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value at = work.pop_back_val();
    double have = share.lookup(at);
    for (Value source : elementSources(at, FlowKind::Moved)) {
      if (isTerm && !keepsTerm(at, source))
        continue;
      double part = std::min(1.0, have * factorOf(at, source));
      double &known = share[source];
      if (part <= known)
        continue;
      known = part;
      work.push_back(source);
    }
  }
  return share.lookup(argument);
}

std::optional<Addends> partopt::addendsBeside(BlockArgument argument,
                                              Value value) {
  // The ways along which a term stays one, then those that lead to the
  // argument: sources come before what is made of them.
  llvm::DenseMap<Value, SmallVector<Value>> users;
  SmallVector<Value> order{value};
  for (size_t i = 0; i < order.size(); ++i)
    for (Value source : elementSources(order[i], FlowKind::Moved))
      if (keepsTerm(order[i], source)) {
        SmallVector<Value> &of = users[source];
        if (of.empty() && source != value)
          order.push_back(source);
        of.push_back(order[i]);
      }
  if (value == argument || !users.count(argument))
    return std::nullopt;
  llvm::DenseSet<Value> terms{argument};
  SmallVector<Value> work{argument};
  while (!work.empty())
    for (Value user : users.lookup(work.pop_back_val()))
      if (terms.insert(user).second)
        work.push_back(user);
  Addends sum;
  for (Value term : order) {
    if (term == argument || !terms.contains(term))
      continue;
    bool isProduct = isa_and_nonnull<stablehlo::MulOp, stablehlo::DivOp>(
        term.getDefiningOp());
    for (Value source : elementSources(term, FlowKind::Moved)) {
      if (terms.contains(source) && keepsTerm(term, source))
        continue;
      sum.others.push_back(source);
      sum.isScaled |= isProduct && !constantOf(source);
    }
  }
  return sum;
}
