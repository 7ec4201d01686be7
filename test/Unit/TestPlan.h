//===- TestPlan.h - Plans written by hand for unit tests ---------------===//
//
// Builds a plan of one entry, and of one rank class unless more are added.
// Buffers are laid out one
// after the other and lifetimes follow the touches, so that a test states only
// what it is about and may then break it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_TESTPLAN_H
#define PARTOPT_TEST_UNIT_TESTPLAN_H

#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFormat_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace partopt::test {

using Shape = std::vector<uint64_t>;
using DimAxes = std::vector<plan::AxisList>; // one list per dimension

/// Says of every result that it is computed as the programs now compute it.
void recordDataflow(plan::PlanT &plan);

class TestPlan {
public:
  explicit TestPlan(const std::vector<std::pair<std::string, uint32_t>> &mesh);

  /// A full axis by name.
  plan::AxisRef axis(const std::string &name) const;

  /// Adds a buffer and returns its index.
  uint32_t buffer(uint64_t bytes, plan::Space space = plan::Space::Arena);

  /// Adds an argument and returns its buffer.
  uint32_t argument(const std::string &name, const Shape &shape,
                    const DimAxes &axes,
                    plan::ElementType type = plan::ElementType::F32,
                    plan::Role role = plan::Role::Batch);

  /// Declares `buffer` as the next result.
  void result(const std::string &name, uint32_t buffer, const Shape &shape,
              const DimAxes &axes, int alias = -1,
              plan::ElementType type = plan::ElementType::F32);

  plan::InstructionT &launch(uint32_t kernel, std::vector<uint32_t> reads,
                             std::vector<uint32_t> writes);
  /// C[m,n] = A[m,k] * B[k,n] in f32.
  plan::InstructionT &gemm(uint32_t a, uint32_t b, uint32_t c, uint64_t m,
                           uint64_t n, uint64_t k);
  plan::InstructionT &copy(uint32_t source, uint32_t target);
  plan::InstructionT &axisIndex(plan::AxisList axes, uint32_t target);
  /// Returns the start; its event is the number of starts before it.
  plan::CollectiveStartT &
  start(plan::CollectiveKind kind, plan::AxisList axes,
        std::vector<uint32_t> operands, std::vector<uint32_t> results,
        std::vector<uint64_t> counts, plan::Combiner combiner,
        plan::ElementType type = plan::ElementType::F32, uint16_t stream = 0);
  void wait(uint32_t event);
  /// A message over `channel` between this class and the member `peer` of the
  /// group; returns its event.
  uint32_t send(const plan::AxisList &axes, uint32_t peer, uint32_t channel,
                uint16_t stream, uint32_t buffer, uint64_t count,
                uint32_t trips = 1);
  uint32_t receive(const plan::AxisList &axes, uint32_t peer, uint32_t channel,
                   uint16_t stream, uint32_t buffer, uint64_t count,
                   uint32_t trips = 1);
  /// A loop over the axis in time; `nexts` go into `carried` again.
  void beginLoop(const std::string &axis, uint32_t index,
                 std::vector<uint32_t> inits, std::vector<uint32_t> carried);
  void endLoop(std::vector<uint32_t> nexts, std::vector<uint32_t> carried);

  /// What is added next belongs to a new class, which has no ranks yet.
  void addClass(const std::string &name);

  /// Offsets, lifetimes and sizes; the builder is spent.
  std::unique_ptr<plan::PlanT> finish();

  plan::PlanT &plan() { return *result_; }
  /// Of the class that was added last.
  plan::ProgramT &program() { return *result_->classes.back()->programs[0]; }

private:
  std::unique_ptr<plan::TensorT> tensor(const std::string &name,
                                        const std::string &indexName,
                                        const Shape &shape, const DimAxes &axes,
                                        plan::ElementType type);
  plan::InstructionT &add(std::vector<uint32_t> reads,
                          std::vector<uint32_t> writes,
                          const std::string &label);

  std::unique_ptr<plan::PlanT> result_;
};

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_TESTPLAN_H
