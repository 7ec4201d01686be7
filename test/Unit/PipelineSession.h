//===- PipelineSession.h - A pipeline that is ready to run ----------------===//
//
// Sessions of PipelinePlan.h's plans with their arguments set.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_PIPELINESESSION_H
#define PARTOPT_TEST_UNIT_PIPELINESESSION_H

#include "PipelinePlan.h"
#include "TestArrays.h"

#include "runtime/run/Compare.h"

#include <gtest/gtest.h>

namespace partopt::test {

struct PipelineInputs {
  explicit PipelineInputs(const Pipeline &pipeline)
      : rows(ramp(pipeline.microbatches * pipeline.replicas * pipeline.width,
                  0.15f)) {
    for (uint32_t s = 0; s < pipeline.ranks; ++s)
      parameters.push_back(
          ramp(pipeline.width, 0.25f + 0.05f * static_cast<float>(s)));
  }

  std::vector<float> rows;
  std::vector<std::vector<float>> parameters; ///< by stage

private:
  static std::vector<float> ramp(size_t count, float scale) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = scale * (static_cast<float>(i % 7) - 3);
    return values;
  }
};

/// Null, after a failed expectation, where the plan is refused.
inline std::unique_ptr<rt::Session>
openPipeline(std::unique_ptr<plan::PlanT> plan, const Pipeline &pipeline,
             const rt::SessionOptions &options = {}) {
  rt::StatusOr<std::unique_ptr<rt::Session>> session =
      rt::Session::create(std::move(plan), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  if (!session.ok())
    return nullptr;
  PipelineInputs inputs(pipeline);
  for (uint32_t i = 0; i <= pipeline.ranks; ++i) {
    Values values(i < pipeline.ranks ? inputs.parameters[i] : inputs.rows);
    EXPECT_TRUE((*session)->setArgument(0, i, values).ok());
  }
  return std::move(*session);
}

inline std::vector<float> resultOf(rt::Session &session, size_t index) {
  rt::ArrayCopy copy(*session.results(0)[index]->tensor);
  EXPECT_TRUE(session.readResult(0, index, copy).ok());
  std::vector<float> values(copy.bytes().size() / sizeof(float));
  std::memcpy(values.data(), copy.bytes().data(), copy.bytes().size());
  return values;
}

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_PIPELINESESSION_H
