// One attention of the local program, as far as it has the dimension of keys:
// what a ring computes block by block.

#ifndef PARTOPT_LIB_PARTITION_RINGCORE_H
#define PARTOPT_LIB_PARTITION_RINGCORE_H

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/ShardingRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace partopt {

struct RingCore {
  /// Keys or values whole, and this device's block of them.
  struct Gather {
    comm::AllGatherOp op;
    mlir::Value whole, block;
    int64_t dim = 0;
  };
  /// A gradient of keys or values: every device's sum, and this device's block
  /// of the sum over devices.
  struct Scatter {
    comm::ReduceScatterOp op;
    mlir::Value sum;
    int64_t dim = 0;
  };
  /// A sum over keys that is linear in the exponentials.
  struct Linear {
    mlir::Operation *op = nullptr;
    mlir::OpOperand *operand = nullptr; ///< made from the exponentials
    mlir::Value made; ///< by the ring, in place of the op's result
  };
  /// A sum over keys of exponentials times a product with values: the same as
  /// the output times its gradient, summed over the width of values.
  struct RowSum {
    mlir::Operation *op = nullptr;
    mlir::Value
        gradient;        ///< of the output, with its dimensions as `order` says
    unsigned output = 0; ///< in `outputs`
    llvm::SmallVector<int64_t>
        order;                       ///< dimension of the gradient, by output's
    llvm::SmallVector<int64_t> dims; ///< of the output, by the exponentials'
  };

  comm::AxesAttr axes;
  int64_t devices = 1;
  int64_t keys = 0;  ///< of the whole sequence
  int64_t width = 0; ///< of a block: ceil(keys / devices)
  llvm::SmallVector<Gather, 2> gathers;
  llvm::SmallVector<Scatter, 2> scatters;
  /// What has the dimension of keys and depends on keys or values.
  llvm::MapVector<mlir::Value, int64_t> keyDim;
  /// Where values have the queries that a device has parts of in turn; empty
  /// where all of its queries are computed at once.
  llvm::DenseMap<mlir::Value, int64_t> queryDim;
  /// Ops that make such values or sum over keys, in program order.
  llvm::SmallVector<mlir::Operation *> ops;

  mlir::Value scores;                ///< what the largest is looked for in
  mlir::Operation *max = nullptr;    ///< over the keys
  mlir::Value exponential;           ///< of scores minus the largest
  llvm::SmallVector<Linear> outputs; ///< sums of exponentials, with values
  llvm::SmallVector<RowSum> rowSums;
  llvm::SmallVector<mlir::Operation *> sums; ///< all other sums over keys

  /// Half of the pairs of queries and keys are never seen.
  bool isCausal() const { return !queryDim.empty(); }
  bool isUneven() const { return devices * width != keys; }
  /// What `sum`, a sum over keys or a scatter of gradients, is made of.
  llvm::SmallVector<mlir::Value> sourcesOf(mlir::Operation *sum) const;

  /// How often the exponentials, and a product, are factors of a value.
  struct Degree {
    unsigned exponentials = 0, products = 0;
    mlir::Operation *product = nullptr;
  };
  /// Nothing where `value`, whose keys are in `dim`, is not a product of them
  /// and of numbers without keys.
  std::optional<Degree> degreeOf(mlir::Value value, int64_t dim) const;

  /// The operand that a linear op on the exponentials passes on; null at the
  /// exponentials themselves.
  mlir::OpOperand *linearOperand(mlir::Value value) const;
  /// By dimension of the exponentials, that of `value`, which is linear in
  /// them.
  llvm::SmallVector<int64_t> dimsIn(mlir::Value value) const;
  /// By dimension of the exponentials, that of a sum's result; -1 for keys.
  llvm::SmallVector<int64_t> dimsIn(const Linear &output) const;
  /// The dimension of keys of the exponentials.
  int64_t expKeyDim() const { return keyDim.find(exponential)->second; }
};

/// The dimension of the scores that has this device's queries, where every key
/// behind its query is masked.
std::optional<int64_t> causalQueryDim(const RingCore &core);

/// Fills `core.queryDim` from dimension `dim` of the scores; false, and nothing
/// filled, where a value has queries in two dimensions.
bool findQueryDims(RingCore &core, int64_t dim);

/// Why an attention cannot go around a ring, and where.
struct RingProblem {
  mlir::Operation *op = nullptr;
  std::string why;
};

/// The attention whose keys and values `gathers` (of one mark) make whole.
std::optional<RingProblem> findRingCore(llvm::ArrayRef<comm::AllGatherOp> ops,
                                        RingCore &core);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_RINGCORE_H
