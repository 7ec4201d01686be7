//===- Progress.cpp - Where every rank stands -----------------------------===//
//
// See Progress.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/Progress.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/CollectiveBytes.h"

namespace partopt::rt {

std::string instructionText(const plan::PlanT &plan,
                            const plan::ProgramT &program, uint32_t index,
                            uint32_t turn) {
  std::string text = "instruction " + std::to_string(index);
  const plan::InstructionT &instruction = *program.instructions[index];
  std::string detail = instruction.label.empty()
                           ? plan::EnumNameOp(instruction.op.type)
                           : instruction.label;
  if (instruction.loc > 0 && instruction.loc < plan.locations.size())
    detail += ", at " + plan.locations[instruction.loc];
  text += " (" + detail + ")";
  bool inTurn = program.turns && turn < program.turns->turns.size();
  return inTurn ? text + " in " + plan::turnText(program, turn) : text;
}

const plan::ProgramT &Progress::programOf(uint32_t rank) const {
  return *plan::programOf(*plan.classes[plan.rank_class[rank]], entry.load());
}

std::string Progress::describe() const {
  std::string text;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const plan::ProgramT &program = programOf(rank);
    uint32_t index = ranks[rank].load(std::memory_order_relaxed);
    uint32_t turn = turns[rank].load(std::memory_order_relaxed);
    text += "\n  rank " + std::to_string(rank) + ": ";
    text += index == none ? "finished the step"
                          : "at " + instructionText(plan, program, index, turn);
    for (uint16_t stream = 0; stream < streams; ++stream) {
      uint32_t running = collectives[size_t(rank) * streams + stream].load(
          std::memory_order_relaxed);
      if (running == none)
        continue;
      const auto *op = program.instructions[running]->op.AsCollectiveStart();
      text += "; stream " + std::to_string(stream) + " in " +
              plan::collectiveName(op->kind) + " " + std::to_string(op->id) +
              " of " + instructionText(plan, program, running);
    }
  }
  return text;
}

} // namespace partopt::rt
