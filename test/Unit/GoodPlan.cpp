//===- GoodPlan.cpp - A plan that verifies --------------------------------===//
//
// See GoodPlan.h.
//
//===----------------------------------------------------------------------===//

#include "GoodPlan.h"

#include "TestPlan.h"

namespace partopt::test {

using namespace plan;

std::unique_ptr<PlanT> goodPlan() {
  TestPlan b({{"data", 2}, {"model", 2}});
  AxisList data = {b.axis("data")};
  b.argument("w", {8, 4}, {}, ElementType::F32, Role::Param);
  b.argument("x", {8, 8}, {data});
  b.buffer(4 * 4 * 4); // H
  b.buffer(8 * 8 * 4); // G
  b.buffer(4 * 4 * 4); // Partial
  b.buffer(4 * 4 * 4); // Reduced
  b.buffer(4);         // Index
  b.buffer(8 * 4 * 4); // NewW
  b.gemm(X, W, H, 4, 4, 8);
  b.start(CollectiveKind::AllGather, data, {X}, {G}, {32}, Combiner::None,
          ElementType::F32, 1);
  b.start(CollectiveKind::AllReduce, data, {H}, {Reduced}, {16}, Combiner::Sum);
  b.launch(0, {X}, {Partial});
  b.wait(0);
  b.wait(1);
  b.axisIndex(data, Index);
  b.launch(1, {W, G, Partial, Reduced, Index}, {NewW});
  b.result("w", NewW, {8, 4}, {}, 0);
  b.plan().classes[0]->kernels = std::make_unique<KernelObjectT>();
  b.plan().classes[0]->kernels->symbols = {"k0", "k1"};
  return b.finish();
}

ProgramT &programOf(PlanT &plan) { return *plan.classes[0]->programs[0]; }

CollectiveStartT &startOf(ProgramT &program, size_t index) {
  return *program.instructions[index]->op.AsCollectiveStart();
}

} // namespace partopt::test
