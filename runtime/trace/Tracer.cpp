//===- Tracer.cpp - What ran when -----------------------------------------===//
//
// Writes the lanes as Chrome trace events: a process per rank, a thread per
// lane, times in microseconds.
//
//===----------------------------------------------------------------------===//

#include "runtime/trace/Tracer.h"

#include "partopt/Plan/PlanText.h"
#include "runtime/base/OutputFile.h"

#include <nlohmann/json.hpp>

namespace partopt::rt {

using nlohmann::json;

static json metadata(uint32_t rank, unsigned lane, const char *what,
                     const std::string &name) {
  return {{"ph", "M"},
          {"pid", rank},
          {"tid", lane},
          {"name", what},
          {"args", {{"name", name}}}};
}

Status Tracer::write(const std::string &path, const plan::PlanT &plan) const {
  json events = json::array();
  unsigned width = streams + 1u;
  for (size_t i = 0; i < lanes.size(); ++i) {
    auto rank = static_cast<uint32_t>(i / width);
    auto lane = static_cast<unsigned>(i % width);
    if (lane == 0)
      events.push_back(
          metadata(rank, lane, "process_name", "rank " + std::to_string(rank)));
    events.push_back(metadata(
        rank, lane, "thread_name",
        lane == 0 ? "compute" : "communication " + std::to_string(lane - 1)));
    for (const Event &event : lanes[i]) {
      auto microseconds = [&](Clock::time_point when) {
        return std::chrono::duration<double, std::micro>(when - origin).count();
      };
      const plan::InstructionT &source = *event.instruction;
      json args = {{"instruction", event.place.index},
                   {"step", event.place.step},
                   {"phase", plan::phaseName(source.phase)}};
      if (source.loc < plan.locations.size())
        args["loc"] = plan.locations[source.loc];
      if (event.place.bytes > 0)
        args["bytes"] = event.place.bytes;
      if (event.place.turn != plan::WalkStep::none) {
        args["turn"] = event.place.turn;
        args["iteration"] = event.place.slot;
      }
      if (const auto *start = source.op.AsCollectiveStart())
        args["why"] = start->why;
      events.push_back(
          {{"ph", "X"},
           {"pid", rank},
           {"tid", lane},
           {"name", plan::instructionName(source)},
           {"cat", plan::EnumNameOp(source.op.type)},
           {"ts", microseconds(event.begin)},
           {"dur", microseconds(event.end) - microseconds(event.begin)},
           {"args", args}});
    }
  }
  json document = {{"displayTimeUnit", "ms"}, {"traceEvents", events}};
  return writeTextFile(
      path, document.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace partopt::rt
