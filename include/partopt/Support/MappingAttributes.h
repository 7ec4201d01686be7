//===- MappingAttributes.h - Where the mesh lies on a cluster ---*- C++ -*-===//

#ifndef PARTOPT_SUPPORT_MAPPINGATTRIBUTES_H
#define PARTOPT_SUPPORT_MAPPINGATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace partopt {

/// On the module, a dictionary: `cluster`, its name; `order_by`, "traffic",
/// "hand" or "file"; `axes`, outermost first, each {axis, bytes, collectives,
/// level, latency_s, bytes_per_s, why}, without level and link where the
/// cluster has none; `other`, the order to compare with: [axis, …].
inline constexpr llvm::StringLiteral kMappingAttr = "partopt.mapping";

} // namespace partopt

#endif // PARTOPT_SUPPORT_MAPPINGATTRIBUTES_H
