//===- TapProgram.cpp - Makes values of the program results ---------------===//
//
// Lists the propagated program's values for the user, and chooses how many of
// them one pass of --check=values can hold.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Support/UserLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace partopt;

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The numbers of the values, and of the copies of them.
static llvm::DenseMap<Value, int64_t> numberValues(func::FuncOp func,
                                                   int64_t first) {
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::DenseMap<std::pair<int64_t, unsigned>, int64_t> places;
  for (auto [i, value] : llvm::enumerate(programValues(func))) {
    numbers[value] = first + int64_t(i);
    places[{placeOf(value.getOwner()), value.getResultNumber()}] =
        first + int64_t(i);
  }
  for (Operation &op : func.front())
    if (int64_t place = placeOf(&op); place >= 0)
      for (OpResult result : op.getResults())
        if (auto same = places.find({place, result.getResultNumber()});
            same != places.end())
          numbers.try_emplace(result, same->second);
  return numbers;
}

/// Passes on what it takes: changes its layout, or keeps a copy apart.
static bool passesOn(Operation *op) {
  return op->getNumOperands() == 1 &&
         (isa<sdy::SdyDialect>(op->getDialect()) ||
          (isa<stablehlo::OptimizationBarrierOp>(op) &&
           op->hasAttr(kCopyAttr)));
}

/// What an operand is, seen through ops that pass it on.
static ValueOperand operandOf(Value operand, func::FuncOp func,
                              const llvm::DenseMap<Value, int64_t> &numbers) {
  Operation *op = operand.getDefiningOp();
  while (op && passesOn(op)) {
    operand = op->getOperand(0);
    op = operand.getDefiningOp();
  }
  auto number = numbers.find(operand);
  if (number != numbers.end())
    return {number->second, -1, ""};
  if (op)
    return {-1, -1, op->getName().getStringRef().str()};
  unsigned index = cast<BlockArgument>(operand).getArgNumber();
  auto name = func.getArgAttrOfType<StringAttr>(index, "partopt.name");
  return {-1, int64_t(index),
          "argument " + (name ? "'" + name.getValue().str() + "'"
                              : std::to_string(index))};
}

/// A fold whose body adds.
static bool addsUp(Operation *op) {
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op))
    return false;
  return llvm::any_of(op->getRegion(0).front(), [](Operation &inner) {
    return isa<stablehlo::AddOp>(inner);
  });
}

static ErrorRule errorRuleOf(OpResult result) {
  Operation *op = result.getOwner();
  if (cast<RankedTensorType>(result.getType()).getElementType().isInteger())
    return ErrorRule::Exact;
  if (isa<stablehlo::MulOp>(op))
    return ErrorRule::Product;
  if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    return ErrorRule::DotProduct;
  if (isa<stablehlo::DivOp, stablehlo::RemOp, stablehlo::SqrtOp,
          stablehlo::RsqrtOp, stablehlo::CbrtOp, stablehlo::PowOp,
          stablehlo::LogOp>(op))
    return ErrorRule::Relative;
  if (isa<stablehlo::ExpOp, stablehlo::Expm1Op>(op))
    return ErrorRule::Exponential;
  if (isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::ScatterOp,
          stablehlo::SelectAndScatterOp>(op) ||
      addsUp(op))
    return ErrorRule::Sum;
  return ErrorRule::Move;
}

static std::vector<ProgramValue> listValues(ModuleOp module) {
  std::vector<ProgramValue> values;
  Mesh mesh = getModuleMesh(module);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    llvm::DenseMap<Value, int64_t> numbers =
        numberValues(func, int64_t(values.size()));
    for (OpResult result : programValues(func)) {
      Operation *op = result.getOwner();
      auto type = cast<RankedTensorType>(result.getType());
      ProgramValue value;
      value.op = op->getName().getStringRef().str();
      value.location = describeLocation(op->getLoc());
      value.type = textOf(type);
      value.errors = errorRuleOf(result);
      value.terms = uint64_t(reductionTerms(op));
      if (sdy::TensorShardingAttr sharding = sdy::getSharding(result))
        value.sharding = sdy::shardingText(sharding);
      // On one device in the runs of the unpartitioned program and of what is
      // disturbed of it, and one to compare with.
      value.bytes =
          3 * tensorBytes(type) +
          mesh.numDevices() * getValueLayout(result, mesh).localBytes(type);
      for (Value operand : op->getOperands())
        value.operands.push_back(operandOf(operand, func, numbers));
      values.push_back(std::move(value));
    }
  }
  return values;
}

uint64_t partopt::chooseTaps(ModuleOp module, const TapRequest &request,
                             CompileOutcome &outcome) {
  outcome.values = listValues(module);
  uint64_t last = request.first, bytes = 0;
  while (last < outcome.values.size() && last - request.first < request.count) {
    bytes += outcome.values[last].bytes;
    // One value at least, or there would be no progress.
    if (bytes > request.bytes && last > request.first)
      break;
    ++last;
  }
  outcome.tapped = last - request.first;
  return last;
}
