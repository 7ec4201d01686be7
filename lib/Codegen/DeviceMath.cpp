// Which op or call becomes which function. All of them compute in f64 and are
// rounded once; f32 has expansions of its own for what models use most
// (ExpandMath.cpp).
#include "DeviceMath.h"

#include "DeviceFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

struct Function {
  Number (*unary)(Number) = nullptr;
  Number (*binary)(Number, Number) = nullptr;
};

/// By the op's name or that of libm's function.
const llvm::StringMap<Function> &functions() {
  static const llvm::StringMap<Function> table = {
      {"math.exp", {device::exp}},
      {"math.expm1", {device::expm1}},
      {"math.log", {device::log}},
      {"math.log1p", {device::log1p}},
      {"math.powf", {nullptr, device::pow}},
      {"math.sinh", {device::sinh}},
      {"math.cosh", {device::cosh}},
      {"math.tanh", {device::tanh}},
      {"math.asinh", {device::asinh}},
      {"math.acosh", {device::acosh}},
      {"math.atanh", {device::atanh}},
      {"math.cbrt", {device::cbrt}},
      {"math.sin", {device::sin}},
      {"math.cos", {device::cos}},
      {"math.tan", {device::tan}},
      {"math.asin", {device::asin}},
      {"math.acos", {device::acos}},
      {"math.atan", {device::atan}},
      {"math.atan2", {nullptr, device::atan2}},
      {"math.erf", {device::erf}},
      {"arith.remf", {nullptr, device::fmod}},
      {"erfc", {device::erfc}},
      {"hypot", {nullptr, device::hypot}},
      {"lgamma_r", {device::lgamma}},
      {"tgamma", {device::tgamma}},
  };
  return table;
}

/// The call of a function next to the kernels in place of `op`.
void replace(Operation *op, StringRef name, const Function &function) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType(), wide = b.getF64Type();
  Numbers operands;
  unsigned count = function.unary ? 1 : 2; // lgamma_r has a place for the sign
  for (Value operand : op->getOperands().take_front(count)) {
    if (operand.getType() != wide)
      operand = b.create<arith::ExtFOp>(loc, wide, operand);
    operands.push_back({&b, loc, operand});
  }
  std::string symbol = ("partopt_device_" + name.rsplit('.').second).str();
  if (!name.contains('.'))
    symbol = ("partopt_device_" + name).str();
  Number result = callHelper(symbol, operands, [&](ArrayRef<Number> v) {
    return function.unary ? function.unary(v[0]) : function.binary(v[0], v[1]);
  });
  Value value = result.value;
  if (type != wide)
    value = b.create<arith::TruncFOp>(loc, type, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

} // namespace

LogicalResult expandDeviceMath(ModuleOp module) {
  // Functions call each other: until nothing is left.
  for (bool changed = true; changed;) {
    SmallVector<std::pair<Operation *, StringRef>> found;
    module.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      StringRef name = call ? call.getCallee() : op->getName().getStringRef();
      if (functions().contains(name))
        found.push_back({op, functions().find(name)->first()});
    });
    changed = !found.empty();
    for (auto [op, name] : found)
      replace(op, name, functions().lookup(name));
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isExternal()) {
      if (!SymbolTable::symbolKnownUseEmpty(function, module))
        return function.emitError("a kernel for a GPU calls '")
               << function.getName() << "', for which there is no function";
      function.erase();
    }
  return success();
}

} // namespace partopt::codegen
