// The partition stage: shardings become local shapes and collectives.

#ifndef PARTOPT_PARTITION_PASSES_H
#define PARTOPT_PARTITION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace partopt {

/// On a result of the function that is a value made visible for a comparison:
/// the program is partitioned as if it were not there.
inline constexpr llvm::StringLiteral kTapAttr = "partopt.tap";

/// Makes the values [first, last) of programValues results.
std::unique_ptr<mlir::Pass> createTapValuesPass(uint64_t first = 0,
                                                uint64_t last = ~uint64_t(0));
std::unique_ptr<mlir::Pass> createInsertReshardsPass();
std::unique_ptr<mlir::Pass> createPartitionPass();
std::unique_ptr<mlir::Pass> createVerifyPartitionedPass();
std::unique_ptr<mlir::Pass> createExpandShardPass();
std::unique_ptr<mlir::Pass> createFormTimeLoopsPass();
std::unique_ptr<mlir::Pass> createFormRingPass();
std::unique_ptr<mlir::Pass> createDeferFactorsPass();
/// Of gathers over the mesh axis `axis`.
std::unique_ptr<mlir::Pass>
createRegatherActivationsPass(llvm::StringRef axis = "model");
std::unique_ptr<mlir::Pass> createMicroStatisticsPass();
std::unique_ptr<mlir::Pass> createShardAccumulatorsPass();

/// The whole stage, ending with its verifier.
void buildPartitionPipeline(mlir::OpPassManager &pm);

#define GEN_PASS_REGISTRATION
#include "partopt/Partition/Passes.h.inc"

} // namespace partopt

#endif // PARTOPT_PARTITION_PASSES_H
