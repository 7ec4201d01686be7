// The tokens that reach each expert, as results of the program: counted in
// front of the first product of each MoE layer, whatever sent them there.

#include "ExpertDims.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Strategy/Passes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_COUNTEXPERTLOADPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// Builds ops behind one value.
class Counter {
public:
  explicit Counter(Value tokens)
      : builder(tokens.getContext()), loc(tokens.getLoc()) {
    builder.setInsertionPointAfterValue(tokens);
  }

  /// 1 where any element along `dims` is not zero, and the sum of these over
  /// all dimensions but `kept` of the others.
  Value count(Value tokens, ArrayRef<int64_t> dims, int64_t kept) {
    auto type = cast<RankedTensorType>(tokens.getType());
    Value zero = builder.create<stablehlo::ConstantOp>(
        loc, DenseElementsAttr::get(
                 type, builder.getZeroAttr(type.getElementType())));
    Value isThere = builder.create<stablehlo::CompareOp>(
        loc, tokens, zero, stablehlo::ComparisonDirection::NE,
        isa<FloatType>(type.getElementType())
            ? stablehlo::ComparisonType::FLOAT
            : stablehlo::ComparisonType::SIGNED);
    Value ones = builder.create<stablehlo::ConvertOp>(
        loc, RankedTensorType::get(type.getShape(), builder.getI32Type()),
        isThere);
    Value any = reduce<stablehlo::MaxOp>(ones, dims, INT32_MIN);
    SmallVector<int64_t> rest;
    int64_t at = 0;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!llvm::is_contained(dims, dim)) {
        if (dim != kept)
          rest.push_back(at);
        ++at;
      }
    return reduce<stablehlo::AddOp>(any, rest, 0);
  }

private:
  OpBuilder builder;
  Location loc;

  template <typename Combine>
  Value reduce(Value value, ArrayRef<int64_t> dims, int32_t init) {
    if (dims.empty())
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    auto scalar = RankedTensorType::get({}, builder.getI32Type());
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!llvm::is_contained(dims, int64_t(dim)))
        shape.push_back(size);
    Value start = builder.create<stablehlo::ConstantOp>(
        loc, DenseElementsAttr::get(scalar, init));
    auto op = builder.create<stablehlo::ReduceOp>(
        loc, TypeRange{RankedTensorType::get(shape, builder.getI32Type())},
        ValueRange{value}, ValueRange{start},
        builder.getDenseI64ArrayAttr(dims));
    OpBuilder::InsertionGuard guard(builder);
    Block *body =
        builder.createBlock(&op.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value combined = builder.create<Combine>(loc, body->getArgument(0),
                                             body->getArgument(1));
    builder.create<stablehlo::ReturnOp>(loc, combined);
    return op->getResult(0);
  }
};

struct CountExpertLoad
    : partopt::impl::CountExpertLoadPassBase<CountExpertLoad> {
  using CountExpertLoadPassBase::CountExpertLoadPassBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(count(func)))
        return signalPassFailure();
  }

  LogicalResult count(func::FuncOp func) {
    ExpertDims experts(func);
    if (experts.layers().empty())
      return func.emitError()
             << "--expert-load finds no experts: no product of routed tokens "
                "with stacked weights; leave the option out";
    SmallVector<Value> loads;
    for (const ExpertLayer &layer : experts.layers()) {
      const ExpertProduct &product = *layer.first;
      if (!product.tokenDim)
        return product.op->emitError()
               << "--expert-load: every expert of this layer takes every "
                  "token, there is nothing to count; leave the option out";
      loads.push_back(Counter(product.sent())
                          .count(product.sent(), experts.featureDims(product),
                                 *product.tokenDim));
    }
    addResults(func, loads);
    return success();
  }

  static void addResults(func::FuncOp func, ArrayRef<Value> values) {
    Operation *terminator = func.front().getTerminator();
    SmallVector<Type> types(func.getResultTypes());
    SmallVector<Value> operands(terminator->getOperands());
    SmallVector<DictionaryAttr> attributes;
    func.getAllResultAttrs(attributes);
    attributes.resize(types.size());
    Builder builder(func.getContext());
    for (auto [i, value] : llvm::enumerate(values)) {
      types.push_back(value.getType());
      operands.push_back(value);
      std::string name = plan::expertLoadName + std::to_string(i) + "]";
      attributes.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr("partopt.name", builder.getStringAttr(name))));
    }
    for (DictionaryAttr &one : attributes)
      if (!one)
        one = builder.getDictionaryAttr({});
    terminator->setOperands(operands);
    func.setFunctionType(
        builder.getFunctionType(func.getArgumentTypes(), types));
    func.setAllResultAttrs(attributes);
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createCountExpertLoadPass() {
  return std::make_unique<CountExpertLoad>();
}
