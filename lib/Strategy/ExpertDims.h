// Which dimensions of the model are its experts: found from the products of
// tokens that a router sent with stacked weights, not from names.

#ifndef PARTOPT_LIB_STRATEGY_EXPERTDIMS_H
#define PARTOPT_LIB_STRATEGY_EXPERTDIMS_H

#include "DimensionClasses.h"

#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace partopt {

/// The sorted dimension, counted from the front.
int64_t sortDim(stablehlo::SortOp sort);

/// A product of tokens with the weights of experts.
struct ExpertProduct {
  mlir::Operation *op;
  unsigned tokens; ///< the operand that is no weight
  unsigned factor; ///< of the op's rule: the experts
  /// The experts' dimension of the tokens, unless all experts take the same.
  std::optional<int64_t> tokenDim;
  /// Of the result, unless it is a sum over experts.
  std::optional<int64_t> resultDim;
  bool holdsAll = false; ///< every expert sees every token

  mlir::Value sent() const { return op->getOperand(tokens); }
};

/// Products whose values between have the same experts.
struct ExpertLayer {
  int64_t experts = 0;
  /// Places for tokens per expert; 0: no limit.
  int64_t capacity = 0;
  bool isPerRow = false; ///< `capacity` is for the tokens of one batch row
  const ExpertProduct *first = nullptr;
};

class ExpertDims {
public:
  explicit ExpertDims(mlir::func::FuncOp func);

  /// In program order.
  llvm::ArrayRef<ExpertProduct> products() const { return found; }
  llvm::ArrayRef<ExpertLayer> layers() const { return layerList; }

  /// The dimensions of a product's tokens that it sums over, without experts.
  llvm::SmallVector<int64_t> featureDims(const ExpertProduct &product) const;

  /// What all devices need whole where experts see all tokens.
  struct Whole {
    /// Tokens in front of the masks, and the order in which they are sorted.
    llvm::SetVector<mlir::Value> values;
    /// What gathers in that order take rows of.
    llvm::SmallVector<mlir::OpOperand *> uses;
  };
  Whole wholeValues() const;

  /// The dimension of a parameter, or of what is kept for one, that is the
  /// experts of its layer.
  std::optional<int64_t> dimOf(mlir::Value value) const;

  using Place = std::pair<mlir::Value, int64_t>;

private:
  void readRoles();
  void findRoutedClasses();
  bool isExpert(mlir::Value value, int64_t dim) const;
  bool isWeight(mlir::Value value) const { return weights.contains(value); }
  std::optional<ExpertProduct>
  productOf(const DimensionClasses::OpClasses &entry) const;
  bool isRouted(const DimensionClasses::OpClasses &entry,
                ExpertProduct &product) const;
  enum class Origin { Parameter, Repeated, Moved, Unknown };
  llvm::SmallVector<Place, 2> sourcesOf(Place place) const;
  Origin originOf(Place place,
                  llvm::SetVector<mlir::Value> *repeated = nullptr) const;
  std::optional<ExpertProduct>
  derivedProductOf(const DimensionClasses::OpClasses &entry) const;
  void findDerivedProducts();
  void findInner(const llvm::DenseSet<mlir::Operation *> &products);
  void findLayers();
  void findCapacity(const ExpertProduct &product, ExpertLayer &layer) const;

  mlir::func::FuncOp func;
  DimensionClasses classes; ///< of the whole program
  std::vector<bool> isRows; ///< by class: the batch's rows
  /// Of what lies between products: dispatch and combine do not join.
  std::optional<DimensionClasses> inner;
  llvm::DenseMap<mlir::Operation *, const ShardingRule *> rules;
  /// Values computed from parameters and constants only.
  llvm::DenseSet<mlir::Value> weights;
  llvm::DenseSet<mlir::Value> constants; ///< computed from nothing
  std::vector<bool> isRoutedClass;       ///< by class
  std::vector<bool> isExpertClass;       ///< by class of `inner`
  llvm::SmallVector<ExpertProduct> found;
  llvm::SmallVector<ExpertLayer> layerList;
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_EXPERTDIMS_H
