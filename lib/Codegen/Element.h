// One element of a tensor value as scalar code: a kernel's ops are functions
// from coordinates to scalars, composed on demand, so that fusion is function
// composition and only what must be stored has a buffer.
#ifndef PARTOPT_LIB_CODEGEN_ELEMENT_H
#define PARTOPT_LIB_CODEGEN_ELEMENT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <map>

namespace partopt::codegen {

/// One coordinate, `var + offset` (or `offset` where var is null), known to lie
/// in [low, high].
struct Index {
  mlir::Value var;
  int64_t offset = 0;
  int64_t low = 0, high = 0;

  static Index constant(int64_t value) { return {{}, value, value, value}; }
  bool isConstant() const { return !var; }
  /// Always, respectively never, in [begin, end).
  bool inside(int64_t begin, int64_t end) const {
    return low >= begin && high < end;
  }
  bool outside(int64_t begin, int64_t end) const {
    return high < begin || low >= end;
  }
  Index plus(int64_t delta) const {
    return {var, offset + delta, low + delta, high + delta};
  }
};

using IndexVector = llvm::SmallVector<Index, 6>;

class ElementScope;

/// A memref that holds a tensor value whose first `rowRank` coordinates are
/// fixed by the loops around it (0: the whole value).
struct Buffer {
  mlir::Value memref;
  int64_t rowRank = 0;
  /// Where several rows are in one memref: which one, its first coordinate.
  mlir::Value slot = {};

  /// The coordinates in the memref of the element at `at`.
  llvm::SmallVector<mlir::Value> place(ElementScope &scope,
                                       llvm::ArrayRef<Index> at) const;
};

/// A place where a loop over `var` should be cut so that a condition on the
/// coordinate is decided in each part.
struct SplitRequest {
  mlir::Value var;
  int64_t position; ///< first value of `var` of the second part
};

/// What the loops of a group know of reads across the grain: elements whose
/// innermost coordinate in memory is not the innermost loop's.
struct TransposedReads {
  /// While `innermost` is set, reads at [..., innermost, ..., other] note the
  /// variable `other`.
  mlir::Value innermost;
  mlir::Value wanted;

  /// Inside a tile: variables of both coordinates, their values at the tile's
  /// corner, their offsets from it, and where the tile's loops begin.
  mlir::Value rowVar, columnVar, rowBegin, columnBegin, rowOffset, columnOffset;
  mlir::Operation *tileLoops = nullptr;
  /// An element from the tile; null where it is not read across the grain.
  std::function<mlir::Value(ElementScope &, const Buffer &,
                            llvm::ArrayRef<Index> at)>
      load;
};

/// Scalar code for elements at one place in the IR: caches what was computed
/// there, finds what dominates it through `parent`, and knows the buffers.
class ElementScope {
public:
  ElementScope(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}
  explicit ElementScope(ElementScope *parent)
      : builder(parent->builder), loc(parent->loc), parent(parent),
        buffers(parent->buffers), splits(parent->splits),
        transposed(parent->transposed) {}

  /// The element of `value` at `at`, in its compute type. Null after an error,
  /// which has been reported.
  mlir::Value element(mlir::Value value, llvm::ArrayRef<Index> at);
  /// Makes `scalar` the element of `value` at `at` for this scope.
  void define(mlir::Value value, llvm::ArrayRef<Index> at, mlir::Value scalar);

  /// A coordinate as an SSA value of type index.
  mlir::Value materialize(const Index &index);
  /// `value` (type index) as a coordinate in [low, high].
  Index opaque(mlir::Value value, int64_t low, int64_t high);
  /// `index * factor`, for slices with strides.
  Index scaled(const Index &index, int64_t factor);
  Index sum(const Index &a, const Index &b);
  mlir::Value indexConstant(int64_t value);
  /// An i1 that is true when low <= index < high, which the index's range does
  /// not decide; also asks for the loop to be split where it would.
  mlir::Value inBounds(const Index &index, int64_t low, int64_t high);
  /// Asks for the loop behind `index` to be cut before `position`.
  void splitAt(const Index &index, int64_t position);
  /// The index moved into [low, high] at run time.
  Index clamped(const Index &index, int64_t low, int64_t high);
  mlir::Value load(const Buffer &buffer, mlir::Type elementType,
                   llvm::ArrayRef<Index> at);
  /// The buffer of a value that an op with OpRule::readsMemory reads.
  Buffer bufferOf(mlir::Value value) const { return buffers->lookup(value); }

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  friend class KernelEmitter;
  friend class HostEmitter;
  friend class GpuEmitter;
  using Key = std::pair<mlir::Value, IndexVector>;
  struct KeyLess {
    bool operator()(const Key &a, const Key &b) const;
  };
  const mlir::Value *lookup(const Key &key) const;
  void noteTransposedRead(const Buffer &buffer, llvm::ArrayRef<Index> at);

  ElementScope *parent = nullptr;
  /// Buffers of the values that are complete where this scope stands.
  const llvm::DenseMap<mlir::Value, Buffer> *buffers = nullptr;
  llvm::SmallVectorImpl<SplitRequest> *splits = nullptr;
  TransposedReads *transposed = nullptr;
  std::map<Key, mlir::Value, KeyLess> cache;
  std::map<std::pair<void *, int64_t>, mlir::Value> indices;
};

//===----------------------------------------------------------------------===//
// Element types: storage (memory), compute (registers)
//===----------------------------------------------------------------------===//

/// True for the element types that kernels handle: i1, signless and unsigned
/// integers of 8 to 64 bits, bf16, f16, f32, f64, complex<f32>, complex<f64>.
bool isSupportedElementType(mlir::Type type);
/// Memory form: i1 as i8, bf16 as i16, other integers signless.
mlir::Type storageType(mlir::Type type);
/// The memref of a tensor of this shape; an empty dimension counts as one,
/// since memrefs without elements have no layout, and is never looped over.
mlir::MemRefType bufferType(llvm::ArrayRef<int64_t> shape,
                            mlir::Type elementType);
/// Register form: bf16 and f16 as f32 (holding representable values), integers
/// signless.
mlir::Type computeType(mlir::Type type);
mlir::Value toCompute(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type elementType, mlir::Value stored);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type elementType, mlir::Value computed);
/// Rounds an f32 result to what bf16 or f16 can hold; nothing for others.
mlir::Value roundToElement(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type elementType, mlir::Value computed);
/// A scalar constant in compute form from a dense attribute's element.
mlir::Value computeConstant(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Type elementType, mlir::Attribute value);
/// A complex number from its parts and its parts, and what arith does only for
/// other types: selection and zeros.
mlir::Value joinParts(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value re, mlir::Value im);
std::pair<mlir::Value, mlir::Value>
splitParts(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
/// Loops carry complex numbers by their parts, which registers and vectors
/// hold; and the opposite, for values of the types of `like`.
llvm::SmallVector<mlir::Value, 4> scalarParts(mlir::OpBuilder &builder,
                                              mlir::Location loc,
                                              mlir::ValueRange values);
llvm::SmallVector<mlir::Value, 4> joinedParts(mlir::OpBuilder &builder,
                                              mlir::Location loc,
                                              mlir::ValueRange like,
                                              mlir::ValueRange parts);
mlir::Value selectScalar(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value condition, mlir::Value x, mlir::Value y);
mlir::Value zeroScalar(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type);
/// Bytes of one stored element.
int64_t storageBytes(mlir::Type elementType);

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_ELEMENT_H
