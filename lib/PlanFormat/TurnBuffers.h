//===- TurnBuffers.h - What interleaved loops hand to each other ----------===//
//
// Who writes a buffer in which loop, and who reads it there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLANFORMAT_TURNBUFFERS_H
#define PARTOPT_LIB_PLANFORMAT_TURNBUFFERS_H

#include "ProgramView.h"

#include "partopt/Plan/Peers.h"

#include <map>
#include <set>

namespace partopt::plan {

/// A loop that takes turns with others.
struct TurnLoop {
  const LoopBeginT *begin = nullptr;
  uint32_t index = 0; ///< of the LoopBegin
};

/// Buffers alike in their use: who writes them and until when they are kept.
struct Handover {
  size_t writer = 0;        ///< place among the loops
  std::set<size_t> readers; ///< in the iteration of the same number
  uint32_t slots = 1;
  bool isReceived = false; ///< written ahead of the writer's turn
  uint32_t buffer = 0;     ///< one of them
};

class TurnBuffers {
public:
  /// Of loops that are whole and one behind the other, in their order.
  TurnBuffers(const ProgramView &view, const std::vector<TurnLoop> &loops);

  /// Each buffer has one loop that writes it, is read after that by others if
  /// at all, and lives through all turns where an iteration is not its end.
  void verify(Problems &problems) const;

  const std::vector<const Handover *> &writtenBy(size_t loop) const {
    return written[loop];
  }
  const std::vector<const Handover *> &readBy(size_t loop) const {
    return read[loop];
  }

private:
  struct Use {
    std::set<size_t> writers;  ///< loops whose iterations write it
    std::set<size_t> readers;  ///< loops that read what they have not written
    std::set<size_t> carriers; ///< loops that carry it, or count in it
    std::set<size_t> starters; ///< loops that start from it
    bool isSent = false, isReceived = false;
  };
  void useLoop(size_t loop);
  void verifyUse(uint32_t buffer, const Use &use, Problems &problems) const;
  void verifyLifetimes(Problems &problems) const;
  bool isKept(const Use &use) const;
  void addHandovers();

  const ProgramView &view;
  const std::vector<TurnLoop> &loops;
  std::map<uint32_t, Use> uses; // by buffer
  std::vector<Handover> handovers;
  std::vector<std::vector<const Handover *>> written, read; // by loop
};

} // namespace partopt::plan

#endif // PARTOPT_LIB_PLANFORMAT_TURNBUFFERS_H
