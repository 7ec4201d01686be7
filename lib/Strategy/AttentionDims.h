// Where the model's attention is, found from its softmax: the products whose
// tensors have queries by keys, forward and backward.

#ifndef PARTOPT_LIB_STRATEGY_ATTENTIONDIMS_H
#define PARTOPT_LIB_STRATEGY_ATTENTIONDIMS_H

#include "DimensionClasses.h"

#include "llvm/ADT/MapVector.h"

namespace partopt {

/// A tensor that goes into attention's products or comes out of them: queries,
/// keys, values, outputs, and their gradients.
struct AttentionTensor {
  mlir::OpOperand *use = nullptr; ///< where it goes in
  mlir::Value value;
  int64_t sequence = 0; ///< dimension
  bool isKey = false;   ///< the sequence is that of keys, not of queries
  /// The dimension that separates products share, beside the batch's rows.
  std::optional<int64_t> heads;
};

/// Products of which one uses what the other made.
struct Attention {
  mlir::Operation *scores = nullptr; ///< the forward product in front
  int64_t queries = 0, keys = 0;     ///< sizes
  int64_t heads = 1;
  llvm::SmallVector<AttentionTensor> inputs, outputs;
  /// What the softmax takes, with its dimensions.
  mlir::Value softmax;
  int64_t queryDim = 0, keyDim = 0;
  /// Makers of queries by keys.
  llvm::SmallVector<mlir::Operation *> matrices;
};

class AttentionDims {
public:
  explicit AttentionDims(mlir::func::FuncOp func);

  /// In program order of the scores.
  llvm::ArrayRef<Attention> attentions() const { return found; }
  const DimensionClasses &classes() const { return dims; }

  /// The one dimension of `value` that is the sequence of some attention.
  std::optional<int64_t> sequenceOf(mlir::Value value) const;

private:
  using Place = std::pair<mlir::Value, int64_t>;
  /// Dimensions of queries and of keys.
  using Matrices = llvm::MapVector<mlir::Value, std::pair<int64_t, int64_t>>;
  void readRoles();
  std::optional<Place> scoresOf(Place keys) const;
  /// `softmax`: what takes the scores, and the dimension of keys there.
  void addAttention(Place keys, Place softmax);
  Matrices matricesOf(mlir::Value scores, int64_t queryDim,
                      int64_t keyDim) const;
  void addTensors(const DimensionClasses::OpClasses &entry,
                  const Matrices &matrices, Attention &attention);
  std::optional<unsigned>
  headFactor(const DimensionClasses::OpClasses &entry) const;

  mlir::func::FuncOp func;
  DimensionClasses dims;
  llvm::DenseMap<mlir::Operation *, const DimensionClasses::OpClasses *>
      entries;
  llvm::DenseMap<mlir::Value, bool> isWeight; ///< from parameters alone
  std::vector<bool> isRows, isSequence;       ///< by class
  llvm::SmallVector<Attention> found;
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_ATTENTIONDIMS_H
