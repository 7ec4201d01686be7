// Whether an attention masks all keys behind the query, shown from how its mask
// is made.

#ifndef PARTOPT_ANALYSIS_CAUSALMASK_H
#define PARTOPT_ANALYSIS_CAUSALMASK_H

#include "dialects/Comm/Comm.h"

namespace partopt {

/// Scores of queries by keys. In a local program of a device along `axes`, the
/// queries are its block of `width`; `axes` is null, and `width` 0, in a whole
/// one.
struct ScoreMatrix {
  mlir::Value scores;
  int64_t keyDim = 0, queryDim = 0;
  comm::AxesAttr axes;
  int64_t width = 0;
};

/// True where every key behind its query is masked, and no query's own position
/// is. A score of -1e4 or less counts as masked.
bool isCausal(const ScoreMatrix &matrix);

} // namespace partopt

#endif // PARTOPT_ANALYSIS_CAUSALMASK_H
