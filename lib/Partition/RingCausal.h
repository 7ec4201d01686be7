// Whether an attention masks all keys behind the query, shown from how its mask
// is made, and where its values have the queries.

#ifndef PARTOPT_LIB_PARTITION_RINGCAUSAL_H
#define PARTOPT_LIB_PARTITION_RINGCAUSAL_H

#include "RingCore.h"

namespace partopt {

/// The dimension of the scores that has this device's queries, where every key
/// behind its query is masked, and no query's own position is. A score of -1e4
/// or less counts as masked.
std::optional<int64_t> causalQueryDim(const RingCore &core);

/// Fills `core.queryDim` from dimension `dim` of the scores; false, and nothing
/// filled, where a value has queries in two dimensions.
bool findQueryDims(RingCore &core, int64_t dim);

} // namespace partopt

#endif // PARTOPT_LIB_PARTITION_RINGCAUSAL_H
