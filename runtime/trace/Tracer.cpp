//===- Tracer.cpp - What ran when -----------------------------------------===//
//
// Writes the lanes as Chrome trace events: a process per rank, a thread per
// lane, times in microseconds. Turns of a pipeline are events around those of
// their instructions.
//
//===----------------------------------------------------------------------===//

#include "runtime/trace/Tracer.h"

#include "partopt/Plan/PlanText.h"
#include "partopt/Plan/Segments.h"
#include "runtime/base/OutputFile.h"

#include <map>
#include <nlohmann/json.hpp>

namespace partopt::rt {

using nlohmann::json;

namespace {

class TraceWriter {
public:
  TraceWriter(const plan::PlanT &plan, Tracer::Clock::time_point origin)
      : plan(plan), origin(origin) {}

  void nameLane(uint32_t rank, unsigned lane);
  void add(uint32_t rank, unsigned lane,
           const std::vector<TracedEvent> &recorded);
  json take() { return std::move(events); }

private:
  void addTurn(uint32_t rank, const std::vector<TracedEvent> &recorded,
               size_t first);
  const plan::ProgramT *programOf(uint32_t rank,
                                  const TracedEvent &event) const;
  json instructionArgs(const TracedEvent &event) const;
  void addMetadata(uint32_t rank, unsigned lane, const char *what,
                   const std::string &name);
  void addInterval(uint32_t rank, unsigned lane, const std::string &name,
                   const std::string &category, Tracer::Clock::time_point begin,
                   Tracer::Clock::time_point end, json args);

  const plan::PlanT &plan;
  Tracer::Clock::time_point origin;
  json events = json::array();
  std::map<const plan::ProgramT *, std::vector<plan::Segment>> segments;
};

} // namespace

void TraceWriter::addMetadata(uint32_t rank, unsigned lane, const char *what,
                              const std::string &name) {
  events.push_back({{"ph", "M"},
                    {"pid", rank},
                    {"tid", lane},
                    {"name", what},
                    {"args", {{"name", name}}}});
}

void TraceWriter::nameLane(uint32_t rank, unsigned lane) {
  if (lane == 0)
    addMetadata(rank, lane, "process_name", "rank " + std::to_string(rank));
  addMetadata(rank, lane, "thread_name",
              lane == 0 ? "compute"
                        : "communication " + std::to_string(lane - 1));
}

void TraceWriter::addInterval(uint32_t rank, unsigned lane,
                              const std::string &name,
                              const std::string &category,
                              Tracer::Clock::time_point begin,
                              Tracer::Clock::time_point end, json args) {
  auto microseconds = [&](Tracer::Clock::time_point when) {
    return std::chrono::duration<double, std::micro>(when - origin).count();
  };
  events.push_back({{"ph", "X"},
                    {"pid", rank},
                    {"tid", lane},
                    {"name", name},
                    {"cat", category},
                    {"ts", microseconds(begin)},
                    {"dur", microseconds(end) - microseconds(begin)},
                    {"args", std::move(args)}});
}

json TraceWriter::instructionArgs(const TracedEvent &event) const {
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
  return args;
}

/// That of the entry whose instruction it is.
const plan::ProgramT *TraceWriter::programOf(uint32_t rank,
                                             const TracedEvent &event) const {
  uint32_t index = event.place.index;
  for (const auto &program : plan.classes[plan.rank_class[rank]]->programs)
    if (index < program->instructions.size() &&
        program->instructions[index].get() == event.instruction)
      return program.get();
  return nullptr;
}

/// What of a turn is not its waiting and its counting.
static bool computes(const TracedEvent &event) {
  plan::Op op = event.instruction->op.type;
  return op == plan::Op::Launch || op == plan::Op::Gemm || op == plan::Op::Copy;
}

/// From the event that is the first of its turn to compute, so that what the
/// turn has waited for before is seen beside it, to the turn's last one.
void TraceWriter::addTurn(uint32_t rank,
                          const std::vector<TracedEvent> &recorded,
                          size_t first) {
  const TracedPlace &place = recorded[first].place;
  const plan::ProgramT *program = programOf(rank, recorded[first]);
  if (!program)
    return;
  auto [known, isNew] = segments.try_emplace(program);
  if (isNew)
    known->second = plan::segmentsOf(plan, *program);
  size_t last = first;
  while (last + 1 < recorded.size() && recorded[last + 1].place.sameTurn(place))
    ++last;
  addInterval(
      rank, 0, plan::actionText(*program, known->second, place.turn), "Segment",
      recorded[first].begin, recorded[last].end,
      {{"step", place.step}, {"turn", place.turn}, {"microbatch", place.slot}});
}

void TraceWriter::add(uint32_t rank, unsigned lane,
                      const std::vector<TracedEvent> &recorded) {
  TracedPlace open; // of the turn that was added last
  for (size_t i = 0; i < recorded.size(); ++i) {
    const TracedEvent &event = recorded[i];
    bool isInTurn = lane == 0 && event.place.turn != plan::WalkStep::none;
    if (isInTurn && computes(event) && !event.place.sameTurn(open)) {
      addTurn(rank, recorded, i);
      open = event.place;
    }
    addInterval(rank, lane, plan::instructionName(*event.instruction),
                plan::EnumNameOp(event.instruction->op.type), event.begin,
                event.end, instructionArgs(event));
  }
}

Status Tracer::write(const std::string &path, const plan::PlanT &plan) const {
  TraceWriter writer(plan, origin);
  unsigned width = streams + 1u;
  for (size_t i = 0; i < lanes.size(); ++i) {
    auto rank = static_cast<uint32_t>(i / width);
    auto lane = static_cast<unsigned>(i % width);
    writer.nameLane(rank, lane);
    writer.add(rank, lane, lanes[i]);
  }
  json document = {{"displayTimeUnit", "ms"}, {"traceEvents", writer.take()}};
  return writeTextFile(
      path, document.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace partopt::rt
