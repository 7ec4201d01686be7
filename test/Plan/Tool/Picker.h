//===- Picker.h - Random choices from a plan --------------------*- C++ -*-===//
//
// What a fault picks its place with.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_PLAN_TOOL_PICKER_H
#define PARTOPT_TEST_PLAN_TOOL_PICKER_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <functional>
#include <random>
#include <vector>

namespace partopt::test {

/// The program under change and random choices from it.
class Picker {
public:
  Picker(plan::PlanT &plan, std::mt19937 &random)
      : plan(plan),
        p(*plan.classes[random() % plan.classes.size()]->programs[0]),
        random(random) {}

  size_t below(size_t n) { return n ? random() % n : 0; }
  size_t instruction() { return below(p.instructions.size()); }
  plan::InstructionT &any() { return *p.instructions[instruction()]; }
  plan::BufferT &buffer() { return *p.buffers[below(p.buffers.size())]; }

  /// An instruction whose op `test` accepts, or null.
  plan::InstructionT *
  where(const std::function<bool(const plan::OpUnion &)> &test) {
    std::vector<plan::InstructionT *> found;
    for (auto &instruction : p.instructions)
      if (test(instruction->op))
        found.push_back(instruction.get());
    return found.empty() ? nullptr : found[below(found.size())];
  }
  plan::CollectiveStartT *start() {
    plan::InstructionT *found = where([](const plan::OpUnion &op) {
      return op.AsCollectiveStart() != nullptr;
    });
    return found ? found->op.AsCollectiveStart() : nullptr;
  }
  plan::WaitT *wait() {
    plan::InstructionT *found =
        where([](const plan::OpUnion &op) { return op.AsWait() != nullptr; });
    return found ? found->op.AsWait() : nullptr;
  }
  /// Another buffer with at least as many bytes.
  uint32_t otherBuffer(uint32_t than) {
    std::vector<uint32_t> fit;
    for (uint32_t i = 0; i < p.buffers.size(); ++i)
      if (i != than && p.buffers[i]->bytes >= p.buffers[than]->bytes)
        fit.push_back(i);
    return fit.empty() ? than : fit[below(fit.size())];
  }

  plan::PlanT &plan;
  plan::ProgramT &p;
  std::mt19937 &random;
};

} // namespace partopt::test

#endif // PARTOPT_TEST_PLAN_TOOL_PICKER_H
