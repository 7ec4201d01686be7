//===- CollectiveKinds.cpp - The plan's names for collectives -------------===//
//
// See CollectiveKinds.h.
//
//===----------------------------------------------------------------------===//

#include "CollectiveKinds.h"

#include "dialects/Comm/Comm.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt;

planir::CollectiveKind partopt::collectiveKindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, planir::CollectiveKind>(op)
      .Case([](comm::AllReduceOp) { return planir::CollectiveKind::AllReduce; })
      .Case([](comm::AllGatherOp) { return planir::CollectiveKind::AllGather; })
      .Case([](comm::ReduceScatterOp) {
        return planir::CollectiveKind::ReduceScatter;
      })
      .Case([](comm::AllToAllOp) { return planir::CollectiveKind::AllToAll; })
      .Case([](comm::PermuteOp) { return planir::CollectiveKind::Permute; })
      .Case(
          [](comm::BroadcastOp) { return planir::CollectiveKind::Broadcast; });
}

planir::Combiner partopt::combinerOf(Operation *op) {
  comm::CombinerKind kind;
  if (auto reduce = dyn_cast<comm::AllReduceOp>(op))
    kind = reduce.getCombiner();
  else if (auto scatter = dyn_cast<comm::ReduceScatterOp>(op))
    kind = scatter.getCombiner();
  else
    return planir::Combiner::None;
  switch (kind) {
  case comm::CombinerKind::Sum:
    return planir::Combiner::Sum;
  case comm::CombinerKind::Product:
    return planir::Combiner::Product;
  case comm::CombinerKind::Min:
    return planir::Combiner::Min;
  case comm::CombinerKind::Max:
    return planir::Combiner::Max;
  case comm::CombinerKind::And:
    return planir::Combiner::And;
  case comm::CombinerKind::Or:
    return planir::Combiner::Or;
  }
  llvm_unreachable("all combiners are handled");
}
