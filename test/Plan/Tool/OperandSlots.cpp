//===- OperandSlots.cpp - Where an operation names buffers ----------------===//
//
// See OperandSlots.h.
//
//===----------------------------------------------------------------------===//

#include "OperandSlots.h"

namespace partopt::test {

using namespace plan;

std::vector<uint32_t *> operandSlots(InstructionT &instruction) {
  std::vector<uint32_t *> slots;
  if (auto *op = instruction.op.AsLaunch())
    for (uint32_t &argument : op->args)
      slots.push_back(&argument);
  if (auto *op = instruction.op.AsGemm())
    slots = {&op->a, &op->b, &op->c};
  if (auto *op = instruction.op.AsCopy())
    slots = {&op->source, &op->target};
  if (auto *op = instruction.op.AsAxisIndex())
    slots = {&op->target};
  if (auto *op = instruction.op.AsCollectiveStart()) {
    for (uint32_t &operand : op->operands)
      slots.push_back(&operand);
    for (uint32_t &result : op->results)
      slots.push_back(&result);
  }
  auto add = [&](std::vector<uint32_t> &buffers) {
    for (uint32_t &buffer : buffers)
      slots.push_back(&buffer);
  };
  if (auto *op = instruction.op.AsLoopBegin()) {
    add(op->inits);
    slots.push_back(&op->index);
    add(op->carried);
  }
  if (auto *op = instruction.op.AsLoopEnd()) {
    add(op->nexts);
    add(op->carried);
  }
  return slots;
}

void listTouches(InstructionT &instruction) {
  std::vector<uint32_t *> slots = operandSlots(instruction);
  size_t outputs = instruction.writes.size();
  if (slots.size() < outputs)
    return;
  size_t inputs = slots.size() - outputs;
  for (size_t i = 0; i < inputs && i < instruction.reads.size(); ++i)
    instruction.reads[i] = *slots[i];
  for (size_t i = 0; i < outputs; ++i)
    instruction.writes[i] = *slots[inputs + i];
}

} // namespace partopt::test
