// Registration of the comm dialect's attributes, types and ops.

#include "dialects/Comm/Comm.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt::comm;

#include "dialects/Comm/CommDialect.cpp.inc"
#include "dialects/Comm/CommEnums.cpp.inc"
#include "dialects/Comm/CommInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Comm/CommTypes.cpp.inc"

RankedTensorType partopt::comm::getValueType(Type type) {
  if (auto pending = dyn_cast<PendingType>(type))
    return pending.getValueType();
  return cast<RankedTensorType>(type);
}

void CommDialect::initialize() {
  registerAttrs();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Comm/CommTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Comm/CommOps.cpp.inc"
      >();
}
