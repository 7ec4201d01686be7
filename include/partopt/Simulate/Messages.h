//===- Messages.h - A collective as the messages of its algorithm ---------===//
//
// What one member sends, step by step, in the algorithms that the runtime has
// (runtime/collectives). Members differ by at most an element per message; the
// largest counts.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_MESSAGES_H
#define PARTOPT_SIMULATE_MESSAGES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <vector>

namespace partopt::simulate {

/// Messages of one size, each sent when the one before has arrived.
struct MessageRun {
  uint64_t count = 0;
  uint64_t bytes = 0;
  bool combines = false;    ///< what arrives is combined, not just stored
  bool isPipelined = false; ///< follows on the link, without a latency
};

/// In order; nothing in a group of one. Independent of n in size.
std::vector<MessageRun> messagesOf(const plan::CollectiveStartT &collective,
                                   uint64_t n);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_MESSAGES_H
