// See GradientCollectives.h.

#include "GradientCollectives.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/ShapeOps.h"
#include "dialects/StableHLO/StableHLO.h"

#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/UnitAttributes.h"

using namespace mlir;
using namespace partopt;

static int64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : -1;
}

/// Ops that move the elements of their first operand, or some of them.
static bool isMove(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::ConvertOp,
             stablehlo::SliceOp, stablehlo::PadOp,
             stablehlo::OptimizationBarrierOp, comm::ShardOp>(op);
}

/// The argument that a gathered shard comes from.
static std::optional<ParameterMove> sourceOf(Operation *gather) {
  ParameterMove move{ParameterMove::Gather, 0, -1};
  Value value = gather->getOperand(0);
  while (Operation *def = value.getDefiningOp()) {
    if (!isMove(def) && !isa<comm::AllGatherOp>(def))
      return std::nullopt;
    if (auto slice = dyn_cast<stablehlo::SliceOp>(def)) {
      auto from = cast<RankedTensorType>(slice.getOperand().getType());
      auto to = cast<RankedTensorType>(slice.getType());
      if (from.getDimSize(0) > 1 && to.getDimSize(0) == 1)
        move.row = slice.getStartIndices()[0];
    }
    value = def->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  move.argument = argument.getArgNumber();
  return move;
}

namespace {
/// Walks back from one parameter's new value.
class UpdateWalk {
public:
  UpdateWalk(unsigned argument,
             llvm::DenseMap<Operation *, ParameterMove> &moves)
      : argument(argument), moves(moves) {}

  void run(Value root) {
    push(root, -1);
    while (!work.empty()) {
      auto [value, row] = work.pop_back_val();
      if (Operation *op = value.getDefiningOp())
        visit(op, value, row);
    }
  }

private:
  void push(Value value, int64_t row) { work.push_back({value, row}); }

  void note(Operation *op, ParameterMove::Kind kind, int64_t row) {
    moves.insert({op, {kind, argument, row}});
  }

  void visit(Operation *op, Value value, int64_t row) {
    if (!seen.insert(value).second || elementsOf(value) <= 1)
      return;
    if (isa<comm::CollectiveOpInterface>(op)) {
      if (isa<comm::AllGatherOp>(op) && !op->hasAttr(kStorageGatherAttr))
        note(op, ParameterMove::Refresh, row);
      else if (isa<comm::ReduceScatterOp, comm::AllReduceOp>(op) &&
               cast<comm::CombinerKindAttr>(op->getAttr("combiner"))
                       .getValue() == comm::CombinerKind::Sum)
        note(op, ParameterMove::Reduce, row);
      else if (!isa<comm::AllToAllOp, comm::PermuteOp>(op))
        return;
      return push(op->getOperand(cast<OpResult>(value).getResultNumber()), row);
    }
    // What a loop has accumulated: its iterations' parts.
    if (isa<comm::LoopEndOp>(op))
      return push(op->getOperand(cast<OpResult>(value).getResultNumber()), row);
    // A sum over dimensions of one row each only drops them, a broadcast to
    // such dimensions only adds them.
    bool isSame = isa<stablehlo::ReduceOp, stablehlo::BroadcastInDimOp>(op) &&
                  elementsOf(op->getOperand(0)) == elementsOf(value);
    if (isMove(op) || isSame)
      return push(op->getOperand(0), row);
    // The gradient of a stack: a row of each layer.
    if (auto rows = dyn_cast<stablehlo::ConcatenateOp>(op)) {
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        push(operand, rows.getDimension() == 0 ? int64_t(i) : row);
      return;
    }
    if (op->hasTrait<stablehlo::Elementwise>())
      for (Value operand : op->getOperands())
        if (elementsOf(operand) == elementsOf(value))
          push(operand, row);
  }

  unsigned argument;
  llvm::DenseMap<Operation *, ParameterMove> &moves;
  llvm::DenseSet<Value> seen;
  SmallVector<std::pair<Value, int64_t>> work;
};
} // namespace

llvm::MapVector<Operation *, ParameterMove>
partopt::findParameterMoves(func::FuncOp func) {
  Block &block = func.getBody().front();
  llvm::DenseMap<Operation *, ParameterMove> moves;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    std::optional<unsigned> next = nextResultOf(func, i);
    if (roleOf(func, i) == "param" && next)
      UpdateWalk(i, moves).run(block.getTerminator()->getOperand(*next));
  }
  llvm::MapVector<Operation *, ParameterMove> ordered;
  for (Operation &op : block) {
    if (isa<comm::AllGatherOp>(op) && op.hasAttr(kStorageGatherAttr)) {
      if (std::optional<ParameterMove> source = sourceOf(&op))
        ordered.insert({&op, *source});
    } else if (auto found = moves.find(&op); found != moves.end()) {
      ordered.insert({&op, found->second});
    }
  }
  return ordered;
}
