// partopt-alias-result-shardings: an argument's next value takes its sharding.

#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Support/NextValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_ALIASRESULTSHARDINGS
#include "partopt/Shard/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {
struct AliasResultShardingsPass
    : partopt::impl::AliasResultShardingsBase<AliasResultShardingsPass> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : func.getArguments()) {
        std::optional<unsigned> next =
            nextResultOf(func, argument.getArgNumber());
        sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
        if (next && sharding &&
            func.getResultTypes()[*next] == argument.getType() &&
            !sdy::getFuncResultSharding(func, *next))
          sdy::setFuncResultSharding(func, *next, sharding);
      }
  }
};
} // namespace
