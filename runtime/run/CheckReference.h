//===- CheckReference.h - A plan against the unpartitioned program --------===//
//
// What --check does after a run.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_CHECKREFERENCE_H
#define PARTOPT_RUNTIME_RUN_CHECKREFERENCE_H

#include "runtime/run/Run.h"

namespace partopt::rt {

/// Compares `run`, which has made all steps of `plan`, with the unpartitioned
/// program: what all steps make together, and where that differs, each step.
Status checkReference(const Run &run,
                      const std::shared_ptr<const plan::PlanT> &plan,
                      const RunOptions &options, std::ostream &out,
                      std::ostream &err, const RunExtras &extras);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_CHECKREFERENCE_H
