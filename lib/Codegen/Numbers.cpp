// Operators and functions on Number, and helper functions next to the kernels.
#include "Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <limits>

using namespace mlir;

namespace partopt::codegen {

static constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename Op, typename... Operands>
static Number make(Number x, Operands... rest) {
  return x.of(x.b->create<Op>(x.loc, x.value, rest.value...));
}

template <typename Op> static Truth logic(Truth x, Truth y) {
  return {x.b, x.loc, x.b->create<Op>(x.loc, x.value, y.value)};
}

static Truth compare(arith::CmpFPredicate predicate, Number x, Number y) {
  return {x.b, x.loc,
          x.b->create<arith::CmpFOp>(x.loc, predicate, x.value, y.value)};
}

Number Number::constant(double number) const {
  auto type = cast<FloatType>(value.getType());
  return of(b->create<arith::ConstantOp>(loc, b->getFloatAttr(type, number)));
}

Truth operator&(Truth x, Truth y) { return logic<arith::AndIOp>(x, y); }
Truth operator|(Truth x, Truth y) { return logic<arith::OrIOp>(x, y); }
Truth operator!(Truth x) {
  Value one = x.b->create<arith::ConstantOp>(x.loc, x.b->getBoolAttr(true));
  return logic<arith::XOrIOp>(x, {x.b, x.loc, one});
}

Number operator+(Number x, Number y) { return make<arith::AddFOp>(x, y); }
Number operator-(Number x, Number y) { return make<arith::SubFOp>(x, y); }
Number operator*(Number x, Number y) { return make<arith::MulFOp>(x, y); }
Number operator/(Number x, Number y) { return make<arith::DivFOp>(x, y); }
Number operator-(Number x) { return make<arith::NegFOp>(x); }

Truth operator<(Number x, Number y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Truth operator<=(Number x, Number y) {
  return compare(arith::CmpFPredicate::OLE, x, y);
}
Truth operator==(Number x, Number y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Truth operator!=(Number x, Number y) {
  return compare(arith::CmpFPredicate::UNE, x, y);
}

Number select(Truth condition, Number x, Number y) {
  return x.of(
      x.b->create<arith::SelectOp>(x.loc, condition.value, x.value, y.value));
}
Truth isNaN(Number x) { return compare(arith::CmpFPredicate::UNO, x, x); }
Truth isInfinite(Number x) { return abs(x) == kInf; }
Truth isWhole(Number x) { return x == floor(x); }

Number abs(Number x) { return make<math::AbsFOp>(x); }
Number copySign(Number magnitude, Number sign) {
  return make<math::CopySignOp>(magnitude, sign);
}
Number fma(Number x, Number y, Number z) { return make<math::FmaOp>(x, y, z); }
Number floor(Number x) { return make<math::FloorOp>(x); }
Number ceil(Number x) { return make<math::CeilOp>(x); }
Number roundEven(Number x) { return make<math::RoundEvenOp>(x); }
Number sqrt(Number x) { return make<math::SqrtOp>(x); }
Number exp(Number x) { return make<math::ExpOp>(x); }
Number expm1(Number x) { return make<math::ExpM1Op>(x); }
Number log(Number x) { return make<math::LogOp>(x); }
Number log1p(Number x) { return make<math::Log1pOp>(x); }
Number sin(Number x) { return make<math::SinOp>(x); }
Number cos(Number x) { return make<math::CosOp>(x); }
Number tan(Number x) { return make<math::TanOp>(x); }
Number sinh(Number x) { return make<math::SinhOp>(x); }
Number asinh(Number x) { return make<math::AsinhOp>(x); }
Number cbrt(Number x) { return make<math::CbrtOp>(x); }
Number pow(Number x, Number y) { return make<math::PowFOp>(x, y); }
Number atan2(Number y, Number x) { return make<math::Atan2Op>(y, x); }
Number larger(Number x, Number y) { return make<arith::MaximumFOp>(x, y); }
Number smaller(Number x, Number y) { return make<arith::MinimumFOp>(x, y); }

Number polynomial(Number x, ArrayRef<double> coefficients) {
  Number y = x.constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    y = fma(y, x, x.constant(coefficient));
  return y;
}

Number chebyshev(Number x, ArrayRef<double> coefficients) {
  Number twice = x + x, last = x.constant(0), next = last;
  for (double coefficient : llvm::reverse(coefficients.drop_front())) {
    Number current = fma(twice, last, x.constant(coefficient) - next);
    next = last;
    last = current;
  }
  return fma(x, last, x.constant(coefficients.front()) - next);
}

/// The op is in its place before its regions are filled, so that functions
/// called there find the module.
Number choose(Truth condition, llvm::function_ref<Number()> then,
              llvm::function_ref<Number()> otherwise) {
  OpBuilder &b = *condition.b;
  Location loc = condition.loc;
  OpBuilder::InsertionGuard guard(b);
  auto branch = b.create<scf::IfOp>(loc, TypeRange{b.getF64Type()},
                                    condition.value, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(loc, then().value);
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, otherwise().value);
  return {&b, loc, branch.getResult(0)};
}

static SmallVector<Value> valuesOf(ArrayRef<Number> numbers) {
  return llvm::map_to_vector(numbers, [](Number n) { return n.value; });
}

Numbers repeatWhile(const Numbers &state,
                    llvm::function_ref<Truth(const Numbers &)> condition,
                    llvm::function_ref<Numbers(const Numbers &)> step) {
  OpBuilder &b = *state.front().b;
  Location loc = state.front().loc;
  auto numbers = [&](ValueRange range) {
    Numbers result;
    for (Value value : range)
      result.push_back({&b, loc, value});
    return result;
  };
  SmallVector<Value> initial = valuesOf(state);
  TypeRange types{ValueRange(initial)};
  SmallVector<Location> places(initial.size(), loc);
  OpBuilder::InsertionGuard guard(b);
  auto loop = b.create<scf::WhileOp>(loc, types, initial);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, places);
  Truth more = condition(numbers(before->getArguments()));
  b.create<scf::ConditionOp>(loc, more.value, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, places);
  Numbers next = step(numbers(after->getArguments()));
  b.create<scf::YieldOp>(loc, valuesOf(next));
  return numbers(loop.getResults());
}

/// The function @name next to the kernels, declared on first use.
static func::FuncOp declare(OpBuilder &b, Location loc, StringRef name,
                            TypeRange operands, Type result, bool &isNew) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<func::FuncOp>(name);
  isNew = !function;
  if (function)
    return function;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  function =
      b.create<func::FuncOp>(loc, name, b.getFunctionType(operands, {result}));
  function.setPrivate();
  return function;
}

static Number callOf(OpBuilder &b, Location loc, func::FuncOp function,
                     ValueRange operands) {
  return {&b, loc,
          b.create<func::CallOp>(loc, function, operands).getResult(0)};
}

Number callLibm(StringRef name, ArrayRef<Number> operands, Value scratch) {
  OpBuilder &b = *operands.front().b;
  Location loc = operands.front().loc;
  SmallVector<Value> arguments = valuesOf(operands);
  if (scratch)
    arguments.push_back(scratch);
  bool isNew;
  func::FuncOp function =
      declare(b, loc, name, TypeRange(ValueRange(arguments)),
              arguments.front().getType(), isNew);
  if (isNew && !scratch)
    function->setAttr(LLVM::LLVMDialect::getReadnoneAttrName(),
                      b.getUnitAttr());
  return callOf(b, loc, function, arguments);
}

Number callHelper(StringRef name, ArrayRef<Number> operands,
                  Definition define) {
  OpBuilder &b = *operands.front().b;
  Location loc = operands.front().loc;
  SmallVector<Value> arguments = valuesOf(operands);
  bool isNew;
  func::FuncOp function =
      declare(b, loc, name, TypeRange(ValueRange(arguments)),
              arguments.front().getType(), isNew);
  if (isNew) {
    function->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    OpBuilder::InsertionGuard guard(b);
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    Numbers parameters;
    for (Value parameter : entry->getArguments())
      parameters.push_back({&b, loc, parameter});
    b.create<func::ReturnOp>(loc, define(parameters).value);
  }
  return callOf(b, loc, function, arguments);
}

} // namespace partopt::codegen
