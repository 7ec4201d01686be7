// Values that a step computes more than once: a derivative that is traced by
// itself, or recomputes what it needs, has a copy of the forward computation.

#ifndef PARTOPT_LIB_IMPORT_SAMEVALUES_H
#define PARTOPT_LIB_IMPORT_SAMEVALUES_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace partopt {

class SameValues {
public:
  /// Of the ops that stand in `block` itself. Ops are alike by their names,
  /// attributes, regions and operands; barriers give what they take.
  explicit SameValues(mlir::Block &block);

  /// The first value that is computed like `value`.
  mlir::Value firstOf(mlir::Value value) const {
    auto it = first.find(value);
    return it == first.end() ? value : it->second;
  }
  llvm::DenseSet<mlir::Value>
  firstOf(const llvm::DenseSet<mlir::Value> &values) const;

private:
  llvm::DenseMap<mlir::Value, mlir::Value> first;
};

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_SAMEVALUES_H
