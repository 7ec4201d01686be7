// What the recipes share: an entry function, its mesh, and arguments whose
// roles decide how they are sharded. A recipe adds its axes to what is there.

#ifndef PARTOPT_LIB_STRATEGY_RECIPE_H
#define PARTOPT_LIB_STRATEGY_RECIPE_H

#include "dialects/Sdy/Sdy.h"
#include "partopt/Support/StorageAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

class Recipe {
public:
  Recipe(mlir::func::FuncOp func, sdy::MeshOp mesh, llvm::StringRef strategy)
      : func(func), mesh(mesh), strategy(strategy) {}

protected:
  /// The argument's role; "unknown" where it has none.
  llvm::StringRef roleOf(unsigned argument);
  /// "argument 3 (params['w'])".
  std::string describe(unsigned argument);
  mlir::InFlightDiagnostic errorAt(unsigned argument);
  int64_t sizeOf(llvm::StringRef axis) {
    return mesh.getMesh().getAxisSize(axis);
  }

  /// Fails unless the mesh has `axis`, which the strategy `does` something with
  /// and which --axis PURPOSE=NAME names.
  mlir::LogicalResult requireAxis(llvm::StringRef axis, llvm::StringRef does,
                                  llvm::StringRef purpose);
  /// Fails where the strategy cannot tell what an argument is, or where its
  /// sharding has one of `axes` already.
  mlir::LogicalResult checkArguments(llvm::ArrayRef<llvm::StringRef> axes);

  /// A batch argument needs rows; `errorNoBatch`: and there must be one, for
  /// which `who` asks.
  mlir::LogicalResult checkHasRows(unsigned argument);
  mlir::LogicalResult errorNoBatch(const llvm::Twine &who);

  /// Into how many parts dimension `dim` is cut so far.
  int64_t partsOf(unsigned argument, int64_t dim);
  sdy::AxisRefAttr axisRef(llvm::StringRef axis) {
    return sdy::AxisRefAttr::get(func.getContext(), axis);
  }
  /// The outer part of an axis that has `size` devices or groups of devices.
  sdy::AxisRefAttr partOf(llvm::StringRef axis, int64_t size);
  /// Adds `axes`, minor to what is there, to dimension `dim`; -1: to none.
  /// Other dimensions stay, or become replicated.
  void addAxes(unsigned argument, int64_t dim,
               llvm::ArrayRef<sdy::AxisRefAttr> axes);
  /// Says whether `axis` of an argument is only how it is stored ("keep") or
  /// how it is computed with ("compute").
  void setStorage(unsigned argument, llvm::StringRef axis,
                  llvm::StringRef word);
  /// True where a recipe before said that it is computed with.
  bool computesOver(unsigned argument, llvm::StringRef axis);
  /// `dim` split over `axes`, the rest open.
  sdy::TensorShardingAttr splitAlong(mlir::Value value, int64_t dim,
                                     llvm::ArrayRef<sdy::AxisRefAttr> axes);
  /// Not split over `axis`, the rest open.
  sdy::TensorShardingAttr wholeOver(mlir::Value value, sdy::AxisRefAttr axis);
  /// A constraint of `value` behind it, which nothing uses yet.
  sdy::ShardingConstraintOp constrainedCopy(mlir::Value value,
                                            sdy::TensorShardingAttr sharding);
  /// The same, which all uses of `value` take.
  void constrain(mlir::Value value, sdy::TensorShardingAttr sharding);
  /// An argument's next value has its layout; the rest is open.
  void annotateResults();

  mlir::func::FuncOp func;
  sdy::MeshOp mesh;
  std::string strategy;
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_RECIPE_H
