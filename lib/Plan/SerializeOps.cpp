//===- SerializeOps.cpp - Plan ops as tables of a plan file ---------------===//
//
// What needs no numbers but the op's own.
//
//===----------------------------------------------------------------------===//

#include "SerializeOps.h"

#include "PlanTypes.h"

using namespace mlir;
using namespace partopt;

std::unique_ptr<plan::BufferT> partopt::serializeBuffer(planir::BufferOp op) {
  auto entry = std::make_unique<plan::BufferT>();
  entry->space = static_cast<plan::Space>(op.getSpace());
  entry->offset = op.getOffset();
  entry->bytes = op.getBytes();
  entry->first = op.getFirst();
  entry->last = op.getLast();
  if (auto holds = op.getHolds())
    for (auto held : holds->getAsRange<planir::HeldAttr>())
      entry->holds.push_back(
          plan::Held(static_cast<plan::MemoryClass>(held.getMemoryClass()),
                     static_cast<uint32_t>(held.getFirst())));
  entry->slots = uint32_t(op.getSlots().value_or(1));
  entry->stride = op.getStride().value_or(0);
  return entry;
}

plan::GemmT partopt::serializeGemm(planir::GemmOp op) {
  plan::GemmT gemm;
  gemm.type = elementTypeOf(op.getType());
  gemm.batch = op.getBatch();
  gemm.m = op.getM();
  gemm.n = op.getN();
  gemm.k = op.getK();
  gemm.trans_a = op.getTransA();
  gemm.trans_b = op.getTransB();
  gemm.accumulate = op.getAccumulate();
  gemm.lda = op.getLda();
  gemm.ldb = op.getLdb();
  gemm.ldc = op.getLdc();
  gemm.stride_a = op.getStrideA();
  gemm.stride_b = op.getStrideB();
  gemm.stride_c = op.getStrideC();
  return gemm;
}

void partopt::describe(Operation *op, plan::InstructionT &instruction) {
  if (auto phase = op->getAttrOfType<planir::PhaseAttr>("phase"))
    instruction.phase = static_cast<plan::Phase>(phase.getValue());
  if (auto label = op->getAttrOfType<StringAttr>("label"))
    instruction.label = label.str();
  if (auto flops = op->getAttrOfType<IntegerAttr>("flops"))
    instruction.flops = flops.getInt();
  auto work = op->getAttrOfType<DenseI64ArrayAttr>(planir::kWorkAttr);
  if (work && work.size() == 4) {
    instruction.contractions = work[0];
    instruction.functions = work[1];
    instruction.bytes = work[2];
    instruction.shuffled = work[3];
  }
}
