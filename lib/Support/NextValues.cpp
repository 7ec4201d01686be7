// See NextValues.h.

#include "partopt/Support/NextValues.h"

using namespace mlir;

std::optional<unsigned> partopt::nextResultOf(func::FuncOp func,
                                              unsigned argument) {
  auto next = func.getArgAttrOfType<IntegerAttr>(argument, kNextResultAttr);
  if (!next)
    next = func.getArgAttrOfType<IntegerAttr>(argument, kAliasingAttr);
  if (!next || next.getInt() < 0 ||
      next.getInt() >= int64_t(func.getNumResults()))
    return std::nullopt;
  return next.getInt();
}

bool partopt::isDonated(func::FuncOp func, unsigned argument) {
  return func.getArgAttr(argument, kAliasingAttr) != nullptr;
}
