// What code generation knows of each op, as one table per kind of op. Adding an
// op is adding an entry; nothing else names ops.
#ifndef PARTOPT_LIB_CODEGEN_RULES_H
#define PARTOPT_LIB_CODEGEN_RULES_H

#include "Element.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "partopt/Analysis/Layout.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace partopt::codegen {

class KernelEmitter;

/// How an op takes part in a kernel. Exactly one of `element`, `fold` and
/// `emit` is set; none where a special form of an op is refused.
struct OpRule {
  /// Element `at` of the (only) result from elements of the operands.
  using ElementFn = mlir::Value (*)(ElementScope &, mlir::Operation *,
                                    llvm::ArrayRef<Index> at);
  /// The number p of leading dimensions such that result element [i0, ...]
  /// needs the operand only at [i0, ..., i(p-1), ...].
  using PrefixFn = int64_t (*)(mlir::Operation *, unsigned operand);
  /// For ops that fold many elements into one: see Fold below.
  using FoldFn = struct Fold (*)(mlir::Operation *);
  /// For ops with loops of their own: writes all results, given one whole
  /// buffer per result.
  using EmitFn = mlir::LogicalResult (*)(KernelEmitter &, mlir::Operation *,
                                         llvm::ArrayRef<Buffer> results);

  ElementFn element = nullptr;
  FoldFn fold = nullptr;
  EmitFn emit = nullptr;
  /// What takes the place of `emit` where a kernel is for a GPU.
  FoldFn gpuFold = nullptr;
  EmitFn gpuEmit = nullptr;
  PrefixFn prefix = nullptr;
  /// The rule of those forms of the op that have one of their own, else null.
  const OpRule *(*special)(mlir::Operation *) = nullptr;
  /// Rough scalar operations per element; 0: moves data only.
  unsigned cost = 1;
  /// The operands have to lie in memory, since each of their elements is read
  /// many times: nothing is fused into such an op.
  bool readsMemory = false;
};

/// A reduction: for every point of `space`, `terms` gives one scalar per
/// result, which `combine` folds into the accumulator at the kept coordinates.
struct Fold {
  llvm::SmallVector<int64_t> space;
  /// Which dimensions of `space` are folded; the rest are the result's, in
  /// order.
  llvm::SmallVector<bool> folded;
  mlir::LogicalResult (*terms)(ElementScope &, mlir::Operation *,
                               llvm::ArrayRef<Index> at,
                               llvm::SmallVectorImpl<mlir::Value> &out);
  mlir::LogicalResult (*init)(ElementScope &, mlir::Operation *,
                              llvm::SmallVectorImpl<mlir::Value> &out);
  mlir::LogicalResult (*combine)(ElementScope &, mlir::Operation *,
                                 mlir::ValueRange accumulators,
                                 mlir::ValueRange terms,
                                 llvm::SmallVectorImpl<mlir::Value> &out);
  /// Two accumulators as one; null: as `combine` does it with terms.
  mlir::LogicalResult (*merge)(
      ElementScope &, mlir::Operation *, mlir::ValueRange accumulators,
      mlir::ValueRange others,
      llvm::SmallVectorImpl<mlir::Value> &out) = nullptr;
  /// Like OpRule::prefix, from points of `space` to an operand.
  int64_t (*prefix)(mlir::Operation *, unsigned operand);
  /// What `combine` does where that is known: then partial accumulators start
  /// from its identity; else from `init`, an identity by the op's definition.
  std::optional<Combiner> combiner;

  /// Only neighbouring parts of the terms may be combined, earlier ones first.
  bool isInOrder() const { return !combiner && !merge; }
};

class RuleTable {
public:
  /// The table of all ops; built once.
  static const RuleTable &get();

  const OpRule *lookup(mlir::Operation *op) const {
    const OpRule *rule = lookup(op->getName().getStringRef());
    const OpRule *special = rule && rule->special ? rule->special(op) : nullptr;
    return special ? special : rule;
  }
  const OpRule *lookup(llvm::StringRef name) const {
    auto it = rules.find(name);
    return it == rules.end() ? nullptr : &it->second;
  }
  template <typename Op> void add(OpRule rule) {
    rules.insert({Op::getOperationName(), rule});
  }

private:
  llvm::StringMap<OpRule> rules;
};

void addElementwiseRules(RuleTable &table);
void addMovementRules(RuleTable &table);
void addIndexingRules(RuleTable &table);
void addFoldRules(RuleTable &table);
void addScatterRules(RuleTable &table);
void addWindowRules(RuleTable &table);
void addSortRules(RuleTable &table);
void addTopKRules(RuleTable &table);
void addFourierRules(RuleTable &table);
void addCholeskyRules(RuleTable &table);
void addTriangularSolveRules(RuleTable &table);
void addRngRules(RuleTable &table);

/// Ops that need memory of their own for a while take this much of it, in
/// bytes, from the stack; more comes as results that are made for it: slices
/// of the op's results, written last.
inline constexpr int64_t kScratchOnStack = 32 * 1024;
int64_t scratchBytes(mlir::Operation *op);
/// The results to add to a kernel with `op`; none when the stack suffices.
llvm::SmallVector<mlir::Value> createScratch(mlir::OpBuilder &builder,
                                             mlir::Operation *op);
/// True for an op that createScratch made.
bool isScratch(mlir::Operation *op);
void addConvolutionRules(RuleTable &table);
void addSelectAndScatterRules(RuleTable &table);

/// True for ops whose operands have to lie in memory.
bool readsMemory(mlir::Operation *op);

/// A computation of scalar tensors (the region of a reduce or a scatter) with
/// `arguments` in compute form; its results in compute form.
mlir::LogicalResult evaluateRegion(ElementScope &scope, mlir::Region &region,
                                   mlir::ValueRange arguments,
                                   llvm::SmallVectorImpl<mlir::Value> &out);

/// Sums of products: zero, a sum and a product of two terms, a sum of sums; in
/// the compute type of the element type `result`.
mlir::Value sumWithProduct(ElementScope &scope, mlir::Value sum, mlir::Value x,
                           mlir::Value y);
mlir::LogicalResult mergeSums(ElementScope &scope, mlir::Operation *op,
                              mlir::ValueRange accumulators,
                              mlir::ValueRange others,
                              llvm::SmallVectorImpl<mlir::Value> &out);

/// Fold::combiner of a fold with `body`.
std::optional<Combiner> foldCombiner(mlir::Region &body);

/// One step of a fold with `body`: sums and products of floats may be cut into
/// interleaved partial ones.
mlir::LogicalResult combineByRegion(ElementScope &scope, mlir::Region &body,
                                    mlir::ValueRange accumulators,
                                    mlir::ValueRange terms,
                                    llvm::SmallVectorImpl<mlir::Value> &out);

/// The operand element behind coordinates of an operand whose dimensions are
/// spread with `step - 1` paddings between elements.
struct DilatedPlace {
  IndexVector from;       ///< always inside the operand
  mlir::Value condition;  ///< true where it is no padding; null: everywhere
  bool isOutside = false; ///< padding everywhere
};
DilatedPlace placeInDilated(ElementScope &scope, llvm::ArrayRef<Index> at,
                            llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> steps);

/// A start index (compute form, element type `type`) moved into [0, high].
Index clampedStart(ElementScope &scope, mlir::Value start, mlir::Type type,
                   int64_t high);
/// A start index as it is.
Index signedStart(ElementScope &scope, mlir::Value start, mlir::Type type);

/// A factor of element type `from` (compute form) in the compute type `to` of a
/// sum of products; products of bf16 and f16 are exact in f32.
mlir::Value widened(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Type from, mlir::Type to, mlir::Value value);

/// The elements of a stablehlo.constant; null for any other op (or null).
mlir::DenseElementsAttr constantOf(mlir::Operation *op);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_RULES_H
