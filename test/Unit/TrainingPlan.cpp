//===- TrainingPlan.cpp - A step of data parallel training ----------------===//
//
// See TrainingPlan.h.
//
//===----------------------------------------------------------------------===//

#include "TrainingPlan.h"

#include "TestKernels.h"
#include "TestPlan.h"

namespace partopt::test {

using namespace plan;

std::unique_ptr<PlanT> trainingPlan(uint32_t ranks) {
  TestPlan b({{"data", ranks}});
  AxisList data = {b.axis("data")};
  uint32_t w = b.argument("w", {4, 4}, {}, ElementType::F32, Role::Param);
  uint32_t x = b.argument("x", {4 * ranks, 4}, {data});
  uint32_t y = b.buffer(64), sum = b.buffer(64), doubled = b.buffer(64);
  uint32_t next = b.buffer(64);
  b.gemm(x, w, y, 4, 4, 4);
  b.start(CollectiveKind::AllReduce, data, {y}, {sum}, {16}, Combiner::Sum);
  b.launch(0, {x}, {doubled});
  b.wait(0);
  b.launch(1, {w, sum}, {next});
  b.result("w", next, {4, 4}, {}, 0);
  b.result("doubled", doubled, {4 * ranks, 4}, {data});
  b.plan().classes[0]->kernels = compileKernels(
      "void twice(void **a) { float *x = a[0], *y = a[1];"
      "  for (int i = 0; i < 16; ++i) y[i] = 2 * x[i]; }"
      "void scale_add(void **a) { float *w = a[0], *s = a[1], *o = a[2];"
      "  for (int i = 0; i < 16; ++i) o[i] = w[i] + 0.5f * s[i]; }",
      {"twice", "scale_add"});
  return b.finish();
}

std::vector<float> trainStep(const std::vector<float> &w,
                             const std::vector<float> &x) {
  std::vector<float> sum(16);
  for (size_t row = 0; row < x.size() / 4; ++row)
    for (int n = 0; n < 4; ++n)
      for (int k = 0; k < 4; ++k)
        sum[row % 4 * 4 + n] += x[row * 4 + k] * w[k * 4 + n];
  std::vector<float> next = w;
  for (int i = 0; i < 16; ++i)
    next[i] += 0.5f * sum[i];
  return next;
}

} // namespace partopt::test
