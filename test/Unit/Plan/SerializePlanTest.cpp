//===- SerializePlanTest.cpp - From the kernel form to a proven plan ------===//
//
// Lowers small programs, serialises them, and lets the plan verifier judge.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/SerializePlan.h"
#include "partopt/Plan/Passes.h"
#include "partopt/Plan/PlanFile.h"
#include "partopt/Plan/VerifyPlan.h"
#include "partopt/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace partopt;

namespace {

class SerializePlan : public ::testing::Test {
protected:
  SerializePlan() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// The plan of `text`, or null with `error` set.
  std::unique_ptr<plan::PlanT> plan(StringRef text) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    PassManager manager(&context);
    manager.addPass(createLowerToPlan());
    if (failed(manager.run(*module)))
      return nullptr;
    PlanHeader header;
    header.partoptVersion = "test";
    header.model = "step";
    header.strategy = "ddp";
    auto result = serializePlan(*module, header);
    if (failed(result))
      return nullptr;
    // The object's bytes do not matter to the verifier's proof.
    (*result)->classes[0]->kernels->image = {1};
    (*result)->classes[0]->kernels->hash = plan::hashBytes("\1", 1);
    (*result)->classes[0]->kernels->abi_version = plan::kernelAbiVersion;
    return std::move(*result);
  }

  LogicalResult serialize(ModuleOp module) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error = diagnostic.str();
      return success();
    });
    return serializePlan(module, {});
  }

  MLIRContext context;
  std::string error;
};

constexpr StringLiteral kStep = R"(
#file = loc("model.py":7:3)
#forward = loc("jit(step)/jvp()/dot_general"(#file))
#backward = loc("jit(step)/transpose(jvp())/mul"(#file))
#update = loc("jit(step)/sub"(#file))
module attributes {partopt.warnings = [{code = "gathered", message = "m", loc = "model.py:1:1"}]} {
  sdy.mesh @mesh = <["data"=2, "model"=2]>
  func.func private @k0(%a: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<f32>) attributes {partopt.kernel} {
    %0 = stablehlo.constant dense<0.0> : tensor<8x8xf32>
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    return %0, %1 : tensor<8x8xf32>, tensor<f32>
  }
  func.func private @k1(%a: tensor<8x8xf32> {partopt.may_be_overwritten_by = array<i64: 0>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {partopt.kernel} {
    return %a : tensor<8x8xf32>
  }
  func.func @main(%w: tensor<8x8xf32> {partopt.name = "w", partopt.role = "param", tf.aliasing_output = 1 : i32} loc("w"),
      %x: tensor<4x8xf32> {partopt.name = "x", partopt.role = "batch", partopt.global_type = tensor<8x8xf32>,
        sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("x"))
      -> (tensor<f32> {partopt.loss}, tensor<8x8xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc(#forward)
    %1:2 = func.call @k0(%0) : (tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<f32>) loc(#backward)
    %2:2 = comm.all_reduce {"data"=2} sum %1#1, %1#1 {partopt.why = "loss"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) loc(#forward)
    %3 = comm.all_reduce {"data"=2} sum %1#0 {partopt.why = "gradient of w"} : (tensor<8x8xf32>) -> (!comm.pending<tensor<8x8xf32>>) loc(#backward)
    %4 = comm.axis_index {"model"=2} : tensor<i32>
    %5 = comm.wait %3 : (!comm.pending<tensor<8x8xf32>>) -> tensor<8x8xf32> loc(#backward)
    %6 = func.call @k1(%w, %5) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc(#update)
    return %2#0, %6 : tensor<f32>, tensor<8x8xf32>
  }
}
)";

TEST_F(SerializePlan, ATrainingStepPassesTheVerifier) {
  auto result = plan(kStep);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(plan::verifyPlan(*result), std::vector<std::string>());
}

TEST_F(SerializePlan, CarriesWhatUsersSee) {
  auto result = plan(kStep);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->devices, 4u);
  ASSERT_EQ(result->mesh.size(), 2u);
  EXPECT_EQ(result->mesh[1]->name, "model");
  EXPECT_EQ(result->entries[0]->loss_result, 0);
  ASSERT_EQ(result->warnings.size(), 1u);
  EXPECT_EQ(result->locations[result->warnings[0]->loc], "model.py:1:1");
  const plan::ProgramT &program = *result->classes[0]->programs[0];
  const plan::TensorT &x = *program.arguments[1]->tensor;
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.role, plan::Role::Batch);
  EXPECT_EQ(x.global_shape, (std::vector<uint64_t>{8, 8}));
  EXPECT_EQ(x.local_shape, (std::vector<uint64_t>{4, 8}));
  ASSERT_EQ(x.sharding->dims[0]->axes.size(), 1u);
  EXPECT_EQ(x.sharding->dims[0]->axes[0].size(), 2u);
  // The update wrote over w in place.
  EXPECT_EQ(program.results[1]->alias, 0);
  EXPECT_EQ(program.results[1]->buffer, program.arguments[0]->buffer);
}

TEST_F(SerializePlan, InstructionsKnowTheirSourceAndPhase) {
  auto result = plan(kStep);
  ASSERT_TRUE(result) << error;
  const auto &list = result->classes[0]->programs[0]->instructions;
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(result->locations[list[0]->loc],
            "model.py:7:3 (jit(step)/jvp()/dot_general)");
  EXPECT_EQ(list[0]->phase, plan::Phase::Forward);
  EXPECT_EQ(list[0]->flops, 2u * 4 * 8 * 8);
  EXPECT_EQ(list[1]->phase, plan::Phase::Backward);
  EXPECT_EQ(list[7]->phase, plan::Phase::Update);
}

TEST_F(SerializePlan, EventsAreUsedAgainAndOverlapIsKnown) {
  auto result = plan(kStep);
  ASSERT_TRUE(result) << error;
  const plan::ProgramT &program = *result->classes[0]->programs[0];
  EXPECT_EQ(program.num_events, 1u);
  EXPECT_EQ(program.num_streams, 1u);
  const auto *loss = program.instructions[2]->op.AsCollectiveStart();
  const auto *gradient = program.instructions[4]->op.AsCollectiveStart();
  ASSERT_TRUE(loss && gradient);
  EXPECT_FALSE(loss->async);
  EXPECT_TRUE(gradient->async);
  EXPECT_EQ(gradient->why, "gradient of w");
  EXPECT_EQ(gradient->counts, (std::vector<uint64_t>{64}));
}

TEST_F(SerializePlan, RefusesALaunchOfAFunctionThatIsNoKernel) {
  auto module = parseSourceString<ModuleOp>(R"(
    func.func private @f() -> tensor<f32>
    plan.program @main mesh [] resident 0 arena 64 peak 64 streams 0
        attributes {arguments = [], results = []} {
      %0 = plan.buffer arena [0 : 4] live [0, 0]
      plan.launch @f reads() writes(%0)
      plan.return arguments() results() aliases []
    })",
                                            &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(serialize(*module)));
  EXPECT_EQ(error, "'plan.launch' op calls @f, which is no function with "
                   "partopt.kernel");
}

TEST_F(SerializePlan, RefusesAModuleWithoutAProgram) {
  auto module = parseSourceString<ModuleOp>("module {}", &context);
  EXPECT_TRUE(failed(serialize(*module)));
  EXPECT_EQ(error, "needs exactly one plan.program to become a plan file, "
                   "has 0");
}

} // namespace
