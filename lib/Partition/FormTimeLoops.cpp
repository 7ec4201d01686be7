// Axes in time as loops: accumulators for what is combined over the iterations,
// slices for what has a part per iteration.

#include "RowSlices.h"
#include "TimeDependence.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Partition/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_FORMTIMELOOPSPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Sums of narrow floats are kept in f32.
RankedTensorType accumulatorType(comm::AllReduceOp op) {
  RankedTensorType type = typeOf(op.getOperands()[0]);
  comm::CombinerKind kind = op.getCombiner();
  bool adds =
      kind == comm::CombinerKind::Sum || kind == comm::CombinerKind::Product;
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!adds || !element || element.getWidth() >= 32)
    return type;
  return type.clone(Float32Type::get(op.getContext()));
}

class LoopFormer {
public:
  LoopFormer(func::FuncOp func, const MeshAxis &axis, unsigned axisNumber,
             const Mesh &mesh)
      : func(func), block(func.getBody().front()), axis(axis),
        axisNumber(axisNumber), mesh(mesh), builder(func.getContext()) {}

  LogicalResult run();

  unsigned numLoops = 0, numAccumulators = 0;

private:
  /// A value that a loop carries: of a reduction, or a result's rows.
  struct Carried {
    Operation *reduction = nullptr; ///< or null: result `resultNumber`
    unsigned resultNumber = 0;
    Value init, next;
  };

  LogicalResult findBatches();
  void form(const TimeDependence &depends);
  void emitLoop(const TimeDependence &depends, int64_t number,
                ArrayRef<Operation *> ops);
  SmallVector<Carried> carriedBy(const TimeDependence &depends, int64_t number,
                                 ArrayRef<Operation *> ops);
  void emitBody(const TimeDependence &depends, int64_t number,
                ArrayRef<Operation *> ops, comm::LoopBeginOp begin,
                MutableArrayRef<Carried> carried);
  llvm::SetVector<Operation *> neededAgain(const TimeDependence &depends,
                                           int64_t number,
                                           ArrayRef<Operation *> ops);
  Value identity(RankedTensorType type, comm::CombinerKind kind, Location loc);
  Value sliceOf(BlockArgument argument, Value index);
  Value combine(comm::AllReduceOp op, Value sum, Value part);
  FailureOr<int64_t> timeDim(const Layout &layout, Location loc);

  func::FuncOp func;
  Block &block;
  MeshAxis axis;
  unsigned axisNumber;
  const Mesh &mesh;
  OpBuilder builder;
  /// The dimension that the axis cuts, by argument and by result.
  llvm::MapVector<Value, int64_t> batchDim;
  llvm::DenseMap<unsigned, int64_t> resultDim;
};

/// The dimension that the axis cuts, -1 where it cuts none. An error at `loc`
/// where a device's rows would not be those of the iterations, one behind the
/// other.
FailureOr<int64_t> LoopFormer::timeDim(const Layout &layout, Location loc) {
  int64_t found = -1;
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    for (const AxisRef &ref : axes) {
      if (ref.axis != axisNumber)
        continue;
      if (ref != axes.back() || ref.size != axis.size)
        return emitError(loc)
               << "the rows of the microbatches do not lie one behind the "
                  "other here; return them in another shape, or leave out "
                  "--microbatches";
      found = dim;
    }
  return found;
}

LogicalResult LoopFormer::findBatches() {
  for (BlockArgument argument : block.getArguments()) {
    FailureOr<int64_t> dim =
        timeDim(getValueLayout(argument, mesh), argument.getLoc());
    if (failed(dim))
      return failure();
    if (*dim >= 0)
      batchDim[argument] = *dim;
  }
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    auto sharding = sdy::getFuncResultSharding(func, i);
    if (!sharding)
      continue;
    FailureOr<int64_t> dim = timeDim(
        toLayout(sharding, mesh, sharding.getRank()), result.get().getLoc());
    if (failed(dim))
      return failure();
    // An argument that is returned holds all rows already.
    if (*dim >= 0 && !batchDim.contains(result.get()))
      resultDim[i] = *dim;
  }
  return success();
}

Value LoopFormer::identity(RankedTensorType type, comm::CombinerKind kind,
                           Location loc) {
  Attribute element =
      combinerIdentity(type.getElementType(), static_cast<Combiner>(kind));
  return builder.create<stablehlo::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, element));
}

/// The iteration's rows of a batch argument, which holds those of all of them.
Value LoopFormer::sliceOf(BlockArgument argument, Value index) {
  int64_t dim = batchDim.lookup(argument);
  int64_t rows = typeOf(argument).getDimSize(dim) / axis.size;
  return sliceRows(builder, argument.getLoc(), argument, index, rows, dim);
}

Value LoopFormer::combine(comm::AllReduceOp op, Value sum, Value part) {
  Location loc = op.getLoc();
  Type type = sum.getType();
  if (part.getType() != type)
    part = builder.create<stablehlo::ConvertOp>(loc, type, part);
  switch (op.getCombiner()) {
  case comm::CombinerKind::Sum:
    return builder.create<stablehlo::AddOp>(loc, type, sum, part);
  case comm::CombinerKind::Product:
    return builder.create<stablehlo::MulOp>(loc, type, sum, part);
  case comm::CombinerKind::Min:
    return builder.create<stablehlo::MinOp>(loc, type, sum, part);
  case comm::CombinerKind::Max:
    return builder.create<stablehlo::MaxOp>(loc, type, sum, part);
  case comm::CombinerKind::And:
    return builder.create<stablehlo::AndOp>(loc, type, sum, part);
  case comm::CombinerKind::Or:
    return builder.create<stablehlo::OrOp>(loc, type, sum, part);
  }
  llvm_unreachable("all combiners are handled");
}

/// Ops of earlier loops whose values this one needs: they run again.
llvm::SetVector<Operation *>
LoopFormer::neededAgain(const TimeDependence &depends, int64_t number,
                        ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> again;
  auto look = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && depends.varies(operand) && depends.placeOf(def) < number)
        again.insert(def);
    }
  };
  llvm::for_each(ops, look);
  for (size_t i = 0; i < again.size(); ++i)
    look(again[i]);
  return again;
}

/// Everything that the loop accumulates or writes row by row.
SmallVector<LoopFormer::Carried>
LoopFormer::carriedBy(const TimeDependence &depends, int64_t number,
                      ArrayRef<Operation *> ops) {
  SmallVector<Carried> carried;
  for (Operation *op : ops)
    if (depends.isReduction(op)) {
      auto sum = cast<comm::AllReduceOp>(op);
      Value zero =
          identity(accumulatorType(sum), sum.getCombiner(), op->getLoc());
      carried.push_back({op, 0, zero, {}});
    }
  if (number + 1 < depends.numLoops())
    return carried;
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    if (!resultDim.contains(i))
      continue;
    RankedTensorType part = typeOf(result.get());
    SmallVector<int64_t> shape(part.getShape());
    shape[resultDim.lookup(i)] *= axis.size;
    carried.push_back({nullptr,
                       i,
                       identity(part.clone(shape), comm::CombinerKind::Sum,
                                result.get().getLoc()),
                       {}});
  }
  return carried;
}

/// One iteration: copies of `ops` and of what they need of earlier loops.
void LoopFormer::emitBody(const TimeDependence &depends, int64_t number,
                          ArrayRef<Operation *> ops, comm::LoopBeginOp begin,
                          MutableArrayRef<Carried> carried) {
  IRMapping here;
  for (auto &[argument, dim] : batchDim)
    here.map(argument,
             sliceOf(cast<BlockArgument>(argument), begin.getIndex()));
  llvm::SetVector<Operation *> again = neededAgain(depends, number, ops);
  SmallVector<Operation *> body(ops);
  body.append(again.begin(), again.end());
  llvm::sort(body,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : body) {
    if (auto index = dyn_cast<comm::AxisIndexOp>(op)) {
      here.map(index.getResult(),
               indexInTime(builder, index, axis, begin.getIndex()));
      continue;
    }
    if (!depends.isReduction(op)) {
      builder.clone(*op, here);
      continue;
    }
    for (auto [i, value] : llvm::enumerate(carried))
      if (value.reduction == op)
        value.next = combine(cast<comm::AllReduceOp>(op), begin.getCarried()[i],
                             here.lookupOrDefault(op->getOperand(0)));
  }
  for (auto [i, value] : llvm::enumerate(carried)) {
    if (value.reduction)
      continue;
    Value part = here.lookupOrDefault(
        block.getTerminator()->getOperand(value.resultNumber));
    int64_t dim = resultDim.lookup(value.resultNumber);
    auto at =
        startsOfRows(builder, part.getLoc(), begin.getIndex(),
                     typeOf(part).getDimSize(dim), dim, typeOf(part).getRank());
    value.next = builder.create<stablehlo::DynamicUpdateSliceOp>(
        part.getLoc(), begin.getCarried()[i], part, at);
  }
}

void LoopFormer::emitLoop(const TimeDependence &depends, int64_t number,
                          ArrayRef<Operation *> ops) {
  SmallVector<Carried> carried = carriedBy(depends, number, ops);
  SmallVector<Value> inits, nexts;
  SmallVector<Type> types{RankedTensorType::get({}, builder.getI32Type())};
  for (const Carried &value : carried) {
    inits.push_back(value.init);
    types.push_back(value.init.getType());
  }
  auto begin = builder.create<comm::LoopBeginOp>(
      func.getLoc(), types, builder.getStringAttr(axis.name),
      builder.getI64IntegerAttr(axis.size), inits);
  emitBody(depends, number, ops, begin, carried);
  for (const Carried &value : carried)
    nexts.push_back(value.next);
  auto end = builder.create<comm::LoopEndOp>(
      func.getLoc(), ValueRange(nexts).getTypes(), nexts);
  for (auto [value, last] : llvm::zip_equal(carried, end.getFinals())) {
    if (!value.reduction) {
      block.getTerminator()->setOperand(value.resultNumber, last);
      continue;
    }
    Value result = last;
    Type type = value.reduction->getResult(0).getType();
    if (result.getType() != type)
      result = builder.create<stablehlo::ConvertOp>(value.reduction->getLoc(),
                                                    type, result);
    value.reduction->getResult(0).replaceAllUsesWith(result);
  }
  ++numLoops;
  numAccumulators += carried.size();
}

void LoopFormer::form(const TimeDependence &depends) {
  Operation *terminator = block.getTerminator();
  SmallVector<SmallVector<Operation *>> before(depends.numLoops() + 1),
      inside(depends.numLoops());
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator()) {
    old.push_back(&op);
    (depends.isInLoop(&op) ? inside : before)[depends.placeOf(&op)].push_back(
        &op);
  }
  builder.setInsertionPoint(terminator);
  // The old ops stay where they are until all loops are written, since later
  // loops copy from earlier ones.
  for (int64_t number = 0; number <= depends.numLoops(); ++number) {
    for (Operation *op : before[number])
      op->moveBefore(terminator);
    if (number < depends.numLoops())
      emitLoop(depends, number, inside[number]);
  }
  for (Operation *op : llvm::reverse(old))
    if (depends.isInLoop(op))
      op->erase();
}

LogicalResult LoopFormer::run() {
  if (failed(findBatches()))
    return failure();
  llvm::DenseSet<Value> batches;
  for (auto &[argument, dim] : batchDim)
    batches.insert(argument);
  // Before the block changes: everything is asked of it as it is.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.without_terminator())))
    if (isOpTriviallyDead(&op))
      op.erase();
  llvm::DenseSet<Value> rows;
  for (auto &[i, dim] : resultDim)
    rows.insert(block.getTerminator()->getOperand(i));
  TimeDependence depends(func, axis, batches, rows);
  if (failed(depends.run()))
    return failure();
  for (OpOperand &result : block.getTerminator()->getOpOperands())
    if (depends.varies(result.get()) && !batchDim.contains(result.get()) &&
        !resultDim.contains(result.getOperandNumber()))
      return emitError(result.get().getLoc())
             << "result " << result.getOperandNumber()
             << " differs from microbatch to microbatch and has no rows of its "
                "own; leave out --microbatches";
  for (auto &[argument, dim] : batchDim) {
    RankedTensorType type = typeOf(argument);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] *= axis.size;
    argument.setType(type.clone(shape));
  }
  if (depends.numLoops() > 0)
    form(depends);
  SmallVector<Type> results(block.getTerminator()->getOperandTypes());
  func.setFunctionType(FunctionType::get(
      func.getContext(), SmallVector<Type>(block.getArgumentTypes()), results));
  return success();
}

struct FormTimeLoops : partopt::impl::FormTimeLoopsPassBase<FormTimeLoops> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    Mesh mesh = getModuleMesh(func->getParentOfType<ModuleOp>());
    for (auto [i, axis] : llvm::enumerate(mesh.axes)) {
      if (!axis.isTime || axis.size == 1)
        continue;
      LoopFormer former(func, axis, i, mesh);
      if (failed(former.run()))
        return signalPassFailure();
      numLoops += former.numLoops;
      numAccumulators += former.numAccumulators;
    }
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createFormTimeLoopsPass() {
  return std::make_unique<FormTimeLoops>();
}
