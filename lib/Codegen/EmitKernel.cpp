// What kernels for the host and for GPUs have in common: buffers of arguments
// and tables, loops, stores.
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

void KernelEmitter::createArguments() {
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
}

void KernelEmitter::store(ElementScope &scope, const Buffer &buffer,
                          Type elementType, ArrayRef<Index> at, Value scalar) {
  SmallVector<Value> place = buffer.place(scope, at);
  Value stored = toStorage(builder, scope.loc, elementType, scalar);
  builder.create<memref::StoreOp>(scope.loc, stored, buffer.memref, place);
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
        parallel(scope, type.getShape(),
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
