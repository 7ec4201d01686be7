// Ops once more, for a block of keys and some of the queries.

#ifndef PARTOPT_LIB_PARTITION_BLOCKCLONES_H
#define PARTOPT_LIB_PARTITION_BLOCKCLONES_H

#include "RingCore.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace partopt {

/// Where a value has keys and queries; -1: nowhere, or all of them are wanted.
struct BlockPlace {
  int64_t key = -1, query = -1;
};

/// Which keys and queries: the first (i32), and how many. Queries count from
/// the first of the device.
struct TileRange {
  mlir::Value keyStart, queryStart;
  int64_t keys = 0, queries = 0;
};

/// Where values that are computed outside of the attention, and have queries in
/// a dimension, come from.
class QueryRows {
public:
  virtual ~QueryRows() = default;
  /// True where the rows of the range are at hand.
  virtual bool has(mlir::Value value, int64_t dim) = 0;
  virtual mlir::Value get(mlir::Value value, int64_t dim) = 0;
};

class BlockClones {
public:
  /// `rows` is asked where `range` has queries.
  BlockClones(mlir::OpBuilder &builder, mlir::Location loc,
              const RingCore &core, TileRange range, QueryRows *rows = nullptr)
      : b(builder), loc(loc), core(core), range(range), rows(rows) {}

  /// Says what `value` is in the range.
  void set(mlir::Value value, mlir::Value part) {
    known[{value.getAsOpaquePointer(), placeOf(value).key,
           placeOf(value).query}] = part;
  }
  /// A value of the attention in the range.
  mlir::Value get(mlir::Value value) { return get(value, placeOf(value)); }
  mlir::Value get(mlir::Value value, BlockPlace place);
  /// The first result of `op`, which has keys or sums over them.
  mlir::Value clone(mlir::Operation *op);

  BlockPlace placeOf(mlir::Value value) const;
  mlir::RankedTensorType typeIn(mlir::Value value) {
    return typeIn(value, placeOf(value));
  }
  mlir::RankedTensorType typeIn(mlir::Value value, BlockPlace place) const;

private:
  mlir::Value again(mlir::Value value, BlockPlace place);
  mlir::Value iota(stablehlo::IotaOp op, BlockPlace place);
  mlir::Value cut(mlir::Value value, BlockPlace place);
  mlir::Value dropKeysBehindEnd(mlir::Value scores, int64_t dim);
  mlir::Value cloneAlong(mlir::Operation *op, const ShardingRule &rule,
                         std::optional<unsigned> key,
                         std::optional<unsigned> query);
  std::optional<unsigned> queryFactor(mlir::Operation *op,
                                      const ShardingRule &rule);
  bool canCompute(mlir::Value value, int64_t query);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const RingCore &core;
  TileRange range;
  QueryRows *rows;
  std::map<std::tuple<const void *, int64_t, int64_t>, mlir::Value> known;
};

/// `value` plus `start` (a scalar i32), converted to its type.
mlir::Value addStart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                     mlir::Value start);

/// A splat of `type`.
mlir::Value splatOf(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::RankedTensorType type, mlir::Attribute element);

/// `value` where the position along `dim`, counted from `start`, is below
/// `end`, else `other`.
mlir::Value keepBelow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      int64_t dim, mlir::Value start, int64_t end,
                      mlir::Attribute other);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_BLOCKCLONES_H
