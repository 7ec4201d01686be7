//===- ValueNumbering.cpp - What a program computes, by value -------------===//
//
// See ValueNumbering.h.
//
//===----------------------------------------------------------------------===//

#include "ValueNumbering.h"

using namespace mlir;
using namespace partopt;

/// The values behind the `count` buffers of `op`.
static FailureOr<ArrayRef<int64_t>> valuesOf(Operation *op, size_t count) {
  auto values = op->getAttrOfType<DenseI64ArrayAttr>(planir::kValuesAttr);
  if (!values || size_t(values.size()) != count)
    return op->emitOpError()
           << "needs " << planir::kValuesAttr << " with " << count
           << " values, one per buffer, which partopt-lower-to-plan writes";
  return values.asArrayRef();
}

/// A value that no instruction writes is an argument.
plan::ValueNumber ValueNumbering::numberOf(int64_t value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? arguments[size_t(value)] : found->second;
}

LogicalResult ValueNumbering::number(Operation *op,
                                     const plan::InstructionT &what) {
  if (what.op.AsWait())
    return success();
  plan::Operands operands = plan::operandsOf(what);
  size_t inputs = operands.inputs.size();
  auto values = valuesOf(op, inputs + operands.outputs.size());
  if (failed(values))
    return failure();
  std::vector<plan::ValueNumber> read;
  for (int64_t value : values->take_front(inputs))
    read.push_back(numberOf(value));
  const auto *start = what.op.AsCollectiveStart();
  if (start && start->kind == plan::CollectiveKind::Send)
    (*channels)[start->id] = read;
  std::vector<plan::ValueNumber> written =
      start && start->kind == plan::CollectiveKind::Recv
          ? channels->at(start->id)
          : plan::writtenNumbers(what, kernels, read);
  for (auto [value, number] : llvm::zip(values->drop_front(inputs), written))
    numbers[value] = number;
  return success();
}

LogicalResult ValueNumbering::numberResults(planir::ReturnOp op,
                                            plan::ProgramT &program) {
  auto values = valuesOf(op, program.results.size());
  if (failed(values))
    return failure();
  for (auto [value, entry] : llvm::zip(*values, program.results))
    entry->value = plan::resultNumber(numberOf(value), entry->alias);
  return success();
}
