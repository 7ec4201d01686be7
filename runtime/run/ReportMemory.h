//===- ReportMemory.h - Memory in the report ------------------------------===//
//
// The parts "memory" and "measured.memory": bytes by what they are used for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_RUN_REPORTMEMORY_H
#define PARTOPT_RUNTIME_RUN_REPORTMEMORY_H

#include "partopt-rt/Session.h"

#include <nlohmann/json.hpp>

namespace partopt::rt {

/// What the plan says: bytes of the device that holds most.
nlohmann::ordered_json memoryJson(const plan::PlanT &plan, size_t entry);

/// What was counted, of the rank that held most at once.
nlohmann::ordered_json measuredMemory(const SessionStats &stats);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_RUN_REPORTMEMORY_H
