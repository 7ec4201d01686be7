// Which dimensions of the model tensor parallelism splits, by cost: as much of
// the products as possible, for as few bytes as possible.

#ifndef PARTOPT_LIB_STRATEGY_TENSORSPLIT_H
#define PARTOPT_LIB_STRATEGY_TENSORSPLIT_H

#include "DimensionClasses.h"
#include "DimensionMeanings.h"

#include "llvm/ADT/DenseSet.h"

namespace partopt {

/// What splitting one class of dimensions over the devices means.
struct ClassCost {
  bool isCandidate = false; ///< some parameter has it, and no batch does
  bool isBatch = false;     ///< the rows of a batch argument
  bool isChosen = false;
  int64_t size = 0; ///< of its largest dimension
  double flops = 0; ///< of products that a device is then spared
  double bytes = 0; ///< that a device then sends in a step
};

class TensorSplit {
public:
  TensorSplit(mlir::func::FuncOp func, int64_t devices);

  /// Chooses the classes. A class is worth splitting when a byte that it sends
  /// splits at least `flopsPerByte` operations.
  void choose(double flopsPerByte);

  /// The dimension of `value` that is split, and into how many parts: the
  /// devices, or fewer where the dimension has fewer elements.
  std::optional<std::pair<int64_t, int64_t>> dimOf(mlir::Value value) const;

  /// Values of activations that are partial sums over the devices, where
  /// something else than a sum of such is made of them, each with the dimension
  /// to split instead: the one that costs least where no product is split.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> partialSums() const;

  /// Activations that products make in parts, each with its dimension.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> splitProducts() const;

  /// Operands of products in parts that have activations without the split
  /// class: each device needs the whole sequence of them.
  llvm::SmallVector<mlir::OpOperand *> wholeInputs() const;

  /// The dimension of `value` that is one with `sums`' dimensions, of which it
  /// has a row each, such as a table of positions.
  std::optional<int64_t>
  dimWith(mlir::Value value,
          llvm::ArrayRef<std::pair<mlir::Value, int64_t>> sums) const;

  /// Chosen classes.
  unsigned numChosen() const;

  const DimensionClasses &dimensions() const { return classes; }

  /// Chosen classes of one size, meaning and cost, such as those of layers.
  struct Choice {
    mlir::BlockArgument parameter; ///< the first that has such a dimension
    int64_t dim = 0, size = 0;
    llvm::StringRef meaning;     ///< DimensionMeanings, or empty
    double flops = 0, bytes = 0; ///< as in ClassCost, of each
    double stored = 0;           ///< bytes of the parameters that have each
    unsigned count = 0;
  };
  /// In the order of their first parameters.
  llvm::SmallVector<Choice> choices(mlir::func::FuncOp func,
                                    const DimensionMeanings &meanings) const;

private:
  static bool isProduct(mlir::Operation *op);
  static bool isMapped(const TensorMapping &mapping, unsigned factor);
  int64_t partsOf(int64_t size) const;
  void dropTaken(mlir::BlockArgument argument);
  void markCandidates(mlir::func::FuncOp func);
  void dropDataDims(mlir::func::FuncOp func);
  void addCosts(const DimensionClasses::OpClasses &entry);
  void addProduct(const DimensionClasses::OpClasses &entry);
  double gatherBytes(const DimensionClasses::OpClasses &entry,
                     unsigned factor) const;
  using PairSet = llvm::DenseSet<std::pair<unsigned, unsigned>>;
  bool isInParts(const DimensionClasses::OpClasses &entry,
                 const TensorMapping &mapping) const;
  void addConflicts(const DimensionClasses::OpClasses &entry, PairSet &pairs);
  bool hasBatch(mlir::Value value) const;
  bool isPartial(const DimensionClasses::OpClasses &entry) const;
  std::vector<double> bytesOutside() const;
  std::optional<int64_t> sequenceDim(mlir::Value value,
                                     llvm::ArrayRef<double> outside) const;
  double worth(unsigned number, double flopsPerByte) const;

  DimensionClasses classes;
  int64_t devices;
  std::vector<ClassCost> costs;
  /// By class: candidates that some op has too.
  std::vector<llvm::SmallVector<unsigned>> conflicts;
};

} // namespace partopt

#endif // PARTOPT_LIB_STRATEGY_TENSORSPLIT_H
