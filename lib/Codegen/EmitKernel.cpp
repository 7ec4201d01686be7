// Loops of a kernel, part one: its buffers, its nests and the rows that groups
// share. Part two (EmitGroup.cpp) is what happens inside one group's loops.
#include "EmitKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "partopt/Support/KernelAttributes.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// A dense attribute in storage form.
DenseElementsAttr storedTable(DenseElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  Type stored = storageType(element);
  auto storedTensor = RankedTensorType::get(type.getShape(), stored);
  if (element.isInteger(1)) {
    SmallVector<int8_t> bytes;
    for (bool bit : value.getValues<bool>())
      bytes.push_back(bit);
    return DenseElementsAttr::get(storedTensor, ArrayRef(bytes));
  }
  return DenseElementsAttr::getFromRawBuffer(storedTensor, value.getRawData());
}

} // namespace

ElementScope KernelEmitter::topScope(Location loc) {
  ElementScope scope(builder, loc);
  scope.buffers = &buffers;
  scope.splits = &splits;
  scope.transposed = &transposed;
  return scope;
}

Buffer KernelEmitter::rowBuffer(int64_t length, Type elementType) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&target.getBody().front());
  return {builder.create<memref::AllocaOp>(target.getLoc(),
                                           bufferType({length}, elementType),
                                           builder.getI64IntegerAttr(64)),
          0};
}

void KernelEmitter::createTable(Operation *constant) {
  DenseElementsAttr stored = storedTable(constantOf(constant));
  auto type = cast<RankedTensorType>(stored.getType());
  auto memref = MemRefType::get(type.getShape(), type.getElementType());
  Location loc = constant->getLoc();
  std::string name =
      (target.getName() + "_table" +
       Twine(llvm::find(plan.tables, constant) - plan.tables.begin()))
          .str();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(target);
    builder.create<memref::GlobalOp>(
        loc, name, builder.getStringAttr("private"), memref, stored,
        /*constant=*/true, builder.getI64IntegerAttr(64));
  }
  buffers[constant->getResult(0)] = {
      builder.create<memref::GetGlobalOp>(loc, memref, name), 0};
}

/// Sums through memory keep the compute type when that differs from the
/// result's and the stack has room.
void KernelEmitter::createAccumulators(unsigned index) {
  const Item &item = plan.items[index];
  SmallVector<Buffer, 1> list;
  int64_t room = kStackBytes - plan.stackBytes;
  for (Value result : item.results()) {
    Buffer place = places.lookup(result);
    auto type = cast<MemRefType>(place.memref.getType());
    Type compute = computeType(tensorOf(result).getElementType());
    int64_t bytes = type.getNumElements() * storageBytes(compute);
    bool isNarrow = tensorOf(result).getElementType().isBF16() ||
                    tensorOf(result).getElementType().isF16();
    if (isNarrow && bytes <= room)
      place.memref = builder.create<memref::AllocaOp>(
          target.getLoc(), MemRefType::get(type.getShape(), compute),
          builder.getI64IntegerAttr(64));
    list.push_back(place);
  }
  accumulatorsOf[index] = list;
}

void KernelEmitter::createBuffers() {
  Block &entry = target.getBody().front();
  unsigned numInputs = source.getNumArguments();
  for (BlockArgument input : source.getArguments())
    buffers[input] = {entry.getArgument(input.getArgNumber()), 0};
  auto kernel = cast<func::FuncOp>(source.getParentOp());
  SmallVector<Value> outputs(entry.getArguments().drop_front(numInputs));
  for (unsigned i = 0; i < numInputs; ++i)
    if (auto result = kernel.getArgAttrOfType<IntegerAttr>(i, kOverwriteAttr))
      outputs[result.getInt()] = entry.getArgument(i);
  for (auto [i, output] :
       llvm::enumerate(source.getTerminator()->getOperands()))
    places.insert({output, {outputs[i], 0}});
  for (Operation *constant : plan.tables)
    createTable(constant);
  for (auto [value, isRow] : plan.temporaries) {
    unsigned item = 0;
    while (!llvm::is_contained(plan.items[item].results(), value))
      ++item;
    int64_t rows = isRow ? plan.nests[plan.nestOf[item]].rowRank : 0;
    RankedTensorType type = tensorOf(value);
    MemRefType memref =
        bufferType(type.getShape().drop_front(rows), type.getElementType());
    places[value] = {builder.create<memref::AllocaOp>(
                         value.getLoc(), memref, builder.getI64IntegerAttr(64)),
                     rows};
  }
  for (auto [i, item] : llvm::enumerate(plan.items))
    if (item.kind == Item::Kind::Fold &&
        item.firstFolded() < registerDim(plan.nests[plan.nestOf[i]], item))
      createAccumulators(i);
}

void KernelEmitter::store(ElementScope &scope, const Buffer &buffer,
                          Type elementType, ArrayRef<Index> at, Value scalar) {
  SmallVector<Value> indices;
  for (const Index &index : at.drop_front(buffer.rowRank))
    indices.push_back(scope.materialize(index));
  Value stored = toStorage(builder, scope.loc, elementType, scalar);
  builder.create<memref::StoreOp>(scope.loc, stored, buffer.memref, indices);
}

LogicalResult KernelEmitter::loops(ElementScope &scope, ArrayRef<int64_t> shape,
                                   BodyFn body) {
  IndexVector at;
  auto descend = [&](auto &self, ElementScope &outer) -> LogicalResult {
    if (at.size() == shape.size())
      return body(outer, at);
    int64_t size = shape[at.size()];
    if (size == 1) {
      at.push_back(Index::constant(0));
      LogicalResult result = self(self, outer);
      at.pop_back();
      return result;
    }
    OpBuilder::InsertionGuard guard(builder);
    auto loop = builder.create<scf::ForOp>(outer.loc, outer.indexConstant(0),
                                           outer.indexConstant(size),
                                           outer.indexConstant(1));
    builder.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&outer);
    at.push_back({loop.getInductionVar(), 0, 0, size - 1});
    LogicalResult result = self(self, inner);
    at.pop_back();
    return result;
  };
  return descend(descend, scope);
}

/// An op with loops of its own.
LogicalResult KernelEmitter::emitLoops(const Item &item) {
  SmallVector<Buffer> results;
  for (Value result : item.results())
    results.push_back(places.lookup(result));
  if (failed(RuleTable::get().lookup(item.op)->emit(*this, item.op, results)))
    return failure();
  for (Value result : item.results())
    buffers[result] = places.lookup(result);
  return success();
}

/// The outer loops of a nest; the groups are inside all of them.
LogicalResult KernelEmitter::emitRows(const Nest &nest, ElementScope &scope,
                                      IndexVector &at) {
  int64_t d = at.size();
  if (d == nest.rowRank) {
    for (const Group &group : nest.groups)
      if (failed(emitGroup(nest, group, scope, at)))
        return failure();
    return success();
  }
  auto summedFromHere = [&](auto action) -> LogicalResult {
    for (const Group &group : nest.groups)
      for (unsigned i : group.items)
        if (plan.items[i].firstFolded() == d && failed(action(i)))
          return failure();
    return success();
  };
  if (failed(summedFromHere(
          [&](unsigned i) { return initAccumulators(i, scope, at); })))
    return failure();
  if (nest.rowShape[d] == 1) {
    at.push_back(Index::constant(0));
    if (failed(emitRows(nest, scope, at)))
      return failure();
  } else {
    OpBuilder::InsertionGuard guard(builder);
    auto loop = builder.create<scf::ForOp>(
        scope.loc, scope.indexConstant(0),
        scope.indexConstant(nest.rowShape[d]), scope.indexConstant(1));
    builder.setInsertionPointToStart(loop.getBody());
    ElementScope inner(&scope);
    at.push_back({loop.getInductionVar(), 0, 0, nest.rowShape[d] - 1});
    if (failed(emitRows(nest, inner, at)))
      return failure();
  }
  at.pop_back();
  return summedFromHere([&](unsigned i) { return writeBack(i, scope, at); });
}

/// The number of the first result that is `output`.
static unsigned firstPlace(Block &source, Value output) {
  auto results = source.getTerminator()->getOperands();
  return llvm::find(results, output) - results.begin();
}

/// A value that is returned twice is written twice.
LogicalResult KernelEmitter::emitCopies() {
  unsigned numInputs = source.getNumArguments();
  Block &entry = target.getBody().front();
  for (OpOperand &operand : source.getTerminator()->getOpOperands()) {
    Value output = operand.get();
    Buffer copy{entry.getArgument(numInputs + operand.getOperandNumber()), 0};
    if (firstPlace(source, output) == operand.getOperandNumber())
      continue;
    ElementScope scope = topScope(output.getLoc());
    RankedTensorType type = tensorOf(output);
    LogicalResult result =
        loops(scope, type.getShape(),
              [&](ElementScope &inner, ArrayRef<Index> at) -> LogicalResult {
                Value scalar = inner.element(output, at);
                store(inner, copy, type.getElementType(), at, scalar);
                return success();
              });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult KernelEmitter::run() {
  builder.setInsertionPointToStart(&target.getBody().front());
  createBuffers();
  for (auto [n, nest] : llvm::enumerate(plan.nests)) {
    const Item &first =
        plan.items[llvm::find(plan.nestOf, n) - plan.nestOf.begin()];
    if (first.kind == Item::Kind::Loops) {
      if (failed(emitLoops(first)))
        return failure();
      continue;
    }
    Location loc = first.op ? first.op->getLoc() : first.value.getLoc();
    ElementScope scope = topScope(loc);
    IndexVector at;
    if (failed(emitRows(nest, scope, at)))
      return failure();
    for (const Group &group : nest.groups)
      for (unsigned i : group.items)
        for (Value result : plan.items[i].results())
          buffers[result] = places.lookup(result);
  }
  if (failed(emitCopies()))
    return failure();
  builder.create<func::ReturnOp>(target.getLoc());
  return success();
}

Value flatBuffer(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 1)
    return memref;
  int64_t size = type.getNumElements();
  return builder.create<memref::ReinterpretCastOp>(
      loc, MemRefType::get({size}, type.getElementType()), memref, 0,
      ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
}

} // namespace partopt::codegen
