//===- ProgramView.h - One program under verification ---------------------===//
//
// What the parts of the plan verifier share: the program with its context, the
// wording of places, and the list that collects problems.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLANFORMAT_PROGRAMVIEW_H
#define PARTOPT_LIB_PLANFORMAT_PROGRAMVIEW_H

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/MeshMath.h"
#include "partopt/Plan/PlanFormat_generated.h"

#include <string>
#include <utility>
#include <vector>

namespace partopt::plan {

/// Collects problems, at most 20.
class Problems {
public:
  void add(std::string problem) {
    if (!full())
      list.push_back(std::move(problem));
  }
  bool full() const { return list.size() >= 20; }
  bool empty() const { return list.empty(); }
  size_t size() const { return list.size(); }
  std::vector<std::string> take() { return std::move(list); }

private:
  std::vector<std::string> list;
};

/// A program of one rank class and what surrounds it.
struct ProgramView {
  const PlanT &plan;
  const MeshMath &mesh;
  const RankClassT &rankClass;
  const ProgramT &program;

  /// The object whose kernels it launches, or null.
  const KernelObjectT *kernels() const { return kernelsOf(plan, rankClass); }
  /// "class 'all', entry 'main'"
  std::string where() const {
    std::string text = "class '" + rankClass.name + "'";
    if (program.entry < plan.entries.size())
      text += ", entry '" + plan.entries[program.entry]->name + "'";
    return text;
  }
  /// "class 'all', entry 'main', instruction 3 (dot, at "f.py":3:1)"
  std::string at(size_t index) const {
    const InstructionT &instruction = *program.instructions[index];
    std::string text = where() + ", instruction " + std::to_string(index);
    std::string detail = instruction.label;
    if (instruction.loc != 0 && instruction.loc < plan.locations.size())
      detail +=
          (detail.empty() ? "at " : ", at ") + plan.locations[instruction.loc];
    return detail.empty() ? text : text + " (" + detail + ")";
  }
  /// Index of the last instruction; 0 for an empty program.
  uint32_t lastIndex() const {
    return program.instructions.empty()
               ? 0
               : static_cast<uint32_t>(program.instructions.size() - 1);
  }
};

/// Index ranges of every reference in the program; the other parts rely on it.
void verifyReferences(const ProgramView &view, Problems &problems);

/// Loops are closed, whole where one is inside of another, and carry each
/// buffer once; the other parts rely on it.
void verifyLoops(const ProgramView &view, Problems &problems);

/// Extents, counts and kernels of each instruction.
void verifyOperands(const ProgramView &view, Problems &problems);

/// Order of reads, writes, starts and waits; lifetimes cover every touch.
void verifyOrder(const ProgramView &view, Problems &problems);

/// Turns of interleaved loops: each iteration once, messages where the turns
/// can start and end them; the parts below rely on it.
void verifyTurnOrder(const ProgramView &view, Problems &problems);

/// Turns read nothing too early and overwrite nothing too soon; only they
/// choose slots.
void verifyTurnBuffers(const ProgramView &view, Problems &problems);

/// Each result of an entry is computed as the compiler's program computes it.
/// One view per class.
void verifyDataflow(const std::vector<ProgramView> &views, Problems &problems);

/// Arguments and results that several classes have are of one array, and parts
/// of an array cover it. One view per class, each of them good.
void verifyParts(const std::vector<ProgramView> &views, Problems &problems);

/// Every channel of one entry has a sender and a receiver that agree, on
/// streams of their own. One view per class.
void verifyChannels(const std::vector<ProgramView> &views, Problems &problems);

/// Alignment, bounds, overlaps and the peak.
void verifyMemory(const ProgramView &view, Problems &problems);

/// Shapes, buffers and aliases of arguments and results.
void verifySignature(const ProgramView &view, Problems &problems);

/// Sequences of all communicators of one entry over all rank classes. One view
/// per class.
void verifyCommunicators(const std::vector<ProgramView> &views,
                         Problems &problems);

/// Plays all classes of one entry against each other to their end, where a Send
/// is over only when it is received, as late as it may be: no wait is cyclic,
/// and messages come in the order in which they are taken. One view per class;
/// channels and communicators are verified.
void verifyProgress(const std::vector<ProgramView> &views, Problems &problems);

/// All collectives of one entry have an order that the starts of every rank
/// follow, over all communicators and streams. One view per class; progress is
/// verified.
void verifyCollectiveOrder(const std::vector<ProgramView> &views,
                           Problems &problems);

/// Grids of kernels for GPUs.
void verifyKernels(const RankClassT &rankClass, Problems &problems);

/// Entries share a resident argument only when name and layout agree.
void verifySharedState(const std::vector<ProgramView> &entriesOfClass,
                       Problems &problems);

} // namespace partopt::plan

#endif // PARTOPT_LIB_PLANFORMAT_PROGRAMVIEW_H
