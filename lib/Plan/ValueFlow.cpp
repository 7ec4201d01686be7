//===- ValueFlow.cpp - What is computed from what, value by value ---------===//
//
// See ValueFlow.h. Nodes are numbered in program order, so that sources come
// first but for what a loop carries.
//
//===----------------------------------------------------------------------===//

#include "ValueFlow.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/LinearAlgebraOps.h"
#include "dialects/StableHLO/ShapeOps.h"
#include "partopt/Support/StageAttributes.h"

using namespace mlir;
using namespace partopt;

unsigned ValueFlow::add(Value value, Operation *op) {
  nodes.push_back({value, op, false, 0, {}, {}, part});
  return nodes.size() - 1;
}

void ValueFlow::addSource(unsigned node, unsigned source) {
  nodes[node].sources.push_back(source);
  nodes[source].users.push_back(node);
}

/// The kernel's ops with the call's operands; a result of the call passes on
/// what the kernel returns.
void ValueFlow::addCall(Operation *call, func::FuncOp kernel) {
  llvm::DenseMap<Value, unsigned> inner;
  Block &body = kernel.getBody().front();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), call->getOperands()))
    inner[argument] = of(operand);
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults()) {
      unsigned node = add(result, &op);
      for (Value operand : op.getOperands())
        addSource(node, inner.lookup(operand));
      inner[result] = node;
    }
  for (auto [result, returned] : llvm::zip_equal(
           call->getResults(), body.getTerminator()->getOperands())) {
    unsigned node = add(result, call);
    addSource(node, inner.lookup(returned));
    numbers[result] = node;
  }
}

/// Result i comes from operand i alone.
static bool isPerOperand(Operation *op) {
  return isa<comm::WaitOp, comm::LoopEndOp, comm::CollectiveOpInterface>(op);
}

ValueFlow::ValueFlow(const ProgramModel &model) {
  func::FuncOp function = model.function;
  Block &block = function.getBody().front();
  for (BlockArgument argument : block.getArguments())
    numbers[argument] = add(argument, nullptr);
  SmallVector<Operation *> loops; // that are open, the innermost last
  for (Operation &op : block.without_terminator()) {
    if (func::FuncOp kernel = model.calledKernel(&op)) {
      addCall(&op, kernel);
      continue;
    }
    bool isBegin = isa<comm::LoopBeginOp>(op);
    if (auto named = op.getAttrOfType<StringAttr>(kStagePartAttr);
        named && isBegin)
      part = named.getValue().front();
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      unsigned node = add(result, &op);
      numbers[result] = node;
      if (isPerOperand(&op))
        addSource(node, of(op.getOperand(i)));
      else if (isBegin && i > 0)
        addSource(node, of(op.getOperand(i - 1)));
      else if (!isBegin)
        for (Value operand : op.getOperands())
          addSource(node, of(operand));
    }
    if (isBegin)
      loops.push_back(&op);
    if (!isa<comm::LoopEndOp>(op) || loops.empty())
      continue;
    Operation *begin = loops.pop_back_val();
    for (auto [i, next] : llvm::enumerate(op.getOperands()))
      addSource(of(begin->getResult(i + 1)), of(next));
    if (loops.empty())
      part = 0;
  }
  for (auto [value, number] : numbers) {
    auto storage = model.storageOf.find(value);
    nodes[number].inProgram = storage != model.storageOf.end();
    if (nodes[number].inProgram)
      nodes[number].storage = storage->second;
  }
}

llvm::BitVector ValueFlow::reach(ArrayRef<unsigned> from,
                                 bool backwards) const {
  llvm::BitVector reached(size());
  SmallVector<unsigned> work(from.begin(), from.end());
  while (!work.empty()) {
    unsigned node = work.pop_back_val();
    if (reached.test(node))
      continue;
    reached.set(node);
    llvm::append_range(work,
                       backwards ? nodes[node].sources : nodes[node].users);
  }
  return reached;
}

bool ValueFlow::scalesGradients(unsigned node) const {
  auto type = dyn_cast<RankedTensorType>(nodes[node].value.getType());
  if (!type || type.getNumElements() != 1)
    return false;
  llvm::BitVector dependents = reach({node}, /*backwards=*/false);
  return llvm::any_of(dependents.set_bits(), [&](unsigned dependent) {
    return isa_and_nonnull<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(
        nodes[dependent].op);
  });
}

bool ValueFlow::isTransparent(const Node &node) {
  return isa_and_nonnull<func::CallOp, stablehlo::ReshapeOp, comm::WaitOp>(
      node.op);
}
