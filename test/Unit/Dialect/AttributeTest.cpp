//===- AttributeTest.cpp - Attributes that no text can spell --------------===//
//
// Verifier branches that only a program building attributes can reach: the
// parsers write lists of one length, and every dimension with a factor.
//
//===----------------------------------------------------------------------===//

#include "dialects/Comm/Comm.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace partopt;

namespace {

class Attributes : public ::testing::Test {
protected:
  Attributes()
      : handler(&context, [&](Diagnostic &diagnostic) {
          error = diagnostic.str();
          return success();
        }) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
};

TEST_F(Attributes, AxesNeedListsOfOneLength) {
  auto emitHere = [&] { return emitError(UnknownLoc::get(&context)); };
  SmallVector<StringAttr> names{StringAttr::get(&context, "x"),
                                StringAttr::get(&context, "y")};
  // Called through a pointer: the overload that is a template needs storage
  // that only the dialect sees.
  comm::AxesAttr (*checked)(llvm::function_ref<InFlightDiagnostic()>,
                            MLIRContext *, ArrayRef<StringAttr>,
                            ArrayRef<int64_t>, ArrayRef<int64_t>) =
      &comm::AxesAttr::getChecked;
  EXPECT_TRUE(checked(emitHere, &context, names, {1, 1}, {2, 2}));
  EXPECT_FALSE(checked(emitHere, &context, names, {1}, {2, 2}));
  EXPECT_EQ(error, "has 2 axis names, 1 pre-sizes and 2 sizes; they must be "
                   "equally many");
}

TEST_F(Attributes, EveryDimensionOfARuleNeedsAFactor) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  %0 = stablehlo.negate %a : tensor<8xf32>\n"
      "  return %0 : tensor<8xf32>\n"
      "}",
      &context);
  ASSERT_TRUE(module);
  stablehlo::NegOp negate;
  module->walk([&](stablehlo::NegOp op) { negate = op; });
  auto mapping = [&](ArrayRef<int64_t> factors) {
    return sdy::TensorMappingAttr::get(
        &context, sdy::DimMappingAttr::get(&context, factors));
  };
  auto rule = [&](ArrayRef<int64_t> operand) {
    return sdy::OpShardingRuleAttr::get(
        &context, ArrayRef<int64_t>{8}, ArrayRef{mapping(operand)},
        ArrayRef{mapping({0})}, ArrayRef<int64_t>{}, ArrayRef<int64_t>{},
        ArrayRef<int64_t>{}, ArrayRef<int64_t>{}, true);
  };
  negate->setAttr(sdy::kShardingRuleAttr, rule({0}));
  EXPECT_TRUE(succeeded(verify(*module))) << error;
  negate->setAttr(sdy::kShardingRuleAttr, rule({}));
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_NE(error.find("every dimension must have a factor"), std::string::npos)
      << error;
}

} // namespace
