// The layers of the model, which import left on the module, as the plan has
// them.

#ifndef PARTOPT_LIB_PLAN_SERIALIZELAYERS_H
#define PARTOPT_LIB_PLAN_SERIALIZELAYERS_H

#include "partopt/Plan/PlanFormat_generated.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <vector>

namespace partopt {

/// From the attribute `partopt.layers`; empty where there is none.
std::vector<std::unique_ptr<plan::LayerT>>
serializeLayers(mlir::ModuleOp module);

/// The module's warnings or notes. `locationOf`: a location's number in the
/// plan.
std::vector<std::unique_ptr<plan::WarningT>>
serializeRemarks(mlir::ModuleOp module, llvm::StringRef attribute,
                 llvm::function_ref<uint32_t(const std::string &)> locationOf);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_SERIALIZELAYERS_H
