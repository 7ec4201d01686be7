//===- SerializePlan.h - The plan dialect as a plan file --------*- C++ -*-===//
//
// One to one from `plan.program` to the FlatBuffers schema.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_SERIALIZEPLAN_H
#define PARTOPT_PLAN_SERIALIZEPLAN_H

#include "partopt/Plan/PlanFormat_generated.h"

#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace partopt {

/// What a plan says of the compilation besides the program.
struct PlanHeader {
  std::string partoptVersion, model, strategy;
  std::string optionsJson = "{}";
};

/// The plan of the module's one `plan.program`: one entry, one class of ranks.
/// Kernel i is the i-th function of the module with `partopt.kernel`, and its
/// symbol the function's name; the object's image, target and version are left
/// for the caller to fill in. Warnings come from the module's attribute
/// `partopt.warnings` and `partopt.notes`, lists of dictionaries with `code`,
/// `message` and `loc`. Errors: no program or several; a launch of a function
/// that is no kernel. The result still has to pass verifyPlan.
mlir::FailureOr<std::unique_ptr<plan::PlanT>>
serializePlan(mlir::ModuleOp module, const PlanHeader &header);

/// A plan of nothing but what the module's public function takes and gives,
/// once it is imported: names, types, shapes, roles, next values and locations.
std::unique_ptr<plan::PlanT> signatureOf(mlir::ModuleOp module);

} // namespace partopt

#endif // PARTOPT_PLAN_SERIALIZEPLAN_H
