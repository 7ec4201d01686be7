// Checks shared by the dialect's attribute hooks and its ops.

#ifndef PARTOPT_DIALECTS_SDY_VERIFIERS_H
#define PARTOPT_DIALECTS_SDY_VERIFIERS_H

#include "dialects/Sdy/Sdy.h"

#include <functional>

namespace partopt::sdy::detail {

/// Starts a message that already says which value it is about.
using EmitError = std::function<mlir::InFlightDiagnostic()>;

/// Collects the axes of one or more lists and checks each list on its own and
/// all of them together: known, used once, sub-axes that divide their axis.
class AxisListVerifier {
public:
  AxisListVerifier(MeshAttr mesh, EmitError emitError)
      : mesh(mesh), emitError(std::move(emitError)) {}
  /// Adds a list; neighbours in it must not be mergeable.
  mlir::LogicalResult add(llvm::ArrayRef<AxisRefAttr> axes);
  /// Like add, for lists whose order has no meaning: sorted by mesh.
  mlir::LogicalResult addSorted(llvm::ArrayRef<AxisRefAttr> axes,
                                llvm::StringRef what);

private:
  mlir::LogicalResult check(AxisRefAttr axis);

  MeshAttr mesh;
  EmitError emitError;
  llvm::SmallVector<AxisRefAttr> seen;
};

/// Checks `sharding` against the type of its value (null: an op without
/// results) and the mesh it names, seen from `op`.
mlir::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *op,
                                   const EmitError &emitError);

/// Checks one sharding per value of `types`. `what` names the values in
/// messages: "result", "operand", ...
mlir::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                                    mlir::TypeRange types, mlir::Operation *op,
                                    llvm::StringRef what);

/// Checks a rule against the operand and result types of `op`.
mlir::LogicalResult verifyShardingRule(OpShardingRuleAttr rule,
                                       mlir::Operation *op);

/// `{"x", "y":(1)2}`
std::string toString(llvm::ArrayRef<AxisRefAttr> axes);

} // namespace partopt::sdy::detail

#endif
