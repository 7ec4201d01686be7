//===- ScheduleFile.cpp - Orders in PyTorch's schedule files --------------===//
//
// See ScheduleFile.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/PipelineSchedule/ScheduleFile.h"

#include <algorithm>
#include <cctype>

namespace partopt::pipeline {

static constexpr const char *pairWord = "OVERLAP_F_B";

namespace {

/// A part of the text without the blanks around it, and where it stands.
struct Cell {
  std::string text;
  size_t line, column; ///< from 1
};

/// What a single action's text is.
enum class ActionSort { Compute, Dropped, Unknown };

class CsvReader {
public:
  explicit CsvReader(ScheduleFile &file) : file(file) {}

  std::string read(const std::string &text);

private:
  std::string readLine(const std::string &line, size_t number);
  std::string readCell(const Cell &cell, std::vector<Step> &steps);
  std::string readPair(const Cell &cell, std::vector<Step> &steps);
  /// Where the stages are, from where their actions stand.
  std::string place();
  std::string placeTwoWays(const Cell &conflict, const std::string &wrong);

  struct Placed {
    Action action;
    int rank;
    Cell cell;
  };

  ScheduleFile &file;
  std::vector<Placed> actions;
};

} // namespace

static std::string at(const Cell &cell, const std::string &what) {
  return std::to_string(cell.line) + ":" + std::to_string(cell.column) + ": " +
         what;
}

static bool isBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// Without blanks, and without quotes, which CSV allows around any cell.
static Cell trimmed(Cell cell) {
  auto strip = [&](size_t count) {
    cell.text.erase(0, count);
    cell.column += count;
  };
  while (!cell.text.empty() && isBlank(cell.text.front()))
    strip(1);
  while (!cell.text.empty() && isBlank(cell.text.back()))
    cell.text.pop_back();
  if (cell.text.size() >= 2 && cell.text.front() == '"' &&
      cell.text.back() == '"') {
    cell.text.pop_back();
    strip(1);
    return trimmed(cell);
  }
  return cell;
}

static std::vector<Cell> split(const Cell &whole, char separator) {
  std::vector<Cell> parts;
  for (size_t begin = 0; begin <= whole.text.size();) {
    size_t end = std::min(whole.text.find(separator, begin), whole.text.size());
    parts.push_back(trimmed({whole.text.substr(begin, end - begin), whole.line,
                             whole.column + begin}));
    begin = end + 1;
  }
  return parts;
}

/// The digits at the front of `text`, taken off; -1 where there are none, or
/// more than any pipeline has.
static int takeNumber(std::string &text) {
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 8)
    return -1;
  int value = std::stoi(text.substr(0, digits));
  text.erase(0, digits);
  return value;
}

static ActionSort parseAction(std::string text, Action &action) {
  action.stage = takeNumber(text);
  size_t letters = std::min(text.find_first_of("0123456789"), text.size());
  std::string kind = text.substr(0, letters);
  text.erase(0, letters);
  if (action.stage < 0)
    return ActionSort::Unknown;
  bool hasNumber = !text.empty();
  action.microbatch = takeNumber(text);
  if (!text.empty())
    return ActionSort::Unknown;
  static constexpr const char *dropped[] = {"SEND_F",     "RECV_F",  "SEND_B",
                                            "RECV_B",     "UNSHARD", "RESHARD",
                                            "REDUCE_GRAD"};
  for (const char *name : dropped)
    if (kind == name)
      return ActionSort::Dropped;
  static const std::string kinds = "FIWB";
  if (kind.size() != 1 || kinds.find(kind) == std::string::npos || !hasNumber)
    return ActionSort::Unknown;
  action.kind = static_cast<ActionKind>(kinds.find(kind));
  return ActionSort::Compute;
}

static std::string unknownAction(const Cell &cell) {
  return at(cell, "'" + cell.text +
                      "' is no action; actions are a stage, F, I, W or B, and "
                      "a microbatch, as 3F0, and pairs of them, as "
                      "(0F3;3B1)OVERLAP_F_B");
}

std::string CsvReader::readPair(const Cell &cell, std::vector<Step> &steps) {
  size_t close = cell.text.find(')');
  std::string word =
      close == std::string::npos ? "?" : cell.text.substr(close + 1);
  if (!word.empty() && word != pairWord)
    return unknownAction(cell);
  std::vector<Cell> parts =
      split({cell.text.substr(1, close - 1), cell.line, cell.column + 1}, ';');
  if (parts.size() != 2)
    return at(cell, "'" + cell.text + "' has to be two actions");
  Step step;
  step.overlapped.emplace();
  Action *members[] = {&step.action, &*step.overlapped};
  for (size_t i = 0; i < 2; ++i) {
    if (parseAction(parts[i].text, *members[i]) != ActionSort::Compute)
      return unknownAction(parts[i]);
    actions.push_back(
        {*members[i], static_cast<int>(file.schedule.ranks.size()), parts[i]});
  }
  steps.push_back(step);
  return "";
}

std::string CsvReader::readCell(const Cell &cell, std::vector<Step> &steps) {
  if (cell.text.empty())
    return "";
  if (cell.text.front() == '(')
    return readPair(cell, steps);
  Action action;
  switch (parseAction(cell.text, action)) {
  case ActionSort::Unknown:
    return unknownAction(cell);
  case ActionSort::Dropped:
    return "";
  case ActionSort::Compute:
    break;
  }
  actions.push_back(
      {action, static_cast<int>(file.schedule.ranks.size()), cell});
  steps.push_back({action, std::nullopt});
  return "";
}

std::string CsvReader::readLine(const std::string &line, size_t number) {
  std::vector<Step> steps;
  for (const Cell &cell : split({line, number, 1}, ',')) {
    std::string wrong = readCell(cell, steps);
    if (!wrong.empty())
      return wrong;
  }
  file.schedule.ranks.push_back(std::move(steps));
  return "";
}

/// A stage on two ranks is right where microbatches go two ways.
std::string CsvReader::placeTwoWays(const Cell &conflict,
                                    const std::string &wrong) {
  Placement two = Placement::bidirectional(
      static_cast<int>(file.schedule.ranks.size()), file.microbatches);
  if (two.stages() != file.placement.stages())
    return at(conflict, wrong);
  for (const Placed &placed : actions)
    if (two.rank(placed.action.stage, placed.action.microbatch) != placed.rank)
      return at(conflict, wrong);
  file.placement = two;
  return "";
}

std::string CsvReader::place() {
  if (actions.empty())
    return at({"", 1, 1}, "there is no action");
  int stages = 0;
  file.forwardOnly = true;
  for (const Placed &placed : actions) {
    stages = std::max(stages, placed.action.stage + 1);
    file.microbatches =
        std::max(file.microbatches, placed.action.microbatch + 1);
    file.forwardOnly &= placed.action.kind == ActionKind::Forward;
  }
  if (size_t(stages) * size_t(file.microbatches) > actions.size())
    return at(actions.front().cell,
              "the actions are of " + std::to_string(stages) + " stages and " +
                  std::to_string(file.microbatches) +
                  " microbatches, and there are only " +
                  std::to_string(actions.size()) + " of them");
  std::vector<int> ranks(stages, -1);
  const Placed *conflict = nullptr;
  for (const Placed &placed : actions) {
    int &rank = ranks[placed.action.stage];
    if (rank >= 0 && rank != placed.rank && !conflict)
      conflict = &placed;
    if (rank < 0)
      rank = placed.rank;
  }
  auto hole = std::find(ranks.begin(), ranks.end(), -1);
  if (hole != ranks.end())
    return at(actions.front().cell,
              "no rank has stage " + std::to_string(hole - ranks.begin()));
  int count = static_cast<int>(file.schedule.ranks.size());
  file.placement = Placement(count, ranks);
  if (!conflict)
    return "";
  int stage = conflict->action.stage;
  return placeTwoWays(conflict->cell,
                      "stage " + std::to_string(stage) + " is on rank " +
                          std::to_string(ranks[stage]) + " and on rank " +
                          std::to_string(conflict->rank));
}

std::string CsvReader::read(const std::string &text) {
  std::string body = text;
  while (!body.empty() && isBlank(body.back()))
    body.pop_back();
  size_t number = 0;
  for (size_t begin = 0; begin <= body.size();) {
    size_t end = std::min(body.find('\n', begin), body.size());
    std::string wrong = readLine(body.substr(begin, end - begin), ++number);
    if (!wrong.empty())
      return wrong;
    begin = end + 1;
  }
  return place();
}

std::string parseScheduleCsv(const std::string &text, ScheduleFile &file) {
  return CsvReader(file).read(text);
}

std::string scheduleCsv(const Schedule &schedule) {
  std::string text;
  for (const std::vector<Step> &order : schedule.ranks) {
    for (size_t i = 0; i < order.size(); ++i)
      text += (i == 0 ? "" : ",") + stepText(order[i]) +
              (order[i].overlapped ? pairWord : "");
    text += "\n";
  }
  return text;
}

} // namespace partopt::pipeline
