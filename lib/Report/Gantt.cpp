//===- Gantt.cpp - Who does what when -------------------------------------===//
//
// A lane of each class of ranks for what it computes, where gaps are waiting,
// and thin ones for the streams of its communication.
//
//===----------------------------------------------------------------------===//

#include "Activity.h"
#include "Html.h"
#include "Page.h"

#include "partopt/Plan/CollectiveBytes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/PlanText.h"
#include "partopt/Plan/Segments.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace partopt::report {

using simulate::Interval;

namespace {

constexpr double laneHeight = 20, streamHeight = 6, gap = 2, classGap = 10;
constexpr size_t shownStreams = 8;

/// What is drawn as one rectangle.
struct Box {
  double start, end;
  std::string css, label, title;
  size_t count = 1; ///< of things that are drawn together

  Box(double start, double end, std::string css)
      : start(start), end(end), css(std::move(css)) {}
};

/// Boxes one behind the other; neighbours that are narrower than a pixel become
/// one.
class Lane {
public:
  Lane(const Page &page, std::string what, std::string mixed)
      : page(page), what(std::move(what)), mixed(std::move(mixed)) {}

  void add(Box box);
  std::string svg(double y, double height) const;

private:
  bool joins(const Box &last, const Box &next) const;

  const Page &page;
  std::string what;  ///< plural, of what is drawn together
  std::string mixed; ///< the css of several kinds together
  std::vector<Box> boxes;
};

/// The lanes of one class.
class ClassLanes {
public:
  ClassLanes(const Page &page, size_t classIndex)
      : page(page), program(page.program(classIndex)),
        timeline(page.timelines[classIndex]), activities(page.plan, program),
        segments(plan::segmentsOf(page.plan, program)), classIndex(classIndex) {
  }

  /// Draws them below `y`, which moves on.
  std::string svg(double &y);

private:
  const plan::InstructionT *instructionOf(const Interval &step) const;
  std::string timesText(double start, double end) const;
  std::string source(const plan::InstructionT *instruction) const;
  Box workBox(const Interval &step) const;
  Box waitBox(const Interval &step) const;
  Box turnBox(uint32_t turn, double start, double end) const;
  Box transferBox(const Interval &transfer) const;
  void addTurns(Lane &lane) const;
  void addWork(Lane &lane) const;
  void addWaits(Lane &lane) const;
  std::string streams(double &y) const;

  const Page &page;
  const plan::ProgramT &program;
  const simulate::Timeline &timeline;
  Activities activities;
  std::vector<plan::Segment> segments;
  size_t classIndex;
};

} // namespace

/// Things of one kind as far as they reach; of several kinds within a pixel.
bool Lane::joins(const Box &last, const Box &next) const {
  double pixel = page.step / chartWidth;
  bool isNarrow =
      next.end - next.start < pixel && next.start - last.end < pixel;
  bool isSame = last.css == next.css && last.count > 1;
  return isNarrow && (isSame || last.end - last.start < pixel);
}

void Lane::add(Box box) {
  if (boxes.empty() || !joins(boxes.back(), box)) {
    boxes.push_back(std::move(box));
    return;
  }
  Box &last = boxes.back();
  last.end = std::max(last.end, box.end);
  ++last.count;
  if (last.css != box.css)
    last.css = mixed;
}

std::string Lane::svg(double y, double height) const {
  constexpr double characterWidth = 7;
  std::string text;
  for (const Box &box : boxes) {
    double x = page.x(box.start), width = page.x(box.end) - x;
    std::string title = box.title, attributes;
    if (box.count > 1) {
      title = std::to_string(box.count) + " " + what + ", from " + title;
      attributes = "data-count=\"" + std::to_string(box.count) + "\"";
    }
    text += rectangle(x, y, std::max(width, 0.5), height, box.css, title,
                      attributes);
    if (box.count == 1 &&
        width > characterWidth * static_cast<double>(box.label.size()) &&
        !box.label.empty())
      text += svgText(x + 2, y + height - 6, "in", box.label);
  }
  return text;
}

const plan::InstructionT *
ClassLanes::instructionOf(const Interval &step) const {
  return step.instruction < program.instructions.size()
             ? program.instructions[step.instruction].get()
             : nullptr;
}

std::string ClassLanes::timesText(double start, double end) const {
  return "starts at " + plan::secondsText(start) + ", takes " +
         plan::secondsText(end - start);
}

std::string ClassLanes::source(const plan::InstructionT *instruction) const {
  return instruction && instruction->loc > 0
             ? "\n" + plan::locationText(page.plan, instruction->loc)
             : "";
}

Box ClassLanes::workBox(const Interval &step) const {
  const plan::InstructionT *instruction = instructionOf(step);
  Box box(step.start, step.end, "unspecified");
  if (!instruction) {
    box.title = "results into the arguments that they take";
  } else if (activities.of(step) == Activity::Iterations) {
    box.css = "iterations";
    uint32_t begin = instruction->op.AsLoopEnd()->begin;
    uint32_t trips = program.instructions[begin]->op.AsLoopBegin()->trips;
    box.title = "iterations 2 to " + std::to_string(trips) + " of a loop";
    instruction = program.instructions[begin].get();
  } else {
    box.css = plan::phaseName(instruction->phase);
    box.title = plan::instructionName(*instruction) + ", " + box.css;
  }
  box.title += ": " + timesText(step.start, step.end) + source(instruction);
  return box;
}

Box ClassLanes::waitBox(const Interval &step) const {
  const plan::InstructionT *start = activities.collective(step.instruction);
  const auto &op = *start->op.AsCollectiveStart();
  bool isMessage = op.kind == plan::CollectiveKind::Recv;
  Box box(step.start, step.end, isMessage ? "idle" : "wait");
  box.title = std::string(isMessage ? "idle" : "waits") + " for " +
              plan::collectiveName(op.kind) + " over " +
              page.mesh.axesText(op.axes) + ": " +
              timesText(step.start, step.end) + source(start);
  return box;
}

Box ClassLanes::turnBox(uint32_t turn, double start, double end) const {
  const plan::Turn &of = program.turns->turns[turn];
  Box box(start, end, "segment");
  box.label = plan::actionText(program, segments, turn);
  for (const plan::Segment &segment : segments)
    if (segment.loop == of.loop()) {
      if (segment.stage >= 0)
        box.css += std::string(" ") + segment.action;
      box.title = box.label + ", microbatch " + std::to_string(of.iteration()) +
                  ": " + timesText(start, end);
      if (segment.location > 0)
        box.title += "\n" + plan::locationText(page.plan, segment.location);
    }
  return box;
}

/// A turn is drawn from the first to the last thing that it computes.
void ClassLanes::addTurns(Lane &lane) const {
  const std::vector<Interval> &steps = timeline.steps;
  for (size_t i = 0; i < steps.size();) {
    uint32_t turn = steps[i].turn;
    double start = steps[i].start, end = steps[i].end;
    bool computes = false;
    for (; i < steps.size() && steps[i].turn == turn; ++i) {
      Activity activity = activities.of(steps[i]);
      if (steps[i].seconds() == 0 || activity == Activity::Wait ||
          activity == Activity::Idle)
        continue;
      if (!computes)
        start = steps[i].start;
      end = steps[i].end;
      computes = true;
    }
    if (turn != plan::WalkStep::none)
      lane.add(turnBox(turn, start, std::max(start, end)));
  }
}

void ClassLanes::addWork(Lane &lane) const {
  for (const Interval &step : timeline.steps) {
    Activity activity = activities.of(step);
    if (step.turn == plan::WalkStep::none && step.seconds() > 0 &&
        activity != Activity::Wait && activity != Activity::Idle)
      lane.add(workBox(step));
  }
}

void ClassLanes::addWaits(Lane &lane) const {
  for (const Interval &step : timeline.steps) {
    Activity activity = activities.of(step);
    if (step.seconds() > 0 &&
        (activity == Activity::Wait || activity == Activity::Idle))
      lane.add(waitBox(step));
  }
}

Box ClassLanes::transferBox(const Interval &transfer) const {
  const plan::InstructionT &start = *instructionOf(transfer);
  const auto &op = *start.op.AsCollectiveStart();
  bool isMessage = op.kind == plan::CollectiveKind::Send ||
                   op.kind == plan::CollectiveKind::Recv;
  Box box(transfer.start, transfer.end, isMessage ? "message" : "collective");
  box.title = std::string(plan::collectiveName(op.kind)) + " over " +
              page.mesh.axesText(op.axes);
  if (transfer.turn != plan::WalkStep::none)
    box.title += " of " + plan::actionText(program, segments, transfer.turn);
  uint64_t bytes = plan::payloadBytes(op, page.mesh.groupSize(op.axes));
  box.title += ", " + bytesText(bytes) + ": " +
               timesText(transfer.start, transfer.end) + source(&start) +
               (op.why.empty() ? "" : "\n" + op.why);
  return box;
}

std::string ClassLanes::streams(double &y) const {
  std::map<uint16_t, std::vector<const Interval *>> byStream;
  for (const Interval &transfer : timeline.transfers)
    byStream[instructionOf(transfer)->op.AsCollectiveStart()->stream].push_back(
        &transfer);
  std::string text;
  size_t shown = 0;
  for (auto &[stream, transfers] : byStream) {
    if (++shown > shownStreams)
      break;
    std::sort(transfers.begin(), transfers.end(),
              [](const Interval *a, const Interval *b) {
                return std::tie(a->start, a->end, a->turn, a->instruction) <
                       std::tie(b->start, b->end, b->turn, b->instruction);
              });
    Lane lane(page, "transfers", "collective");
    for (const Interval *transfer : transfers)
      lane.add(transferBox(*transfer));
    text += rectangle(nameWidth, y, chartWidth, streamHeight, "stream",
                      "stream " + std::to_string(stream)) +
            lane.svg(y, streamHeight);
    y += streamHeight + gap;
  }
  if (byStream.size() > shownStreams) {
    y += 10;
    text += svgText(nameWidth, y, "note",
                    "and " + std::to_string(byStream.size() - shownStreams) +
                        " more streams");
    y += gap;
  }
  return text;
}

std::string ClassLanes::svg(double &y) {
  std::string text =
      svgText(0, y + laneHeight - 6, "name", page.ranks(classIndex));
  text += rectangle(nameWidth, y, chartWidth, laneHeight, "lane",
                    page.plan.classes[classIndex]->name);
  Lane turns(page, "turns", "segment");
  Lane work(page, "kernels", "unspecified"), waits(page, "waits", "wait");
  addTurns(turns);
  addWork(work);
  addWaits(waits);
  text += turns.svg(y, laneHeight) + work.svg(y, laneHeight) +
          waits.svg(y + 2, laneHeight - 4);
  y += laneHeight + gap;
  text += streams(y);
  y += classGap;
  return "<g class=\"rank\" data-class=\"" + std::to_string(classIndex) +
         "\">\n" + text + "</g>\n";
}

std::string gantt(const Page &page) {
  std::string lanes;
  double y = 24;
  size_t shown = std::min(page.plan.classes.size(), shownClasses);
  for (size_t i = 0; i < shown; ++i)
    lanes += ClassLanes(page, i).svg(y);
  static const std::pair<const char *, const char *> colours[] = {
      {"segment F", "F"},
      {"segment B", "B, I"},
      {"segment W", "W"},
      {"forward", "forward"},
      {"backward", "backward"},
      {"update", "update"},
      {"iterations", "more iterations"},
      {"idle", "idle: another stage's message"},
      {"wait", "waits for a collective"},
      {"message", "message"},
      {"collective", "collective"}};
  std::string legend = "<p class=\"legend\">";
  for (const auto &[css, text] : colours)
    legend +=
        std::string("<span class=\"key ") + css + "\"></span>" + text + " ";
  return legend + "</p>\n<svg class=\"gantt\" data-seconds=\"" +
         numberText(page.step) + "\" viewBox=\"0 0 " +
         numberText(nameWidth + chartWidth + 10) + " " + numberText(y) +
         "\">\n" + timeAxis(page, y) + lanes + "</svg>\n" +
         moreText(page.plan.classes.size(), shown, "classes of ranks");
}

} // namespace partopt::report
