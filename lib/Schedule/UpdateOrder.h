//===- UpdateOrder.h - When state may be updated ----------------*- C++ -*-===//
//
// An update writes over the donated argument whose next value it computes, so
// it may pass others only where nobody reads the argument any more.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_SCHEDULE_UPDATEORDER_H
#define PARTOPT_LIB_SCHEDULE_UPDATEORDER_H

#include "partopt/Schedule/ScheduleProblem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace partopt {

/// The value that `value` is a view of.
mlir::Value viewed(mlir::Value value);

class UpdateOrder {
public:
  explicit UpdateOrder(mlir::func::FuncOp function);

  /// Marks the steps of a section that compute nothing but next values of
  /// arguments as eager. These, and collectives that bring next values, need
  /// all that reads arguments before they are overwritten.
  void state(llvm::ArrayRef<mlir::Operation *> steps,
             ScheduleProblem &problem) const;

private:
  bool isUpdate(mlir::Operation *op) const;

  /// Ops of which only results of the function are made.
  llvm::DenseSet<mlir::Operation *> finals;
  /// The argument whose next value a value is, which may be written over it.
  struct Taken {
    mlir::Value argument;
    bool isOverwritten = false;
  };
  llvm::DenseMap<mlir::Value, Taken> takes;
};

} // namespace partopt

#endif // PARTOPT_LIB_SCHEDULE_UPDATEORDER_H
