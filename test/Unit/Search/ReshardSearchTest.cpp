// Reshards: known cheapest sequences, and thousands of random layouts whose
// answers are replayed and compared with gathering everything.

#include "partopt/Search/ReshardSearch.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <random>

using namespace partopt;

namespace {

class ReshardSearch : public testing::Test {
protected:
  ReshardSearch() {
    mesh.axes = {{"x", 2}, {"y", 3}, {"z", 4}};
    for (unsigned i = 0; i < mesh.axes.size(); ++i)
      axes.push_back({i, 1, mesh.axes[i].size});
  }

  ReshardProblem make(llvm::ArrayRef<int64_t> shape) {
    ReshardProblem problem;
    problem.type =
        mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context));
    problem.from = problem.to = Layout::replicated(shape.size());
    problem.mesh = &mesh;
    return problem;
  }

  Layout randomLayout(int64_t rank, bool mayBeUnreduced) {
    Layout layout = Layout::replicated(rank);
    AxisList order = axes;
    std::shuffle(order.begin(), order.end(), random);
    for (const AxisRef &axis : order) {
      unsigned where = random() % (rank + 2);
      if (where < rank)
        layout.dims[where].push_back(axis);
      else if (where == rank && mayBeUnreduced)
        layout.unreduced.push_back({axis, Combiner::Sum});
    }
    layout.normalise();
    return layout;
  }

  /// Bytes on the wire of reducing everything, gathering everything, slicing.
  static double gatherEverything(const ReshardProblem &problem) {
    double bytes = 0;
    Layout state = problem.from;
    for (const UnreducedAxis &u : problem.from.unreduced)
      bytes += 2.0 * (u.axis.size - 1) / u.axis.size *
               state.localBytes(problem.type);
    state.unreduced.clear();
    for (AxisList &list : state.dims) {
      double n = axesSize(list);
      bytes += (n - 1) * state.localBytes(problem.type);
      list.clear();
    }
    return bytes;
  }

  mlir::MLIRContext context;
  Mesh mesh;
  AxisList axes;
  std::mt19937 random{11};
};

/// 7 rows over 4 devices become 6 columns over 4: shards of 2 rows and 6
/// columns are padded to 8 columns, of which three quarters leave.
TEST_F(ReshardSearch, UnevenDimensionsSwapByAPaddedAllToAll) {
  ReshardProblem problem = make({7, 6});
  problem.from.dims[0] = {axes[2]};
  problem.to.dims[1] = {axes[2]};
  ReshardSolution solution = searchReshard(problem);
  EXPECT_EQ(verifyReshard(problem, solution), "");
  ASSERT_EQ(solution.steps.size(), 1u);
  EXPECT_EQ(solution.steps[0].kind, ReshardKind::AllToAll);
  EXPECT_EQ(solution.wireBytes, 2 * 8 * 4 * 3 / 4);
}

TEST_F(ReshardSearch, TwoAllToAllsInsteadOfGathering) {
  ReshardProblem problem = make({4, 12, 4});
  problem.from.dims[0] = {axes[0]};
  problem.from.dims[2] = {axes[2]};
  problem.to.dims[1] = {axes[2], axes[1]};
  problem.to.dims[0] = {axes[0]};
  ReshardSolution solution = searchReshard(problem);
  ASSERT_EQ(solution.steps.size(), 2u);
  EXPECT_EQ(solution.steps[0].kind, ReshardKind::AllToAll);
  EXPECT_EQ(solution.steps[1].kind, ReshardKind::Slice);
  EXPECT_EQ(verifyReshard(problem, solution), "");
}

TEST_F(ReshardSearch, PartialSumToShardIsOneReduceScatter) {
  ReshardProblem problem = make({8, 5});
  problem.from.unreduced = {{axes[2], Combiner::Sum}};
  problem.to.dims[0] = {axes[2]};
  ReshardSolution solution = searchReshard(problem);
  ASSERT_EQ(solution.steps.size(), 1u);
  EXPECT_EQ(solution.steps[0].kind, ReshardKind::ReduceScatter);
  EXPECT_DOUBLE_EQ(solution.wireBytes, 0.75 * 8 * 5 * 4);
}

TEST_F(ReshardSearch, TwoUnreducedAxesAreOneAllReduce) {
  ReshardProblem problem = make({8});
  problem.from.unreduced = {{axes[0], Combiner::Max}, {axes[2], Combiner::Max}};
  ReshardSolution solution = searchReshard(problem);
  ASSERT_EQ(solution.steps.size(), 1u);
  EXPECT_EQ(solution.steps[0].kind, ReshardKind::AllReduce);
  EXPECT_EQ(solution.steps[0].axes.size(), 2u);
}

TEST_F(ReshardSearch, ExchangedAxesArePermuted) {
  ReshardProblem problem = make({8, 8});
  mesh.axes[1].size = 2;
  axes[1].size = 2;
  problem.from.dims[0] = {axes[0]};
  problem.to.dims[0] = {axes[1]};
  ReshardSolution solution = searchReshard(problem);
  ASSERT_EQ(solution.steps.size(), 1u);
  EXPECT_EQ(solution.steps[0].kind, ReshardKind::Permute);
}

TEST_F(ReshardSearch, PartsOfAnAxisMoveOnTheirOwn) {
  ReshardProblem problem = make({8, 8});
  problem.from.dims[0] = {axes[2]};
  problem.to.dims[0] = {{2, 1, 2}};
  problem.to.dims[1] = {{2, 2, 2}};
  ReshardSolution solution = searchReshard(problem);
  ASSERT_EQ(solution.steps.size(), 1u);
  EXPECT_EQ(solution.steps[0].kind, ReshardKind::AllToAll);
  EXPECT_EQ(verifyReshard(problem, solution), "");
}

TEST_F(ReshardSearch, RandomLayoutsArriveAndNeverCostMoreThanGathering) {
  for (int round = 0; round < 3000; ++round) {
    int64_t rank = 1 + random() % 3;
    llvm::SmallVector<int64_t> shape;
    for (int64_t i = 0; i < rank; ++i)
      shape.push_back(round % 2 ? 24 * (1 + random() % 2) : 1 + random() % 30);
    ReshardProblem problem = make(shape);
    problem.from = randomLayout(rank, true);
    problem.to = randomLayout(rank, false);
    problem.cost.perStep = 0;
    problem.memoryFactor = 1e9;
    ReshardSolution solution = searchReshard(problem);
    ASSERT_EQ(verifyReshard(problem, solution), "")
        << layoutKey(problem.from) << " -> " << layoutKey(problem.to);
    EXPECT_LE(solution.wireBytes, gatherEverything(problem) + 1e-6)
        << layoutKey(problem.from) << " -> " << layoutKey(problem.to);
  }
}

TEST_F(ReshardSearch, ReplayRefusesWrongAnswers) {
  ReshardProblem problem = make({8, 8});
  problem.from.dims[0] = {axes[0]};
  problem.to.dims[1] = {axes[0]};
  ReshardSolution solution = searchReshard(problem);
  ASSERT_EQ(verifyReshard(problem, solution), "");
  ReshardSolution empty;
  EXPECT_NE(verifyReshard(problem, empty), "");
  solution.steps[0].axes = {axes[2]};
  EXPECT_NE(verifyReshard(problem, solution), "");
}

} // namespace
