//===- ReportMemory.cpp - Memory in the report ----------------------------===//
//
// See ReportMemory.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/run/ReportMemory.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Plan/Segments.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace partopt::rt {

using Json = nlohmann::ordered_json;

/// By class: its own peak, and its share when all together are most.
static Json classesJson(const plan::MemoryCount &count) {
  Json classes = Json::object();
  for (size_t i = 0; i < plan::numMemoryClasses; ++i)
    classes[plan::memoryClassName(static_cast<plan::MemoryClass>(i))] = {
        {"peak", count.peak[i]}, {"at_peak", count.atPeak[i]}};
  return classes;
}

static uint64_t sum(const plan::ClassBytes &bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t(0));
}

/// Of all stages of a rank.
static uint64_t stashBytes(const plan::PlanT &plan,
                           const plan::ProgramT &program) {
  std::vector<plan::Segment> segments = plan::segmentsOf(plan, program);
  std::set<int> stages;
  for (const plan::Segment &segment : segments)
    if (segment.stage >= 0)
      stages.insert(segment.stage);
  uint64_t bytes = 0;
  for (int stage : stages)
    bytes += plan::stashOf(program, segments, stage).bytes;
  return bytes;
}

Json memoryJson(const plan::PlanT &plan, size_t entry) {
  Json peaks = Json::array();
  uint64_t arguments = 0, temporaries = 0, gathered = 0, alignment = 0;
  uint64_t stash = 0;
  plan::MemoryCount largest;
  for (const auto &rankClass : plan.classes) {
    const plan::ProgramT *program = plan::programOf(*rankClass, entry);
    if (!program)
      continue;
    peaks.push_back(program->peak_bytes);
    arguments = std::max(arguments, program->resident_bytes);
    temporaries =
        std::max(temporaries, program->peak_bytes - program->resident_bytes);
    stash = std::max(stash, stashBytes(plan, *program));
    plan::MemoryCount count = plan::countMemory(*program);
    gathered = std::max(
        gathered, count.peak[static_cast<size_t>(plan::MemoryClass::Gathered)]);
    if (count.most < largest.most)
      continue;
    largest = count;
    alignment = program->peak_bytes - sum(count.atPeak);
  }
  return {{"peak_bytes_per_device", peaks},
          {"arguments", arguments},
          {"temporaries", temporaries},
          {"gathered_units", gathered},
          {"classes", classesJson(largest)},
          {"alignment", alignment},
          {"stash", stash}};
}

Json measuredMemory(const SessionStats &stats) {
  plan::MemoryCount largest;
  uint64_t allocated = 0;
  for (size_t rank = 0; rank < stats.memory.size(); ++rank)
    for (const plan::MemoryCount &count : stats.memory[rank])
      if (count.most > largest.most) {
        largest = count;
        allocated = stats.residentBytes[rank] + stats.arenaBytes[rank];
      }
  return {{"classes", classesJson(largest)},
          {"alignment", allocated - sum(largest.atPeak)}};
}

} // namespace partopt::rt
