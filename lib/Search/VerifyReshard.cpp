// Replays a reshard step by step and checks each against its definition,
// sharing no code with the search.

#include "partopt/Search/ReshardSearch.h"

#include "llvm/ADT/STLExtras.h"

using namespace partopt;
using llvm::ArrayRef;

namespace {

class Replay {
public:
  Replay(const ReshardProblem &problem)
      : type(problem.type), state(problem.from) {}

  std::string apply(const ReshardStep &step) {
    switch (step.kind) {
    case ReshardKind::Slice:
      return enter(step, step.dim, /*mustBeFree=*/true);
    case ReshardKind::AllGather:
      return leave(step);
    case ReshardKind::AllToAll: {
      std::string error = leave(step);
      return error.empty() ? enter(step, step.dim2, true) : error;
    }
    case ReshardKind::Permute:
      for (int64_t dim = 0; dim < state.rank(); ++dim)
        if (state.parts(dim) != step.after.parts(dim))
          return "permute changes how finely a dimension is split";
      state.dims = step.after.dims;
      return "";
    case ReshardKind::AllReduce:
      return reduce(step);
    case ReshardKind::ReduceScatter: {
      std::string error = reduce(step);
      return error.empty() ? enter(step, step.dim, true) : error;
    }
    case ReshardKind::ToUnreduced:
      for (const AxisRef &axis : step.axes) {
        if (state.uses(axis))
          return "an axis in use cannot become unreduced";
        state.unreduced.push_back({axis, step.combiner});
      }
      return "";
    }
    return "unknown step";
  }

  Layout current() {
    state.sortUnreduced();
    return state;
  }

private:
  mlir::RankedTensorType type;
  Layout state;

  bool even(int64_t dim, ArrayRef<AxisRef> axes) const {
    return type.getDimSize(dim) % (state.parts(dim) * axesSize(axes)) == 0;
  }

  std::string enter(const ReshardStep &step, int64_t dim, bool mustBeFree) {
    if (dim < 0 || dim >= state.rank())
      return "no such dimension";
    for (const AxisRef &axis : step.axes)
      if (mustBeFree && state.uses(axis))
        return "an axis is used twice";
    if (!state.dims[dim].empty() && !even(dim, step.axes))
      return "an uneven dimension is split a second time";
    state.dims[dim].append(step.axes.begin(), step.axes.end());
    return "";
  }

  std::string leave(const ReshardStep &step) {
    if (step.dim < 0 || step.dim >= state.rank())
      return "no such dimension";
    AxisList &axes = state.dims[step.dim];
    if (axes.size() < step.axes.size() ||
        !std::equal(step.axes.begin(), step.axes.end(),
                    axes.end() - step.axes.size()))
      return "the axes are not the minor ones of the dimension";
    bool whole = axes.size() == step.axes.size();
    if (!whole && type.getDimSize(step.dim) % state.parts(step.dim) != 0)
      return "part of an uneven dimension is gathered";
    axes.truncate(axes.size() - step.axes.size());
    return "";
  }

  std::string reduce(const ReshardStep &step) {
    for (const AxisRef &axis : step.axes) {
      auto it = llvm::find(state.unreduced, UnreducedAxis{axis, step.combiner});
      if (it == state.unreduced.end())
        return "a reduced axis is not unreduced under that combiner";
      state.unreduced.erase(it);
    }
    return "";
  }
};

} // namespace

std::string partopt::verifyReshard(const ReshardProblem &problem,
                                   const ReshardSolution &solution) {
  ReshardProblem split = problem;
  split.splitAxes();
  Replay replay(split);
  for (const ReshardStep &step : solution.steps) {
    if (std::string error = replay.apply(step); !error.empty())
      return error;
    Layout after = step.after;
    after.sortUnreduced();
    if (replay.current() != after)
      return "a step says it leaves " + layoutKey(after) + " but leaves " +
             layoutKey(replay.current());
  }
  const Layout &to = split.to;
  if (replay.current() != to)
    return "ends at " + layoutKey(replay.current()) + " instead of " +
           layoutKey(to);
  return "";
}
