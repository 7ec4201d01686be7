// A planned kernel as loops over memrefs.
#ifndef PARTOPT_LIB_CODEGEN_EMITKERNEL_H
#define PARTOPT_LIB_CODEGEN_EMITKERNEL_H

#include "KernelPlan.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace partopt::codegen {

/// Writes the body of a function over memrefs (inputs, then outputs) that
/// computes a kernel on tensors: what rules with loops of their own see of it.
class KernelEmitter {
public:
  KernelEmitter(mlir::Block &source, const KernelPlan &plan,
                mlir::func::FuncOp target)
      : source(source), plan(plan), target(target), builder(target) {}
  virtual ~KernelEmitter() = default;

  virtual mlir::LogicalResult run() = 0;

  using BodyFn = llvm::function_ref<mlir::LogicalResult(ElementScope &,
                                                        llvm::ArrayRef<Index>)>;
  /// Loops over `shape` with `body` inside; for ops with loops of their own.
  mlir::LogicalResult loops(ElementScope &scope, llvm::ArrayRef<int64_t> shape,
                            BodyFn body);
  /// The same where the places of `shape` do not depend on each other: on a GPU
  /// a thread for each. Everything that is stored is stored inside of one, and
  /// is complete for what comes after it.
  virtual mlir::LogicalResult
  parallel(ElementScope &scope, llvm::ArrayRef<int64_t> shape, BodyFn body) {
    return loops(scope, shape, body);
  }
  /// Writes `scalar` (compute form) into a buffer of a tensor.
  void store(ElementScope &scope, const Buffer &buffer, mlir::Type elementType,
             llvm::ArrayRef<Index> at, mlir::Value scalar);
  /// A one-dimensional temporary for an op with loops of its own.
  Buffer rowBuffer(int64_t length, mlir::Type elementType);
  /// Where a stored value goes.
  Buffer placeOf(mlir::Value value) const { return places.lookup(value); }
  /// The complete value `value` lies in `buffer`.
  bool isIn(mlir::Value value, const Buffer &buffer) const {
    return buffers.lookup(value).memref == buffer.memref;
  }
  /// A scope at the builder's place that sees all complete buffers.
  virtual ElementScope topScope(mlir::Location loc);

  mlir::OpBuilder &getBuilder() { return builder; }

protected:
  /// Buffers of inputs, outputs and tables.
  void createArguments();
  void createTable(mlir::Operation *constant);
  mlir::LogicalResult emitCopies();

  mlir::Block &source;
  const KernelPlan &plan;
  mlir::func::FuncOp target;
  mlir::OpBuilder builder;
  /// Where each stored value goes; complete ones are in `buffers` too.
  llvm::DenseMap<mlir::Value, Buffer> places;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
};

/// A whole buffer as one dimension.
mlir::Value flatBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value memref);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_EMITKERNEL_H
