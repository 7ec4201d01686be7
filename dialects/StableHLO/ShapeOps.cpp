//===- ShapeOps.cpp - constants and movements of dimensions ------------===//
//
// Text of constants and builders that compute the result's type.
//
//===----------------------------------------------------------------------===//
#include "dialects/StableHLO/ShapeOps.h"
#include "dialects/StableHLO/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt::stablehlo;

#define GET_OP_CLASSES
#include "dialects/StableHLO/ShapeOps.cpp.inc"

void StableHLODialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/ShapeOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &, OperationState &state, ElementsAttr value) {
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(value.getType());
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  bool isInteger = isa<IntegerType>(getType().getElementType());
  setName(getOutput(), isInteger ? "c" : "cst");
}

/// `stablehlo.constant {attributes} dense<...> : t`; the value carries the
/// type.
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseAttribute(value))
    return failure();
  state.getOrAddProperties<Properties>().value = value;
  state.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

void TransposeOp::build(OpBuilder &builder, OperationState &state,
                        Value operand, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  build(builder, state, type.clone(shape), operand, permutation);
}
