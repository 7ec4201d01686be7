// See DimensionMeanings.h. A class that several things tell of is what the
// first of them says: the classes of a loss that are looked up as well are the
// vocabulary.

#include "DimensionMeanings.h"

#include "AttentionDims.h"
#include "ExpertDims.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/TrainingStep.h"
#include "partopt/Support/ArgumentRole.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

llvm::DenseSet<Value> partopt::valuesMadeOf(func::FuncOp func, StringRef role) {
  DenseSet<Value> made;
  for (BlockArgument argument : func.getArguments())
    if (roleOf(argument) == role)
      made.insert(argument);
  for (Operation &op : func.getBody().front())
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return made.contains(operand); }))
      made.insert(op.result_begin(), op.result_end());
  return made;
}

static bool isInteger(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger() &&
         !type.getElementType().isInteger(1);
}

DimensionMeanings::DimensionMeanings(func::FuncOp func,
                                     const DimensionClasses &classes)
    : func(func), classes(classes), ofBatch(valuesMadeOf(func, "batch")),
      ofParameters(valuesMadeOf(func, "param")), meanings(classes.size()) {
  addExperts();
  addHeads();
  findNumbered();
  addLookups();
  for (const DimensionClasses::OpClasses &entry : classes.ops())
    addPicked(entry.op);
  addBatch();
  addProducts();
}

void DimensionMeanings::addExperts() {
  ExpertDims experts(func);
  for (BlockArgument argument : func.getArguments())
    if (roleOf(argument) == "param")
      if (std::optional<int64_t> dim = experts.dimOf(argument))
        add(argument, *dim, "experts");
}

void DimensionMeanings::addHeads() {
  AttentionDims dims(func);
  for (const Attention &attention : dims.attentions())
    for (const AttentionTensor &tensor : attention.inputs)
      for (int64_t dim = 0; dim < rankOf(tensor.value); ++dim)
        if (dim == tensor.heads)
          add(tensor.value, dim, "heads");
        else if (dim != tensor.sequence)
          add(tensor.value, dim, "width of a head");
}

/// Whether the value counts along one dimension, and which.
static std::optional<int64_t> countedDim(Value value) {
  if (auto iota = value.getDefiningOp<stablehlo::IotaOp>())
    return iota.getIotaDimension();
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!broadcast)
    return std::nullopt;
  std::optional<int64_t> dim = countedDim(broadcast.getOperand());
  return dim ? std::optional(broadcast.getBroadcastDimensions()[*dim])
             : std::nullopt;
}

void DimensionMeanings::findNumbered() {
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
      Value sides[] = {compare.getLhs(), compare.getRhs()};
      bool isEqual = compare.getComparisonDirection() ==
                     stablehlo::ComparisonDirection::EQ;
      for (unsigned side : {0, 1})
        if (isEqual && isInteger(sides[side]) &&
            ofBatch.contains(sides[1 - side]))
          if (std::optional<int64_t> dim = countedDim(sides[side]))
            oneHot[op.getResult(0)] = {*dim, sides[1 - side]};
    } else if (isa<stablehlo::ConvertOp>(op) &&
               oneHot.count(op.getOperand(0))) {
      OneHot same = oneHot.lookup(op.getOperand(0));
      oneHot[op.getResult(0)] = same;
    }
  }
}

void DimensionMeanings::addLookups() {
  SmallVector<Value> tables;
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    if (auto gather = dyn_cast<stablehlo::GatherOp>(entry.op)) {
      Value table = gather.getOperand();
      if (!isOfParameters(table) ||
          !ofBatch.contains(gather.getStartIndices()) ||
          ofParameters.contains(gather.getStartIndices()))
        continue;
      for (int64_t dim : gather.getDimensionNumbers().getStartIndexMap())
        add(table, dim, "vocabulary");
      tables.push_back(table);
    } else if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(entry.op)) {
      Value sides[] = {dot.getLhs(), dot.getRhs()};
      ArrayRef<int64_t> sums[] = {
          dot.getDotDimensionNumbers().getLhsContractingDimensions(),
          dot.getDotDimensionNumbers().getRhsContractingDimensions()};
      for (unsigned side : {0, 1}) {
        auto picks = oneHot.find(sides[side]);
        if (picks == oneHot.end() || !isOfParameters(sides[1 - side]) ||
            ofParameters.contains(picks->second.integers) ||
            sums[side] != ArrayRef<int64_t>(picks->second.dim))
          continue;
        add(sides[1 - side], sums[1 - side][0], "vocabulary");
        tables.push_back(sides[1 - side]);
      }
    }
  }
  for (Value table : tables)
    for (int64_t dim = 0; dim < rankOf(table); ++dim)
      add(table, dim, "embedding width");
}

/// Integers choose among what is computed.
void DimensionMeanings::addPicked(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    // Rows pick their own row along the dimensions in front.
    ArrayRef<int64_t> picked = gather.getDimensionNumbers().getStartIndexMap();
    if (!isOfParameters(gather.getOperand()) && !picked.empty() &&
        !ofParameters.contains(gather.getStartIndices()))
      add(gather.getOperand(), picked.back(), "classes of the loss");
    return;
  }
  for (Value result : op->getResults())
    if (auto picks = oneHot.find(result); picks != oneHot.end())
      add(result, picks->second.dim,
          ofParameters.contains(picks->second.integers)
              ? "choices of a router"
              : "classes of the loss");
}

void DimensionMeanings::addBatch() {
  std::vector<bool> isSummed(classes.size());
  for (const DimensionClasses::OpClasses &entry : classes.ops())
    if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(entry.op))
      if (isOfParameters(dot.getLhs()) || isOfParameters(dot.getRhs()))
        for (auto [factor, number] :
             llvm::zip(entry.rule.factors, entry.factors))
          if (number && factor.kind == FactorKind::Reduction)
            isSummed[*number] = true;
  for (BlockArgument argument : func.getArguments()) {
    if (roleOf(argument) != "batch" || isInteger(argument))
      continue;
    for (int64_t dim = 1; dim < rankOf(argument); ++dim)
      if (auto number = classes.classOf(argument, dim))
        add(*number, isSummed[*number]
                         ? "features of the input"
                         : "outputs that the batch has targets for");
  }
}

/// What products with parameters make and take, forward.
void DimensionMeanings::addProducts() {
  TrainingStep step(func);
  std::vector<unsigned> makers(classes.size()), takers(classes.size());
  for (const DimensionClasses::OpClasses &entry : classes.ops()) {
    bool isConvolution = isa<stablehlo::ConvolutionOp>(entry.op);
    if (!step.isForward(entry.op) ||
        !(isConvolution || isa<stablehlo::DotGeneralOp>(entry.op)))
      continue;
    for (unsigned weight : {0, 1}) {
      if (!isOfParameters(entry.op->getOperand(weight)) ||
          isOfParameters(entry.op->getOperand(1 - weight)))
        continue;
      for (const DimMapping &dim : entry.rule.operands[weight])
        for (unsigned factor : dim) {
          std::optional<unsigned> number = entry.factors[factor];
          if (!number)
            continue;
          bool isSum = entry.rule.factors[factor].kind == FactorKind::Reduction;
          ++(isSum ? takers : makers)[*number];
          if (isConvolution)
            add(*number, "channels");
        }
    }
  }
  for (unsigned i = 0; i < classes.size(); ++i)
    if (makers[i] > 0 && takers[i] > 0)
      add(i, takers[i] == 1 ? "hidden size between two products"
                            : "width between layers");
}
