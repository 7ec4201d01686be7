// Arithmetic on axes and parts of axes: overlaps, prefixes, merging.

#ifndef PARTOPT_LIB_SHARD_PROPAGATION_AXISLISTS_H
#define PARTOPT_LIB_SHARD_PROPAGATION_AXISLISTS_H

#include "partopt/Analysis/Layout.h"

namespace partopt::shard {

/// True if `a` is a major part of `b` or equal to it.
bool isPrefix(const AxisRef &a, const AxisRef &b);
/// True if `b` is a part of, or equal to, `a`.
bool contains(const AxisRef &a, const AxisRef &b);

/// The largest major part of `axis` that overlaps none of `others`.
std::optional<AxisRef> prefixWithoutOverlap(AxisRef axis,
                                            llvm::ArrayRef<AxisRef> others);

/// The longest common major part of two axes.
std::optional<AxisRef> commonPrefix(const AxisRef &a, const AxisRef &b);

/// True if `longer` is `shorter` followed by more, counting a last axis of
/// `shorter` that is only a major part.
bool isStrictPrefix(llvm::ArrayRef<AxisRef> shorter,
                    llvm::ArrayRef<AxisRef> longer);

/// Appends `axis`, merged with the last one where it continues it.
void appendMerged(AxisList &axes, const AxisRef &axis);

} // namespace partopt::shard

#endif // PARTOPT_LIB_SHARD_PROPAGATION_AXISLISTS_H
