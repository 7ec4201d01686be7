// Axes in time as loops: accumulators for what is combined over the iterations,
// slices for what has a part per iteration.

#include "KeptValues.h"
#include "RowNumbers.h"
#include "RowSlices.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/LayoutConversion.h"
#include "partopt/Analysis/LocalLowering.h"
#include "partopt/Partition/Passes.h"

#include "partopt/Support/Warnings.h"

#include "mlir/IR/IRMapping.h"

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
  LoopFormer(func::FuncOp func, TimeCut &cut)
      : func(func), block(func.getBody().front()), cut(cut),
        builder(func.getContext()) {}

  LogicalResult run();

  unsigned numLoops = 0, numAccumulators = 0;

private:
  /// A value that a loop carries: of a reduction, a result's rows, or what
  /// every iteration makes of a value that is kept.
  struct Carried {
    Operation *reduction = nullptr; ///< or null
    Value kept;                     ///< or null: result `resultNumber`
    unsigned resultNumber = 0;
    int64_t dim = 0; ///< of the rows
    Value init, next;
  };

  void findWriters(const TimeDependence &depends);
  void form(const TimeDependence &depends);
  void emitLoop(const TimeDependence &depends, int64_t number,
                ArrayRef<Operation *> ops);
  SmallVector<Carried> carriedBy(const TimeDependence &depends, int64_t number,
                                 ArrayRef<Operation *> ops);
  void emitBody(const TimeDependence &depends, int64_t number,
                ArrayRef<Operation *> ops, comm::LoopBeginOp begin,
                MutableArrayRef<Carried> carried);
  Carried rowsOf(Value part, int64_t dim);
  Value asRows(Value part);
  Value readKept(Value value, Value index);
  void reportKept();
  Value identity(RankedTensorType type, comm::CombinerKind kind, Location loc);
  Value sliceOf(BlockArgument argument, Value index);
  Value combine(comm::AllReduceOp op, Value sum, Value part);

  func::FuncOp func;
  Block &block;
  TimeCut &cut;
  OpBuilder builder;
  std::optional<KeptValues> kept;
  /// The loop that writes the rows of a result.
  llvm::DenseMap<unsigned, int64_t> writerOf;
  /// Of kept values, behind the loop that makes them.
  llvm::DenseMap<Value, Value> buffers;
};

Value LoopFormer::identity(RankedTensorType type, comm::CombinerKind kind,
                           Location loc) {
  Attribute element =
      combinerIdentity(type.getElementType(), static_cast<Combiner>(kind));
  return builder.create<stablehlo::ConstantOp>(
      loc, type, DenseElementsAttr::get(type, element));
}

/// The iteration's rows of a batch argument, which holds those of all of them.
Value LoopFormer::sliceOf(BlockArgument argument, Value index) {
  int64_t dim = cut.batchDim.lookup(argument);
  int64_t rows = typeOf(argument).getDimSize(dim) / cut.axis.size;
  return sliceRows(builder, argument.getLoc(), argument, index, rows, dim,
                   cut.groups);
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

/// Scalars are a row of one element.
RankedTensorType rowsType(RankedTensorType type) {
  return type.getRank() > 0 ? type : type.clone({1});
}

Value LoopFormer::asRows(Value part) {
  RankedTensorType type = rowsType(typeOf(part));
  if (type == part.getType())
    return part;
  return builder.create<stablehlo::ReshapeOp>(part.getLoc(), type, part);
}

/// What iteration `index` of an earlier loop made of `value`.
Value LoopFormer::readKept(Value value, Value index) {
  RankedTensorType type = typeOf(value);
  Value rows = sliceRows(builder, value.getLoc(), buffers.lookup(value), index,
                         rowsType(type).getDimSize(0), 0);
  if (rows.getType() == type)
    return rows;
  return builder.create<stablehlo::ReshapeOp>(value.getLoc(), type, rows);
}

/// A carried value in which every iteration writes the rows of `part`.
LoopFormer::Carried LoopFormer::rowsOf(Value part, int64_t dim) {
  RankedTensorType type = rowsType(typeOf(part));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= cut.axis.size;
  Carried carried;
  carried.dim = dim;
  carried.init =
      identity(type.clone(shape), comm::CombinerKind::Sum, part.getLoc());
  return carried;
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
      Carried value;
      value.reduction = op;
      value.init = zero;
      carried.push_back(value);
    }
  for (Value value : kept->values())
    if (kept->loopOf(value) == number) {
      carried.push_back(rowsOf(value, 0));
      carried.back().kept = value;
    }
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    auto writer = writerOf.find(i);
    if (writer == writerOf.end() || writer->second != number)
      continue;
    carried.push_back(rowsOf(result.get(), cut.resultDim.lookup(i)));
    carried.back().resultNumber = i;
  }
  return carried;
}

/// One iteration: copies of `ops` and of what they need of earlier loops.
void LoopFormer::emitBody(const TimeDependence &depends, int64_t number,
                          ArrayRef<Operation *> ops, comm::LoopBeginOp begin,
                          MutableArrayRef<Carried> carried) {
  IRMapping here;
  for (auto &[argument, dim] : cut.batchDim)
    here.map(argument,
             sliceOf(cast<BlockArgument>(argument), begin.getIndex()));
  KeptValues::Needs needs = kept->neededBy(number, ops);
  for (Value value : needs.read)
    here.map(value, readKept(value, begin.getIndex()));
  SmallVector<Operation *> body(ops);
  body.append(needs.again.begin(), needs.again.end());
  llvm::sort(body,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : body) {
    if (auto index = dyn_cast<comm::AxisIndexOp>(op)) {
      here.map(index.getResult(),
               indexInTime(builder, index, numberedAxes(index.getAxes(), cut),
                           cut.axis, begin.getIndex()));
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
        value.kept ? value.kept
                   : block.getTerminator()->getOperand(value.resultNumber));
    part = asRows(part);
    value.next =
        writeRows(builder, part.getLoc(), begin.getCarried()[i], part,
                  begin.getIndex(), value.dim, value.kept ? 1 : cut.groups);
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
      func.getLoc(), types, builder.getStringAttr(cut.axis.name),
      builder.getI64IntegerAttr(cut.axis.size), inits);
  emitBody(depends, number, ops, begin, carried);
  for (const Carried &value : carried)
    nexts.push_back(value.next);
  auto end = builder.create<comm::LoopEndOp>(
      func.getLoc(), ValueRange(nexts).getTypes(), nexts);
  for (auto [value, last] : llvm::zip_equal(carried, end.getFinals())) {
    if (value.kept) {
      buffers[value.kept] = last;
      continue;
    }
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

/// Rows are written by the loop that makes them, those that are the same in
/// every iteration by the last.
void LoopFormer::findWriters(const TimeDependence &depends) {
  for (auto [i, result] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    Operation *def = result.getDefiningOp();
    if (cut.resultDim.contains(i))
      writerOf[i] = def && depends.isInLoop(def) ? depends.placeOf(def)
                                                 : depends.numLoops() - 1;
  }
}

void LoopFormer::form(const TimeDependence &depends) {
  findWriters(depends);
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

/// The price of values that are kept for all iterations.
void LoopFormer::reportKept() {
  if (kept->values().empty())
    return;
  int64_t bytes = 0;
  for (Value value : kept->values())
    bytes += cut.axis.size * tensorBytes(typeOf(value));
  std::string text;
  llvm::raw_string_ostream(text)
      << kept->values().size()
      << (kept->values().size() == 1 ? " value is" : " values are")
      << " kept for all microbatches (" << bytes
      << " bytes per device), since the step needs sums over the whole batch "
         "in between";
  addNote(func, "kept_values", text);
}

LogicalResult LoopFormer::run() {
  // Before the block changes: everything is asked of it as it is.
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
  if (failed(checkRowNumbers(func, cut)))
    return failure();
  TimeDependence depends(func, cut);
  auto statistics =
      func->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
          kBatchStatisticsAttr);
  if (failed(depends.run(statistics && statistics.getValue() == "exact")))
    return failure();
  for (OpOperand &result : block.getTerminator()->getOpOperands())
    if (depends.varies(result.get()) && !cut.batchDim.contains(result.get()) &&
        !cut.resultDim.contains(result.getOperandNumber()))
      return emitError(result.get().getLoc())
             << "result " << result.getOperandNumber()
             << " differs from microbatch to microbatch and has no rows of its "
                "own; leave out --microbatches";
  kept.emplace(block, depends);
  reportKept();
  for (auto &[argument, dim] : cut.batchDim) {
    RankedTensorType type = typeOf(argument);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] *= cut.axis.size;
    argument.setType(type.clone(shape));
  }
  if (depends.numLoops() > 0)
    form(depends);
  finishRowLayouts(func, cut);
  SmallVector<Type> results(block.getTerminator()->getOperandTypes());
  func.setFunctionType(FunctionType::get(
      func.getContext(), SmallVector<Type>(block.getArgumentTypes()), results));
  return success();
}

struct FormTimeLoops : partopt::impl::FormTimeLoopsPassBase<FormTimeLoops> {
  void runOnOperation() override {
    LogicalResult ran = withTimeCut(getOperation(), [&](TimeCut &cut) {
      LoopFormer former(getOperation(), cut);
      if (failed(former.run()))
        return failure();
      numLoops += former.numLoops;
      numAccumulators += former.numAccumulators;
      return success();
    });
    if (failed(ran))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createFormTimeLoopsPass() {
  return std::make_unique<FormTimeLoops>();
}
