//===- BenchSchedule.cpp - partopt bench schedule -------------------------===//
//
// A pipeline schedule by name, from a file, or made for the times: proven,
// timed, and shown as a table, as JSON, or as a file for PyTorch.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "partopt/Support/CompileOptions.h"

#include "partopt/PipelineSchedule/LowerBound.h"
#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/PipelineSchedule/ScheduleFile.h"
#include "partopt/PipelineSchedule/SimulateSchedule.h"
#include "partopt/PipelineSchedule/Synthesis.h"
#include "partopt/PipelineSchedule/VerifySchedule.h"
#include "partopt/Simulate/Quantities.h"

#include "runtime/base/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace partopt;
using namespace partopt::driver;
using namespace partopt::pipeline;
using Json = nlohmann::ordered_json;

namespace {

/// What is shown: an order, what it is for, and what no order can beat.
struct Subject {
  std::string name;
  Problem problem;
  Schedule schedule;
  double lowerBound = 0;
};

/// Reads the options into a subject.
class ScheduleRequest {
public:
  explicit ScheduleRequest(const OptionSet &options) : options(options) {}

  llvm::Error read();
  llvm::Expected<Subject> make() const;

  /// Times as given count in units of 1 / scale, so that decimal fractions are
  /// whole numbers, and their sums exact.
  double scale = 1;

private:
  llvm::Error readTimes();
  llvm::Error readCounts();
  /// The parts of the problem that do not depend on the order.
  llvm::Error complete(Problem &problem) const;
  llvm::Expected<Subject> makeNamed() const;
  llvm::Expected<Subject> makeAuto() const;
  llvm::Expected<Subject> readFile() const;

  const OptionSet &options;
  ScheduleShape shape;
  std::optional<int> cap;
  std::vector<StageTimes> times;
  double latency = 0;
};

} // namespace

static llvm::Expected<int> count(const OptionSet &options, llvm::StringRef name,
                                 int otherwise, int least) {
  llvm::Expected<uint64_t> value = options.getCount(name, otherwise, least);
  if (!value)
    return value.takeError();
  constexpr uint64_t most = 1 << 20;
  if (*value > most)
    return userError("option '-" + llvm::Twine(name.size() > 1 ? "-" : "") +
                     name + "' takes at most " + llvm::Twine(most) + ", not " +
                     llvm::Twine(*value));
  return static_cast<int>(*value);
}

/// The least power of ten that makes whole numbers of all of them, up to 1e6.
static double decimalScale(const std::vector<double> &values) {
  for (double scale = 1; scale < 1e7; scale *= 10)
    if (llvm::all_of(values, [&](double value) {
          double scaled = value * scale;
          return scaled < 1e12 &&
                 std::abs(scaled - std::round(scaled)) <= 1e-12 * scaled;
        }))
      return scale;
  return 1;
}

llvm::Error ScheduleRequest::readTimes() {
  llvm::Expected<double> given = options.getNumber("latency", 0);
  if (!given)
    return given.takeError();
  latency = *given;
  std::string text = options.get("times", "1,1,1");
  std::vector<double> values = {latency};
  for (const std::string &stage : simulate::splitText(text, ';')) {
    std::vector<std::string> parts = simulate::splitText(stage, ',');
    double numbers[3] = {};
    bool isRight = parts.size() == 3;
    for (size_t i = 0; isRight && i < 3; ++i)
      isRight = !llvm::StringRef(parts[i]).getAsDouble(numbers[i]) &&
                std::isfinite(numbers[i]) && numbers[i] >= 0;
    if (!isRight)
      return userError("option '--times' takes three numbers that are not "
                       "negative, F,B,W, or as many for each stage between "
                       "semicolons, not '" +
                       stage + "'");
    times.push_back({numbers[0], numbers[1], numbers[2]});
    values.insert(values.end(), std::begin(numbers), std::end(numbers));
  }
  scale = decimalScale(values);
  auto whole = [&](double &value) {
    if (scale > 1)
      value = std::round(value * scale);
  };
  whole(latency);
  for (StageTimes &time : times) {
    whole(time.forward);
    whole(time.inputGrad);
    whole(time.weightGrad);
  }
  return llvm::Error::success();
}

llvm::Error ScheduleRequest::readCounts() {
  auto read = [&](llvm::StringRef name, int least,
                  auto &target) -> llvm::Error {
    if (!options.has(name))
      return llvm::Error::success();
    llvm::Expected<int> value = count(options, name, 1, least);
    if (!value)
      return value.takeError();
    target = *value;
    return llvm::Error::success();
  };
  if (llvm::Error error = read("p", 1, shape.ranks))
    return error;
  if (llvm::Error error = read("m", 1, shape.microbatches))
    return error;
  if (llvm::Error error = read("v", 1, shape.chunks))
    return error;
  if (llvm::Error error = read("group-size", 1, shape.groupSize))
    return error;
  if (llvm::Error error = read("extra-warmup", 0, shape.extraWarmup))
    return error;
  return read("cap", 0, cap);
}

llvm::Error ScheduleRequest::read() {
  if (!options.has("schedule"))
    return userError("no schedule given: --schedule and a name; see partopt "
                     "bench schedule --help");
  if (llvm::Error error = readTimes())
    return error;
  if (llvm::Error error = readCounts())
    return error;
  // An order is as long as it has actions, and all of it is held.
  constexpr int64_t most = 20'000'000;
  int64_t chunks = int64_t(shape.ranks) * shape.chunks.value_or(2);
  if (chunks * shape.microbatches > most)
    return userError("-p " + llvm::Twine(shape.ranks) + " and -m " +
                     llvm::Twine(shape.microbatches) +
                     " are more than 20 million chunks to order");
  return llvm::Error::success();
}

llvm::Error ScheduleRequest::complete(Problem &problem) const {
  size_t stages = problem.placement.stages();
  if (times.size() != 1 && times.size() != stages)
    return userError("option '--times' gives the times of " +
                     llvm::Twine(times.size()) + " stages, and there are " +
                     llvm::Twine(stages));
  problem.times = times;
  problem.times.resize(stages, times.front());
  problem.latency = latency;
  problem.memoryCap = cap;
  return llvm::Error::success();
}

llvm::Expected<Subject> ScheduleRequest::makeNamed() const {
  Subject subject;
  subject.name = options.get("schedule");
  std::string wrong = checkShape(subject.name, shape);
  if (!wrong.empty())
    return userError(wrong);
  subject.problem.placement = placementOf(subject.name, shape);
  subject.problem.microbatches = shape.microbatches;
  subject.problem.forwardOnly = isForwardOnly(subject.name);
  if (llvm::Error error = complete(subject.problem))
    return std::move(error);
  subject.schedule = makeSchedule(subject.name, shape);
  subject.lowerBound = makespanBound(subject.problem);
  return subject;
}

llvm::Expected<Subject> ScheduleRequest::makeAuto() const {
  std::vector<Problem> problems = placementsOf(shape, cap);
  for (Problem &problem : problems)
    if (llvm::Error error = complete(problem))
      return std::move(error);
  Synthesis synthesis;
  std::string wrong = synthesize(problems, synthesis);
  if (!wrong.empty())
    return userError(wrong);
  return Subject{"auto", synthesis.problem, std::move(synthesis.schedule),
                 synthesis.lowerBound};
}

llvm::Expected<Subject> ScheduleRequest::readFile() const {
  std::string path = options.get("schedule");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return userError("'" + path + "': " + buffer.getError().message());
  ScheduleFile file;
  std::string wrong = parseScheduleCsv((*buffer)->getBuffer().str(), file);
  if (!wrong.empty())
    return userError(path + ":" + wrong);
  Subject subject{path, {}, std::move(file.schedule), 0};
  subject.problem.placement = file.placement;
  subject.problem.microbatches = file.microbatches;
  subject.problem.forwardOnly = file.forwardOnly;
  struct Fact {
    const char *option, *what;
    int given, real;
  };
  const Fact facts[] = {
      {"p", "ranks", shape.ranks, subject.problem.ranks()},
      {"m", "microbatches", shape.microbatches, subject.problem.microbatches},
      {"v", "chunks per rank", shape.chunks.value_or(1),
       int(file.placement.stagesOfRanks()[0].size())}};
  for (const Fact &fact : facts)
    if (options.has(fact.option) && fact.given != fact.real)
      return userError("-" + llvm::Twine(fact.option) + " is " +
                       llvm::Twine(fact.given) + ", and " + path + " has " +
                       llvm::Twine(fact.real) + " " + fact.what);
  if (llvm::Error error = complete(subject.problem))
    return std::move(error);
  subject.lowerBound = makespanBound(subject.problem);
  return subject;
}

llvm::Expected<Subject> ScheduleRequest::make() const {
  std::string name = options.get("schedule");
  bool isFile = llvm::StringRef(name).ends_with(".csv");
  if (llvm::Error error = checkScheduleName(name))
    return std::move(error);
  if ((isFile || name == "auto") && (shape.groupSize || shape.extraWarmup))
    return userError("options '--group-size' and '--extra-warmup' belong to "
                     "interleaved schedules; " +
                     name + " has its own order");
  if (isFile)
    return readFile();
  for (const char *needed : {"p", "m"})
    if (!options.has(needed))
      return userError(std::string("option '-") + needed +
                       "' is missing: the number of " +
                       (needed[0] == 'p' ? "ranks" : "microbatches"));
  return name == "auto" ? makeAuto() : makeNamed();
}

/// A whole number without a decimal point.
static Json number(double value) {
  constexpr double exact = 1LL << 53;
  if (std::abs(value) < exact && value == std::floor(value))
    return static_cast<int64_t>(value);
  return value;
}

static std::string percent(double part, double whole) {
  return simulate::numberText(whole > 0 ? std::round(1000 * part / whole) / 10
                                        : 0) +
         " %";
}

static void printJson(const Subject &subject, const Timing &timing,
                      double scale) {
  Json order = Json::array();
  for (const std::vector<Step> &steps : subject.schedule.ranks) {
    Json names = Json::array();
    for (const Step &step : steps)
      names.push_back(stepText(step));
    order.push_back(std::move(names));
  }
  double distance =
      subject.lowerBound > 0 ? timing.makespan / subject.lowerBound - 1 : 0;
  Json json = {{"schedule", subject.name},
               {"makespan", number(timing.makespan / scale)},
               {"bubble", number(timing.bubble / scale)},
               {"span_bubble", number(timing.spanBubble / scale)},
               {"lower_bound", number(subject.lowerBound / scale)},
               {"distance", number(distance)},
               {"peak", timing.peak},
               {"order", std::move(order)}};
  llvm::outs() << json.dump() << "\n";
}

static void printTable(const Subject &subject, const Timing &timing,
                       double scale) {
  llvm::raw_ostream &out = llvm::outs();
  auto text = [&](double value) { return simulate::numberText(value / scale); };
  double work = timing.makespan - timing.bubble;
  out << "schedule     " << subject.name << ": " << subject.problem.ranks()
      << " ranks, " << subject.problem.stages() << " stages, "
      << subject.problem.microbatches << " microbatches\n"
      << (subject.problem.placement.hasTwoWays()
              ? "placement    both ways: every rank has two stages, and the "
                "parameters of both\n"
              : "")
      << "makespan     " << text(timing.makespan) << "\n"
      << "bubble       " << text(timing.bubble) << ", "
      << percent(timing.bubble, timing.makespan) << " of the makespan, "
      << percent(timing.bubble, work) << " of the work\n"
      << "span bubble  " << text(timing.spanBubble) << "\n"
      << "lower bound  " << text(subject.lowerBound) << ", the order is "
      << percent(timing.makespan - subject.lowerBound, subject.lowerBound)
      << " above it\n"
      << "rank  peak  order\n";
  for (size_t rank = 0; rank < timing.peak.size(); ++rank)
    out << llvm::left_justify(std::to_string(rank), 6)
        << llvm::left_justify(std::to_string(timing.peak[rank]), 6)
        << orderText(subject.schedule.ranks[rank]) << "\n";
}

int partopt::driver::benchSchedule(const OptionSet &options) {
  if (options.has("csv"))
    if (rt::Status status = rt::checkOutput(options.get("csv")); !status.ok())
      return fail(userError(status.message()));
  ScheduleRequest request(options);
  if (llvm::Error error = request.read())
    return fail(std::move(error));
  llvm::Expected<Subject> subject = request.make();
  if (!subject)
    return fail(subject.takeError());
  std::string wrong = verifySchedule(subject->problem, subject->schedule);
  if (!wrong.empty())
    return fail(userError(subject->name + ": " + wrong));
  Timing timing = simulateSchedule(subject->problem, subject->schedule);
  if (options.has("json"))
    printJson(*subject, timing, request.scale);
  else
    printTable(*subject, timing, request.scale);
  if (!options.has("csv"))
    return Good;
  rt::Status status =
      rt::writeTextFile(options.get("csv"), scheduleCsv(subject->schedule));
  return status.ok() ? Good : fail(userError(status.message()));
}
