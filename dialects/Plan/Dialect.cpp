//===- Dialect.cpp - Registration of the plan dialect ---------------------===//
//
// Registers types, attributes and operations, and answers the questions that
// every instruction answers: what it reads and what it writes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Plan/Plan.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt::planir;

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"
#include "dialects/Plan/PlanInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Plan/PlanTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/PlanOps.cpp.inc"
      >();
}

int64_t partopt::planir::storageBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * storageBytes(complex.getElementType());
  if (isa<IndexType>(type) || !type.isIntOrFloat())
    return 0;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

SmallVector<Value> LaunchOp::getReadBuffers() { return getInputs(); }
SmallVector<Value> LaunchOp::getWrittenBuffers() { return getOutputs(); }

SmallVector<Value> GemmOp::getReadBuffers() {
  SmallVector<Value> buffers{getA(), getB()};
  if (getAccumulate())
    buffers.push_back(getC());
  return buffers;
}
SmallVector<Value> GemmOp::getWrittenBuffers() { return {getC()}; }

SmallVector<Value> CopyOp::getReadBuffers() { return {getSource()}; }
SmallVector<Value> CopyOp::getWrittenBuffers() { return {getTarget()}; }

SmallVector<Value> AxisIndexOp::getReadBuffers() { return {}; }
SmallVector<Value> AxisIndexOp::getWrittenBuffers() { return {getTarget()}; }

SmallVector<Value> CollectiveStartOp::getReadBuffers() { return getInputs(); }
SmallVector<Value> CollectiveStartOp::getWrittenBuffers() {
  SmallVector<Value> written = getOutputs();
  if (getScratch())
    written.push_back(getScratch());
  return written;
}

SmallVector<Value> WaitOp::getReadBuffers() { return {}; }
SmallVector<Value> WaitOp::getWrittenBuffers() { return {}; }
