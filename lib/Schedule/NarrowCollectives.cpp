// partopt-narrow-collectives: gradients are reduced, and stored parameters
// gathered, in another float type than they have. A gather of which only a
// narrower copy is read moves that copy, without being asked: it is exact.

#include "GradientCollectives.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"

#include "partopt/Schedule/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_NARROWCOLLECTIVES
#include "partopt/Schedule/SchedulePasses.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

RankedTensorType withElement(Type type, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(type).getShape(),
                               element);
}

Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

Value convert(OpBuilder &builder, Location loc, Value value, Type element) {
  return builder.create<stablehlo::ConvertOp>(
      loc, withElement(value.getType(), element), value);
}

/// Rebuilds a collective of one operand on `element` and returns its result.
Value rebuild(Operation *op, Type element) {
  OpBuilder builder(op);
  Value operand = convert(builder, op->getLoc(), op->getOperand(0), element);
  OperationState state(op->getLoc(), op->getName(), operand,
                       withElement(op->getResult(0).getType(), element),
                       op->getAttrs());
  auto why = op->getAttrOfType<StringAttr>("partopt.why");
  std::string text;
  llvm::raw_string_ostream(text)
      << "in " << element << (why ? ": " + why.getValue() : Twine());
  state.attributes.set("partopt.why", builder.getStringAttr(text));
  return builder.create(state)->getResult(0);
}

/// Moves the collective in `element`, and converts back behind it.
void retype(Operation *op, Type element) {
  Value result = rebuild(op, element);
  OpBuilder builder(op);
  Value back =
      convert(builder, op->getLoc(), result, elementOf(op->getResult(0)));
  op->getResult(0).replaceAllUsesWith(back);
  op->erase();
}

bool isMove(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::SliceOp,
             stablehlo::OptimizationBarrierOp>(op);
}

/// The one narrower float type that all readers of `value` convert it to,
/// through ops that only move elements; none if there is no such type.
Type narrowerUse(Value value) {
  Type found;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isMove(user)) {
        work.push_back(user->getResult(0));
        continue;
      }
      auto conversion = dyn_cast<stablehlo::ConvertOp>(user);
      Type type = conversion ? elementOf(conversion.getResult()) : Type();
      if (!type || !isa<FloatType>(type) || (found && found != type) ||
          type.getIntOrFloatBitWidth() >=
              elementOf(value).getIntOrFloatBitWidth())
        return {};
      found = type;
    }
  return found;
}

/// Replaces what `before` is converted to by `after`, which has that type.
void forward(Value before, Value after) {
  for (Operation *user : llvm::make_early_inc_range(before.getUsers())) {
    if (isa<stablehlo::ConvertOp>(user)) {
      user->getResult(0).replaceAllUsesWith(after);
    } else {
      OpBuilder builder(user);
      Operation *moved = builder.clone(*user);
      moved->setOperand(0, after);
      moved->getResult(0).setType(
          withElement(user->getResult(0).getType(), elementOf(after)));
      forward(user->getResult(0), moved->getResult(0));
    }
    user->erase();
  }
}

struct NarrowCollectivesPass
    : public partopt::impl::NarrowCollectivesBase<NarrowCollectivesPass> {
  using NarrowCollectivesBase::NarrowCollectivesBase;

  /// The type of an option; none where it says nothing. Unknown names fail.
  FailureOr<Type> parse(StringRef option, StringRef text) {
    Builder builder(&getContext());
    if (text.empty())
      return Type();
    Type type = llvm::StringSwitch<Type>(text)
                    .Case("bf16", builder.getBF16Type())
                    .Case("f16", builder.getF16Type())
                    .Case("f32", builder.getF32Type())
                    .Default(Type());
    if (type)
      return type;
    getOperation().emitError()
        << option << " is bf16, f16 or f32, not '" << text << "'";
    return failure();
  }

  /// Says so where an option that was given changes nothing.
  void warnUnused(StringRef option, StringRef what) {
    addWarning(getOperation(), "no_effect",
               "--" + option + " changes nothing: " + what);
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    FailureOr<Type> reduce = parse("grad-reduce", gradReduce);
    FailureOr<Type> gather = parse("param-gather", paramGather);
    if (failed(reduce) || failed(gather))
      return signalPassFailure();
    bool anyReduce = false, anyGather = false;
    for (auto [op, move] : findParameterMoves(function)) {
      if (cast<comm::CollectiveOpInterface>(op).isStart()) {
        op->emitOpError("is started already; run partopt-narrow-collectives "
                        "before");
        return signalPassFailure();
      }
      if (move.kind != ParameterMove::Gather)
        op->setAttr(
            kPhaseAttr,
            StringAttr::get(&getContext(), move.kind == ParameterMove::Reduce
                                               ? "backward"
                                               : "update"));
      Value result = op->getResult(0);
      if (op->getNumOperands() != 1 || !isa<FloatType>(elementOf(result)))
        continue;
      Type target = move.kind == ParameterMove::Reduce   ? *reduce
                    : move.kind == ParameterMove::Gather ? *gather
                                                         : Type();
      anyReduce |= move.kind == ParameterMove::Reduce;
      anyGather |= move.kind == ParameterMove::Gather;
      Type exact =
          move.kind == ParameterMove::Gather ? narrowerUse(result) : Type();
      if (exact && (!target || target.getIntOrFloatBitWidth() >=
                                   exact.getIntOrFloatBitWidth())) {
        forward(result, rebuild(op, exact));
        op->erase();
        ++exactGathers;
      } else if (target && target != elementOf(result)) {
        retype(op, target);
        ++narrowed;
      }
    }
    if (*reduce && !anyReduce)
      warnUnused("grad-reduce-dtype", "no gradient of a parameter is reduced");
    if (*gather && !anyGather)
      warnUnused("param-gather-dtype",
                 "no stored parameter is gathered for use");
  }
};

} // namespace
