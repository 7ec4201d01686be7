//===- ScheduleCost.h - Estimates of steps and collectives ------*- C++ -*-===//
//
// The simulator's cost model, asked about operations that are not in a plan
// yet.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_SCHEDULE_SCHEDULECOST_H
#define PARTOPT_LIB_SCHEDULE_SCHEDULECOST_H

#include "partopt/Schedule/BucketBoundaries.h"
#include "partopt/Simulate/Machine.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/DenseMap.h"

namespace partopt {

namespace comm {
class CollectiveOpInterface;
class SendOp;
} // namespace comm

/// A collective of as many bytes, without its axes.
plan::CollectiveStartT describeCollective(comm::CollectiveOpInterface op);
plan::CollectiveStartT describeSend(comm::SendOp op);

class ScheduleCost {
public:
  /// Reads the pass option `machine`; returns empty, or what is wrong.
  std::string parse(const std::string &text) { return options.parse(text); }

  /// Links of a cluster, by axis, as `partopt.mapping` on the module has them.
  void useMapping(mlir::DictionaryAttr mapping);

  /// Of a kernel call, a product, a collective.
  int64_t nanoseconds(mlir::Operation *op);

  /// Seconds of an op that may become a part of a kernel: products by their
  /// arithmetic, others by the bytes that they read and write.
  double operation(mlir::Operation *op) const;

  /// Seconds from the begin of a message until it is there.
  double message(comm::SendOp op) const;

  /// What a collective of this kind over these axes takes, by its payload.
  LinkCost link(comm::CollectiveOpInterface op) const;

private:
  double kernel(mlir::Operation *call);

  simulate::MachineOptions options;
  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<mlir::Operation *, double> kernels; ///< seconds by function
};

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_SCHEDULECOST_H
