//===- ValueFlow.h - What is computed from what, value by value -*- C++ -*-===//
//
// A program in kernel form as if its kernels were written out: each call of a
// kernel has nodes of its own, and what a collective or a loop has several of
// stays apart.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_VALUEFLOW_H
#define PARTOPT_LIB_PLAN_VALUEFLOW_H

#include "ProgramModel.h"

#include "llvm/ADT/BitVector.h"

namespace partopt {

class ValueFlow {
public:
  struct Node {
    mlir::Value value;      ///< of the program or, in a call, of the kernel
    mlir::Operation *op;    ///< that computes it; null for arguments
    bool inProgram = false; ///< it has a storage
    unsigned storage = 0;   ///< of a value of the program
    llvm::SmallVector<unsigned, 2> sources; ///< one per operand of `op`
    llvm::SmallVector<unsigned, 2> users;
    char part = 0; ///< of a pipeline's stage, that makes it; 0: none
  };

  /// Linear in the ops of all calls.
  explicit ValueFlow(const ProgramModel &model);

  size_t size() const { return nodes.size(); }
  const Node &operator[](unsigned node) const { return nodes[node]; }
  /// The node of a value of the program.
  unsigned of(mlir::Value value) const { return numbers.lookup(value); }

  /// What `from` is computed from, or what is computed from it, with itself.
  llvm::BitVector reach(llvm::ArrayRef<unsigned> from, bool backwards) const;
  /// The node is a scalar that products depend on: a scale of the loss, which
  /// is none of what an update begins from (as TrainingStep has it).
  bool scalesGradients(unsigned node) const;

  /// The node passes on what its first source holds: calls, views, waits.
  static bool isTransparent(const Node &node);

private:
  unsigned add(mlir::Value value, mlir::Operation *op);
  void addCall(mlir::Operation *call, mlir::func::FuncOp kernel);
  void addSource(unsigned node, unsigned source);

  std::vector<Node> nodes;
  char part = 0;                                 ///< of what is added
  llvm::DenseMap<mlir::Value, unsigned> numbers; ///< of the program's values
};

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_VALUEFLOW_H
