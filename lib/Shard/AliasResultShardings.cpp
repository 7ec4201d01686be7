// partopt-alias-result-shardings: results that take a donated argument's buffer
// take its sharding.

#include "partopt/Shard/Passes.h"

#include "dialects/Sdy/ShardingQueries.h"

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
        auto output = func.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), "tf.aliasing_output");
        sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
        if (!output || !sharding ||
            output.getInt() >= int64_t(func.getNumResults()))
          continue;
        unsigned result = output.getInt();
        if (func.getResultTypes()[result] == argument.getType() &&
            !sdy::getFuncResultSharding(func, result))
          sdy::setFuncResultSharding(func, result, sharding);
      }
  }
};
} // namespace
