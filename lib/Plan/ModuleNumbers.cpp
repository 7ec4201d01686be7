//===- ModuleNumbers.cpp - Streams and ids of a module's programs ---------===//
//
// All ranks number them alike, whatever programs they run.
//
//===----------------------------------------------------------------------===//

#include "EmitProgram.h"

#include "dialects/Comm/Comm.h"

#include "partopt/Support/StageAttributes.h"

#include <set>

using namespace mlir;
using namespace partopt;

namespace {

/// Who sends from which segment, who receives in which: numbers of loops in
/// their programs, -1 behind them.
struct Way {
  int64_t from = -1, fromLoop = -1, to = -1, toLoop = -1;
  auto key() const { return std::make_tuple(from, to, fromLoop, toLoop); }
};

} // namespace

static std::map<int64_t, Way> waysOfChannels(ModuleOp module) {
  std::map<int64_t, Way> ways;
  for (auto func : module.getOps<func::FuncOp>()) {
    auto rank = func->getAttrOfType<IntegerAttr>(kPipelineRankAttr);
    if (!rank)
      continue;
    int64_t loop = 0, depth = 0;
    for (Operation &op : func.getBody().front()) {
      loop += isa<comm::LoopBeginOp>(op) && depth++ == 0;
      depth -= isa<comm::LoopEndOp>(op);
      int64_t segment = depth > 0 ? loop : -1;
      if (auto send = dyn_cast<comm::SendOp>(op)) {
        Way &way = ways[int64_t(send.getChannel())];
        std::tie(way.from, way.fromLoop) = std::pair(rank.getInt(), segment);
      } else if (auto receive = dyn_cast<comm::RecvOp>(op)) {
        Way &way = ways[int64_t(receive.getChannel())];
        std::tie(way.to, way.toLoop) = std::pair(rank.getInt(), segment);
      }
    }
  }
  return ways;
}

ModuleNumbers::ModuleNumbers(ModuleOp module) {
  module.walk([&](comm::CollectiveOpInterface op) {
    ofAxes.insert({op.getAxes(), int64_t(ofAxes.size())});
  });
  streams = int64_t(ofAxes.size());
  // The first stream that neither rank uses for another way.
  std::map<int64_t, std::set<int64_t>> taken; // by rank
  std::map<decltype(Way().key()), int64_t> streamOf;
  for (const auto &[channel, way] : waysOfChannels(module)) {
    channels = std::max(channels, channel + 1);
    auto [known, isNew] =
        streamOf.try_emplace(way.key(), int64_t(ofAxes.size()));
    int64_t &stream = known->second;
    while (isNew &&
           (taken[way.from].count(stream) || taken[way.to].count(stream)))
      ++stream;
    taken[way.from].insert(stream);
    taken[way.to].insert(stream);
    ofChannel[channel] = stream;
    streams = std::max(streams, stream + 1);
  }
}
