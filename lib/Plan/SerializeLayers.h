// What is known of the whole module beside its program, as the plan has it: the
// layers of the model, warnings and notes, and where the mesh lies.

#ifndef PARTOPT_LIB_PLAN_SERIALIZELAYERS_H
#define PARTOPT_LIB_PLAN_SERIALIZELAYERS_H

#include "partopt/Plan/PlanFormat_generated.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

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

/// From the attribute `partopt.mapping`; null where there is none.
/// `axisNumber`: an axis's number in the plan.
std::unique_ptr<plan::MappingT>
serializeMapping(mlir::ModuleOp module,
                 const llvm::StringMap<uint32_t> &axisNumber);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_SERIALIZELAYERS_H
