// What the dimensions of a model's parameters are, where the program tells:
// for messages, which else have only numbers.

#ifndef PARTOPT_LIB_STRATEGY_DIMENSIONMEANINGS_H
#define PARTOPT_LIB_STRATEGY_DIMENSIONMEANINGS_H

#include "DimensionClasses.h"

namespace partopt {

/// What is made of arguments of that role.
llvm::DenseSet<mlir::Value> valuesMadeOf(mlir::func::FuncOp func,
                                         llvm::StringRef role);

/// By what ops do with a class of dimensions, in this order:
///
/// - "experts": what ExpertDims finds;
/// - "heads", "width of a head": of an attention, beside its positions;
/// - "vocabulary": rows of a parameter that integers pick, by a gather or a
///   product with their one-hot rows;
/// - "classes of the loss": integers of the batch pick one of an activation's,
///   by a gather or a comparison with all numbers;
/// - "choices of a router": the same of integers that the model computes;
/// - "embedding width": what such a parameter has beside the vocabulary;
/// - "features of the input": a batch argument has it, and a product with a
///   parameter sums over it;
/// - "outputs that the batch has targets for": a batch argument has it else;
/// - "channels": of a convolution;
/// - "hidden size between two products": forward, products with parameters make
///   it, and one with another sums over it;
/// - "width between layers": the same, and several sum over it.
class DimensionMeanings {
public:
  DimensionMeanings(mlir::func::FuncOp func, const DimensionClasses &classes);

  /// Empty where nothing tells.
  llvm::StringRef of(unsigned number) const { return meanings[number]; }

private:
  /// A dimension of a value.
  void add(mlir::Value value, int64_t dim, llvm::StringRef meaning) {
    if (auto number = classes.classOf(value, dim))
      add(*number, meaning);
  }
  void add(unsigned number, llvm::StringRef meaning) {
    if (meanings[number].empty())
      meanings[number] = meaning;
  }
  bool isOfParameters(mlir::Value value) const {
    return !ofBatch.contains(value);
  }
  void addExperts();
  void addHeads();
  void findNumbered();
  void addLookups();
  void addPicked(mlir::Operation *op);
  void addBatch();
  void addProducts();

  mlir::func::FuncOp func;
  const DimensionClasses &classes;
  llvm::DenseSet<mlir::Value> ofBatch, ofParameters; ///< depend on such
  /// One-hot rows: what compares integers with all numbers of a dimension, and
  /// what is converted from such.
  struct OneHot {
    int64_t dim;
    mlir::Value integers;
  };
  llvm::DenseMap<mlir::Value, OneHot> oneHot;
  std::vector<llvm::StringRef> meanings; ///< by class
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_DIMENSIONMEANINGS_H
