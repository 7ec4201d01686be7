// See SerializePipeline.h.

#include "SerializePipeline.h"

using namespace mlir;

namespace partopt {

std::vector<uint16_t> rankClasses(const plan::PlanT &plan,
                                  planir::ProgramOp program) {
  std::vector<uint16_t> classes(plan.devices, 0);
  auto axis = program.getPipelineAxis();
  if (!axis)
    return classes;
  uint32_t inner = 1, size = 1;
  bool found = false;
  for (const auto &each : plan.mesh) {
    if (each->kind != plan::AxisKind::Space)
      continue;
    if (found)
      inner *= each->size;
    if (each->name != *axis)
      continue;
    found = true;
    size = each->size;
  }
  for (uint32_t place = 0; place < plan.devices; ++place) {
    uint32_t rank = plan.device_ids.empty() ? place : plan.device_ids[place];
    classes[rank] = uint16_t(place / inner % size);
  }
  return classes;
}

int32_t lossResultOf(ModuleOp module) {
  for (auto program : module.getOps<planir::ProgramOp>())
    if (auto loss = program.getLossResult()) {
      int32_t number = -1;
      auto tensor = cast<planir::TensorAttr>(program.getResults()[*loss]);
      tensor.getIndex().getValue().drop_front(3).getAsInteger(10, number);
      return number;
    }
  return -1;
}

std::unique_ptr<plan::InterleaveT> turnsOf(planir::ProgramOp op,
                                           const plan::ProgramT &program) {
  auto list = op.getTurns();
  if (!list || list->empty())
    return nullptr;
  std::vector<std::pair<uint32_t, uint32_t>> bounds; // by loop
  for (size_t i = 0; i < program.instructions.size(); ++i)
    if (const auto *begin = program.instructions[i]->op.AsLoopBegin())
      bounds.push_back({uint32_t(i), begin->end});
  auto turns = std::make_unique<plan::InterleaveT>();
  turns->first = UINT32_MAX;
  for (size_t i = 0; i + 1 < list->size(); i += 2) {
    auto loop = uint32_t((*list)[i]);
    turns->turns.push_back(plan::Turn(loop, uint32_t((*list)[i + 1])));
    if (loop >= bounds.size())
      continue; // the verifier says so
    turns->first = std::min(turns->first, bounds[loop].first);
    turns->last = std::max(turns->last, bounds[loop].second);
  }
  return turns;
}

LogicalResult numberValues(MutableArrayRef<WrittenProgram> programs) {
  ValueNumbering::Channels channels;
  for (WrittenProgram &one : programs)
    one.values.channels = &channels;
  bool moves = true;
  while (moves) {
    moves = false;
    for (WrittenProgram &one : programs)
      for (; one.numbered < one.ops.size(); ++one.numbered) {
        const plan::InstructionT &what =
            *one.program->instructions[one.numbered];
        const auto *start = what.op.AsCollectiveStart();
        if (start && start->kind == plan::CollectiveKind::Recv &&
            channels.count(start->id) == 0)
          break;
        if (failed(one.values.number(one.ops[one.numbered], what)))
          return failure();
        moves = true;
      }
  }
  for (WrittenProgram &one : programs) {
    if (one.numbered < one.ops.size())
      return one.ops[one.numbered]->emitOpError(
          "receives what no program sends before it depends on it");
    auto ret = cast<planir::ReturnOp>(one.op.getBody().front().getTerminator());
    if (failed(one.values.numberResults(ret, *one.program)))
      return failure();
  }
  return success();
}

} // namespace partopt
