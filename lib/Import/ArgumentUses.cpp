// Backward slices from results to arguments. Loops and branches are followed
// value by value, so that a loop over whole training steps still tells its
// parameters from its optimizer state.

#include "ArgumentRoles.h"

#include "dialects/StableHLO/LinearAlgebraOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partopt {
namespace {

bool isNamed(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name;
}

bool isMatmul(Operation *op) {
  return isNamed(op, "stablehlo.dot_general") || isNamed(op, "stablehlo.dot") ||
         isNamed(op, "stablehlo.convolution") ||
         isNamed(op, "stablehlo.gather");
}

bool isRandom(Operation *op) {
  return isNamed(op, "stablehlo.rng_bit_generator") ||
         isNamed(op, "stablehlo.rng") || isNamed(op, "stablehlo.xor");
}

// Values that a step of the slice leads to.
class Slice {
public:
  /// `differentiable`: of floats alone, as a derivative goes.
  explicit Slice(ArrayRef<Value> from, bool differentiable = false)
      : differentiable(differentiable) {
    for (Value value : from)
      push(value);
  }

  bool contains(Value value) const { return seen.contains(value); }
  const llvm::DenseSet<Value> &values() const { return seen; }

  /// Marks in `args` the arguments of `entry` that the slice reaches.
  void run(Block &entry, llvm::BitVector &args) {
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto arg = dyn_cast<BlockArgument>(value)) {
        if (arg.getOwner() == &entry)
          args.set(arg.getArgNumber());
        else
          followArgument(arg);
        continue;
      }
      followResult(cast<OpResult>(value));
    }
  }

private:
  void push(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (differentiable && type && !isa<FloatType>(type.getElementType()) &&
        !isa<ComplexType>(type.getElementType()))
      return;
    if (seen.insert(value).second)
      work.push_back(value);
  }

  void pushTerminator(Region &region, std::optional<unsigned> index) {
    if (region.empty() || region.front().empty())
      return;
    Operation *terminator = &region.front().back();
    for (OpOperand &operand : terminator->getOpOperands())
      if (!index || operand.getOperandNumber() == *index)
        push(operand.get());
  }

  // A value carried around a loop: its start, and what the body makes of it.
  void followLoop(Operation *loop, unsigned index) {
    if (index < loop->getNumOperands())
      push(loop->getOperand(index));
    pushTerminator(loop->getRegion(0), std::nullopt);
    pushTerminator(loop->getRegion(1), index);
  }

  void followArgument(BlockArgument arg) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (isNamed(parent, "stablehlo.while"))
      followLoop(parent, arg.getArgNumber());
  }

  void followResult(OpResult result) {
    Operation *op = result.getOwner();
    unsigned index = result.getResultNumber();
    if (isNamed(op, "stablehlo.while"))
      return followLoop(op, index);
    if (isNamed(op, "stablehlo.optimization_barrier"))
      return push(op->getOperand(index));
    llvm::for_each(op->getOperands(), [&](Value v) { push(v); });
    bool isBranch =
        isNamed(op, "stablehlo.case") || isNamed(op, "stablehlo.if");
    for (Region &region : op->getRegions()) {
      if (isBranch)
        pushTerminator(region, index);
      else
        region.walk([&](Operation *inner) {
          llvm::for_each(inner->getOperands(), [&](Value v) { push(v); });
        });
    }
  }

  bool differentiable;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work;
};

llvm::BitVector argumentsBehind(func::FuncOp func, ArrayRef<Value> values) {
  llvm::BitVector args(func.getNumArguments());
  Slice(values).run(func.front(), args);
  return args;
}

// Operands of all ops that `match`, in nested regions too.
template <typename Match>
SmallVector<Value> operandsOf(func::FuncOp func, Match match) {
  SmallVector<Value> values;
  func.walk([&](Operation *op) {
    if (match(op))
      llvm::append_range(values, op->getOperands());
  });
  return values;
}

bool isFloatScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         isa<FloatType>(tensor.getElementType());
}

// Beside the loss a norm of the gradients may be returned, which depends on
// more, schedules, which depend on no array, and counts of hits, which have no
// derivative.
int64_t findLoss(func::FuncOp func, ArrayRef<int64_t> carriedTo) {
  int64_t first = -1;
  std::pair<bool, size_t> least;
  for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
    if (!isFloatScalar(type) ||
        llvm::is_contained(carriedTo, static_cast<int64_t>(index)))
      continue;
    auto info = func.getResultAttrOfType<StringAttr>(index, "jax.result_info");
    if (info && info.getValue().contains_insensitive("loss"))
      return index;
    Value result = func.front().getTerminator()->getOperand(index);
    Slice slice(result);
    llvm::BitVector all(func.getNumArguments()), args(func.getNumArguments());
    slice.run(func.front(), all);
    Slice(result, /*differentiable=*/true).run(func.front(), args);
    bool ofScalars = llvm::all_of(args.set_bits(), [&](unsigned arg) {
      return cast<RankedTensorType>(func.getArgumentTypes()[arg]).getRank() ==
             0;
    });
    std::pair<bool, size_t> size(ofScalars, slice.values().size());
    if (first >= 0 && size >= least)
      continue;
    first = index;
    least = size;
  }
  return first;
}

// Arguments whose dimension 0 a dot within `slice` sums over.
llvm::BitVector contractedRows(func::FuncOp func, const Slice &slice) {
  llvm::BitVector args(func.getNumArguments());
  func.walk([&](stablehlo::DotGeneralOp dot) {
    if (!slice.contains(dot.getResult()))
      return;
    stablehlo::DotDimensionNumbersAttr dims = dot.getDotDimensionNumbers();
    auto mark = [&](Value value, ArrayRef<int64_t> contracting) {
      auto arg = dyn_cast<BlockArgument>(value);
      if (arg && arg.getOwner() == &func.front() &&
          llvm::is_contained(contracting, 0))
        args.set(arg.getArgNumber());
    };
    mark(dot.getLhs(), dims.getLhsContractingDimensions());
    mark(dot.getRhs(), dims.getRhsContractingDimensions());
  });
  return args;
}

} // namespace

ArgumentUses::ArgumentUses(func::FuncOp func, ArrayRef<int64_t> carriedTo)
    : func(func), carriedTo(carriedTo), loss(findLoss(func, carriedTo)),
      toLoss(func.getNumArguments()) {
  if (loss >= 0)
    toLoss = reaching(func.front().getTerminator()->getOperand(loss));
  Slice slice(
      loss >= 0
          ? SmallVector<Value>{func.front().getTerminator()->getOperand(loss)}
          : SmallVector<Value>(func.front().getTerminator()->getOperands()));
  llvm::BitVector ignored(func.getNumArguments());
  slice.run(func.front(), ignored);
  if (loss >= 0)
    ofLoss = slice.values();
  rowsContracted = contractedRows(func, slice);
  toMatmul = reaching(operandsOf(func, isMatmul));
  toRandom = reaching(operandsOf(func, isRandom));
}

llvm::BitVector ArgumentUses::reaching(ArrayRef<Value> values) const {
  return argumentsBehind(func, values);
}

bool ArgumentUses::feedsRandom(unsigned arg) const {
  return toRandom.test(arg);
}

bool ArgumentUses::isUpdatedInPlace(unsigned arg) const {
  if (carriedTo[arg] < 0)
    return false;
  Value value = func.front().getTerminator()->getOperand(carriedTo[arg]);
  Operation *op = value.getDefiningOp();
  return op && (isNamed(op, "stablehlo.dynamic_update_slice") ||
                isNamed(op, "stablehlo.scatter"));
}

} // namespace partopt
