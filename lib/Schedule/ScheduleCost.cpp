//===- ScheduleCost.cpp - Estimates of steps and collectives --------------===//
//
// See ScheduleCost.h.
//
//===----------------------------------------------------------------------===//

#include "ScheduleCost.h"

#include "partopt/Analysis/OpCost.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/LinearAlgebraOps.h"

#include "partopt/Analysis/KernelCost.h"
#include "partopt/Analysis/Layout.h"
#include "partopt/Simulate/Simulate.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt;

static plan::CollectiveKind kindOf(Operation *op) {
  using K = plan::CollectiveKind;
  return llvm::TypeSwitch<Operation *, K>(op)
      .Case([](comm::AllReduceOp) { return K::AllReduce; })
      .Case([](comm::AllGatherOp) { return K::AllGather; })
      .Case([](comm::ReduceScatterOp) { return K::ReduceScatter; })
      .Case([](comm::AllToAllOp) { return K::AllToAll; })
      .Case([](comm::BroadcastOp) { return K::Broadcast; })
      .Default([](Operation *) { return K::Permute; });
}

plan::CollectiveStartT
partopt::describeCollective(comm::CollectiveOpInterface op) {
  plan::CollectiveStartT start;
  start.kind = kindOf(op);
  start.type = plan::ElementType::I8;
  start.counts = {static_cast<uint64_t>(tensorBytes(op->getOperandTypes()))};
  // Where a permutation sends what does not matter, but that it does.
  start.permutation = {1, 0};
  return start;
}

plan::CollectiveStartT partopt::describeSend(comm::SendOp op) {
  plan::CollectiveStartT start;
  start.kind = plan::CollectiveKind::Send;
  start.type = plan::ElementType::I8;
  start.counts = {static_cast<uint64_t>(tensorBytes(op->getOperandTypes()))};
  return start;
}

/// A collective or a message, over the slowest link of its axes.
static double secondsOver(comm::AxesAttr over, plan::CollectiveStartT start,
                          const simulate::MachineOptions &options) {
  simulate::Machine machine;
  machine.calibration = options.calibration;
  plan::AxisList axes;
  if (!options.links.empty())
    for (StringRef name : over.getNames()) {
      axes.push_back(
          plan::AxisRef(static_cast<uint16_t>(machine.links.size()), 1, 1));
      machine.links.push_back(options.links.over(name.str()));
    }
  start.axes = axes;
  return simulate::collectiveSeconds(
      start, static_cast<uint64_t>(over.getGroupSize()), machine);
}

static double seconds(const simulate::Work &work,
                      const simulate::MachineOptions &options) {
  return options.device.empty() ? options.calibration.seconds(work)
                                : options.device.seconds(work);
}

static double product(stablehlo::DotGeneralOp dot,
                      const simulate::MachineOptions &options) {
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  auto result = cast<RankedTensorType>(dot.getType());
  auto dims = dot.getDotDimensionNumbers();
  plan::GemmT gemm;
  unsigned width = result.getElementType().getIntOrFloatBitWidth();
  gemm.type = width == 64   ? plan::ElementType::F64
              : width == 16 ? plan::ElementType::BF16
              : width == 8  ? plan::ElementType::F8E4M3FN
                            : plan::ElementType::F32;
  gemm.k = 1;
  for (int64_t dim : dims.getLhsContractingDimensions())
    gemm.k *= lhs.getDimSize(dim);
  gemm.batch = 1;
  for (int64_t dim : dims.getLhsBatchingDimensions())
    gemm.batch *= lhs.getDimSize(dim);
  gemm.n = result.getRank() > 0 ? result.getShape().back() : 1;
  int64_t elements = result.getNumElements();
  if (elements == 0 || gemm.k == 0)
    return 0;
  gemm.m = elements / gemm.batch / gemm.n;
  simulate::Work work;
  work.flops = 2 * static_cast<double>(elements) * static_cast<double>(gemm.k);
  work.bytes = static_cast<double>(tensorBytes(dot->getOperandTypes()) +
                                   tensorBytes(dot->getResultTypes()));
  work.product = &gemm;
  return seconds(work, options);
}

void ScheduleCost::useMapping(DictionaryAttr mapping) {
  auto axes = mapping ? mapping.getAs<ArrayAttr>("axes") : ArrayAttr();
  if (!axes)
    return;
  for (auto axis : axes.getAsRange<DictionaryAttr>()) {
    auto name = axis.getAs<StringAttr>("axis");
    auto latency = axis.getAs<FloatAttr>("latency_s");
    auto rate = axis.getAs<FloatAttr>("bytes_per_s");
    if (name && latency && rate)
      options.links.setDefault(
          name.str(), {latency.getValueAsDouble(), rate.getValueAsDouble()});
  }
}

double ScheduleCost::kernel(Operation *call) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(
      call, cast<func::CallOp>(call).getCalleeAttr());
  if (!function)
    return 0;
  auto [found, isNew] = kernels.insert({function, 0});
  if (isNew) {
    KernelWork counted = kernelWork(function, /*inPlace=*/true);
    simulate::Work work;
    work.flops = static_cast<double>(counted.flops);
    work.bytes = static_cast<double>(counted.bytes);
    work.functions = static_cast<double>(counted.functions);
    work.contractions = static_cast<double>(counted.contractions);
    work.shuffled = static_cast<double>(counted.shuffled);
    found->second = seconds(work, options);
  }
  return found->second;
}

double ScheduleCost::operation(Operation *op) const {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    return product(dot, options);
  if (options.device.empty())
    return 1e-9 * static_cast<double>(opNanoseconds(op));
  simulate::Work work;
  work.bytes = static_cast<double>(tensorBytes(op->getOperandTypes()) +
                                   tensorBytes(op->getResultTypes()));
  return options.device.seconds(work);
}

double ScheduleCost::message(comm::SendOp op) const {
  return secondsOver(op.getAxes(), describeSend(op), options);
}

/// The time grows evenly with the payload.
LinkCost ScheduleCost::link(comm::CollectiveOpInterface op) const {
  plan::CollectiveStartT start = describeCollective(op);
  auto seconds = [&](uint64_t bytes) {
    start.counts = {bytes};
    return secondsOver(op.getAxes(), start, options);
  };
  // A part for each member.
  uint64_t step = uint64_t(op.getAxes().getGroupSize()) << 20;
  double once = seconds(step), more = seconds(2 * step) - once;
  return {once - more, double(step) / std::max(more, 1e-15)};
}

int64_t ScheduleCost::nanoseconds(Operation *op) {
  double time = 0;
  if (auto one = dyn_cast<comm::CollectiveOpInterface>(op))
    time = secondsOver(one.getAxes(), describeCollective(one), options);
  else if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    time = product(dot, options);
  else if (isa<func::CallOp>(op))
    time = kernel(op);
  // A day is beyond every step, and far from overflow.
  return static_cast<int64_t>(std::min(time, 86400.0) * 1e9);
}
