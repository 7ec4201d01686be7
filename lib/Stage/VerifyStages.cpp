// partopt-verify-stages: the programs of a pipeline's ranks fit together.

#include "dialects/Comm/Comm.h"
#include "partopt/Stage/Passes.h"
#include "partopt/Support/NextValues.h"

#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_VERIFYSTAGES
#include "partopt/Stage/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// One end of a channel: where its op stands.
struct ChannelEnd {
  Operation *op = nullptr;
  int64_t rank = -1, peer = -1;
  /// Of the segment around it: stage and part; behind the segments -1.
  int64_t stage = -1;
  char part = 0;
  SmallVector<Type, 1> types;

  /// Order along the chain of `stages` stages, as in Segment::place.
  int64_t place(int64_t stages) const {
    if (stage < 0)
      return 4 * stages;
    if (part == 'F')
      return 2 * stage;
    return 2 * (2 * stages - 1 - stage) + (part == 'W');
  }
};

struct Channel {
  ChannelEnd send, receive;
};

class StageVerifier {
public:
  explicit StageVerifier(ModuleOp module) : module(module) {}
  LogicalResult run();

private:
  LogicalResult readRank(func::FuncOp func);
  LogicalResult addEnd(Operation *op, int64_t rank, comm::LoopBeginOp segment);
  LogicalResult checkChannels();
  LogicalResult checkNextValues();
  LogicalResult checkResults();

  ModuleOp module;
  llvm::MapVector<int64_t, func::FuncOp> ranks;
  llvm::MapVector<int64_t, Channel> channels;
  int64_t stages = 0;
};

LogicalResult StageVerifier::addEnd(Operation *op, int64_t rank,
                                    comm::LoopBeginOp segment) {
  ChannelEnd end;
  end.op = op;
  end.rank = rank;
  if (segment) {
    end.stage = segment->getAttrOfType<IntegerAttr>(kStageAttr).getInt();
    end.part =
        segment->getAttrOfType<StringAttr>(kStagePartAttr).getValue().front();
  }
  if (auto send = dyn_cast<comm::SendOp>(op)) {
    end.peer = send.getTo();
    llvm::append_range(end.types, send.getOperandTypes());
    ChannelEnd &known = channels[send.getChannel()].send;
    if (known.op)
      return op->emitOpError()
             << "is a second sender of channel " << send.getChannel();
    known = std::move(end);
    return success();
  }
  auto receive = cast<comm::RecvOp>(op);
  end.peer = receive.getFrom();
  llvm::append_range(end.types, receive.getResultTypes());
  ChannelEnd &known = channels[receive.getChannel()].receive;
  if (known.op)
    return op->emitOpError()
           << "is a second receiver of channel " << receive.getChannel();
  known = std::move(end);
  return success();
}

LogicalResult StageVerifier::readRank(func::FuncOp func) {
  auto rank = func->getAttrOfType<IntegerAttr>(kPipelineRankAttr);
  if (!rank)
    return success();
  if (!ranks.insert({rank.getInt(), func}).second)
    return func.emitOpError()
           << "is a second program of rank " << rank.getInt();
  comm::LoopBeginOp segment;
  int64_t depth = 0;
  for (Operation &op : func.getBody().front()) {
    if (auto begin = dyn_cast<comm::LoopBeginOp>(op)) {
      if (depth++ == 0 && op.hasAttr(kStageAttr)) {
        segment = begin;
        stages = std::max(
            stages, op.getAttrOfType<IntegerAttr>(kStageAttr).getInt() + 1);
      }
    } else if (isa<comm::LoopEndOp>(op)) {
      if (--depth == 0)
        segment = nullptr;
    } else if (isa<comm::SendOp, comm::RecvOp>(op)) {
      if (failed(addEnd(&op, rank.getInt(), segment)))
        return failure();
    }
  }
  return success();
}

LogicalResult StageVerifier::checkChannels() {
  for (auto &[number, channel] : channels) {
    const ChannelEnd &send = channel.send, &receive = channel.receive;
    if (!send.op || !receive.op)
      return (send.op ? send.op : receive.op)->emitOpError()
             << "has nobody at the other end of channel " << number;
    if (send.peer != receive.rank || receive.peer != send.rank)
      return send.op->emitOpError()
             << "goes from rank " << send.rank << " to rank " << send.peer
             << ", and channel " << number << " is received on rank "
             << receive.rank << " from rank " << receive.peer;
    if (send.types != receive.types)
      return send.op->emitOpError()
             << "sends other types than channel " << number << " receives";
    if ((send.stage < 0) != (receive.stage < 0))
      return send.op->emitOpError() << "and the receiver of channel " << number
                                    << " do not run equally often";
    if (send.stage >= 0 && send.place(stages) >= receive.place(stages))
      return send.op->emitOpError()
             << "is in segment " << send.part << " of stage " << send.stage
             << ", which does not come before the one that receives channel "
             << number << ", " << receive.part << " of stage " << receive.stage;
  }
  return success();
}

/// An argument or result by its number in the whole program and its first row
/// there, -1 for all of it.
using Piece = std::pair<int64_t, int64_t>;

static Piece pieceOf(IntegerAttr number, IntegerAttr firstRow) {
  return {number ? number.getInt() : -1, firstRow ? firstRow.getInt() : -1};
}

static Piece argumentPiece(func::FuncOp func, unsigned i) {
  return pieceOf(func.getArgAttrOfType<IntegerAttr>(i, kArgumentNumberAttr),
                 func.getArgAttrOfType<IntegerAttr>(i, kFirstRowAttr));
}

static Piece resultPiece(func::FuncOp func, unsigned i) {
  return pieceOf(func.getResultAttrOfType<IntegerAttr>(i, kResultNumberAttr),
                 func.getResultAttrOfType<IntegerAttr>(i, kFirstRowAttr));
}

/// Whoever has an argument gets its next value, and of a part the same rows.
LogicalResult StageVerifier::checkNextValues() {
  llvm::DenseMap<Piece, Piece> nextOf;
  for (auto &[rank, func] : ranks)
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      Piece argument = argumentPiece(func, i), next{-1, -1};
      if (argument.first < 0)
        return func.emitOpError() << "does not say which argument of the whole "
                                     "program its argument "
                                  << i << " is";
      if (std::optional<unsigned> result = nextResultOf(func, i)) {
        next = resultPiece(func, *result);
        if (next.second != argument.second ||
            func.getResultTypes()[*result] != func.getArgument(i).getType())
          return func.emitOpError()
                 << "has other rows of argument " << argument.first
                 << " of the whole program than of its next value";
      }
      auto [known, isNew] = nextOf.insert({argument, next});
      if (!isNew && known->second != next)
        return func.emitOpError()
               << "has argument " << argument.first
               << " of the whole program, as another rank has, and not its "
                  "next value";
    }
  return success();
}

/// Every result is somewhere, all rows of it.
LogicalResult StageVerifier::checkResults() {
  std::map<int64_t, std::map<int64_t, int64_t>> ends; // by number, first row
  int64_t count = 0;
  for (auto &[rank, func] : ranks) {
    if (auto all = func->getAttrOfType<IntegerAttr>(kResultCountAttr))
      count = all.getInt();
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      auto [number, first] = resultPiece(func, i);
      auto type = dyn_cast<RankedTensorType>(func.getResultTypes()[i]);
      bool isPart = first >= 0 && type && type.getRank() > 0;
      ends[number][first] = isPart ? first + type.getDimSize(0) : -1;
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!ends.count(i))
      return module.emitError() << "no rank has result " << i;
    int64_t row = 0;
    for (auto [first, end] : ends[i]) {
      if (end >= 0 && first != row)
        return module.emitError() << "parts of result " << i
                                  << " do not follow each other at row " << row;
      row = end;
    }
  }
  return success();
}

LogicalResult StageVerifier::run() {
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && failed(readRank(func)))
      return failure();
  for (int64_t rank = 0; rank < int64_t(ranks.size()); ++rank)
    if (!ranks.contains(rank))
      return module.emitError() << "has programs of " << ranks.size()
                                << " ranks, and none of rank " << rank;
  if (failed(checkChannels()))
    return failure();
  if (failed(checkNextValues()))
    return failure();
  return checkResults();
}

struct VerifyStagesPass : partopt::impl::VerifyStagesBase<VerifyStagesPass> {
  void runOnOperation() override {
    if (failed(StageVerifier(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
