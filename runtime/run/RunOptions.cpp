//===- RunOptions.cpp - Command-line options of `run` ---------------------===//
//
// A table of options with values; every option is "--name value" or
// "--name=value".
//
//===----------------------------------------------------------------------===//

#include "runtime/run/RunCommand.h"

#include "partopt/Plan/NearestWord.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace partopt::rt {

static bool parseNumber(const std::string &text, double &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && errno == 0 && std::isfinite(value) &&
         value >= 0;
}

static bool parseWhole(const std::string &text, uint64_t &value) {
  double number;
  if (!parseNumber(text, number) || number != std::floor(number) ||
      number > 0x1p53)
    return false;
  value = static_cast<uint64_t>(number);
  return true;
}

namespace {
/// Stores a value; returns empty, or what the option takes.
using Store = std::string (*)(const std::string &value, RunOptions &options);

struct Option {
  std::string_view name;
  Store store;
};
} // namespace

template <std::string RunOptions::*field>
static std::string storeText(const std::string &value, RunOptions &options) {
  options.*field = value;
  return value.empty() ? "it is empty" : "";
}

template <double Tolerance::*field>
static std::string storeTolerance(const std::string &value,
                                  RunOptions &options) {
  return parseNumber(value, options.tolerance.*field)
             ? ""
             : "expected a number that is not negative";
}

static std::string storeSteps(const std::string &value, RunOptions &options) {
  return parseWhole(value, options.steps) && options.steps > 0
             ? ""
             : "expected a whole number of at least 1";
}

static std::string storeTimeout(const std::string &value, RunOptions &options) {
  double seconds;
  if (!parseNumber(value, seconds) || seconds < 1e-3 || seconds > 1e9)
    return "expected seconds, at least 0.001 and at most 1e9";
  options.session.collectiveTimeout =
      std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  return "";
}

static std::string storeFault(const std::string &value, RunOptions &options) {
  StatusOr<Fault> fault = parseFault(value);
  if (!fault.ok())
    return fault.status().message();
  options.session.faults.push_back(*fault);
  return "";
}

/// Empty, or which words there are.
static std::string checkWord(const std::string &value,
                             const words::Words &known) {
  if (std::count(known.begin(), known.end(), value) > 0)
    return "";
  return "expected " + words::alternatives(known) +
         words::didYouMean(value, known);
}

static std::string storeDriver(const std::string &value, RunOptions &options) {
  options.session.driver =
      value == "cuda" ? DriverKind::Cuda : DriverKind::Host;
  return checkWord(value, {"host", "cuda"});
}

/// A switch of the CUDA driver, called `name`.
template <bool CudaOptions::*field>
static std::string storeSwitch(const std::string &value, RunOptions &options,
                               const char *name) {
  options.session.cuda.*field = value == "on";
  if (options.cudaOption.empty())
    options.cudaOption = name;
  return checkWord(value, {"on", "off"});
}

static std::string storeGraphs(const std::string &value, RunOptions &options) {
  return storeSwitch<&CudaOptions::graphs>(value, options, "cuda-graph");
}

static std::string storeTf32(const std::string &value, RunOptions &options) {
  return storeSwitch<&CudaOptions::tf32>(value, options, "tf32");
}

/// Options with a value, besides those of the machine.
static constexpr Option valueOptions[] = {
    {"entry", storeText<&RunOptions::entry>},
    {"inputs", storeText<&RunOptions::inputs>},
    {"outputs", storeText<&RunOptions::outputs>},
    {"expect", storeText<&RunOptions::expect>},
    {"batches", storeText<&RunOptions::batches>},
    {"report-json", storeText<&RunOptions::reportJson>},
    {"trace", storeText<&RunOptions::trace>},
    {"rtol", storeTolerance<&Tolerance::relative>},
    {"atol", storeTolerance<&Tolerance::absolute>},
    {"steps", storeSteps},
    {"collective-timeout", storeTimeout},
    {"fault", storeFault},
    {"driver", storeDriver},
    {"cuda-graph", storeGraphs},
    {"tf32", storeTf32},
};

/// Stores the value of `name`, or says in `wrong` what it takes; false when the
/// name is not known.
static bool store(const std::string &name, const std::string &value,
                  RunOptions &options, std::string &wrong) {
  if (simulate::MachineOptions::has(name)) {
    wrong = options.session.machine.set(name, value);
    return true;
  }
  for (const Option &option : valueOptions)
    if (name == option.name) {
      wrong = option.store(value, options);
      return true;
    }
  return false;
}

std::string meantRunOption(const std::string &text) {
  std::string name = text.substr(0, text.find('='));
  name.erase(0, name.find_first_not_of('-'));
  words::Words known = simulate::MachineOptions::names();
  known.insert(known.end(), {"quiet", "help"});
  for (const Option &option : valueOptions)
    known.push_back(option.name);
  std::string meant = words::nearest(name, known);
  return meant.empty() ? "" : "; did you mean '--" + meant + "'?";
}

bool parseRunOption(int argc, const char *const *argv, int &at,
                    RunOptions &options, Status &status) {
  std::string text = argv[at];
  if (text == "--quiet") {
    options.quiet = true;
    ++at;
    return true;
  }
  if (text.rfind("--", 0) != 0)
    return false;
  size_t equals = text.find('=');
  std::string name = text.substr(
      2, equals == std::string::npos ? std::string::npos : equals - 2);
  bool hasValue = equals != std::string::npos || at + 1 < argc;
  std::string value;
  if (equals != std::string::npos)
    value = text.substr(equals + 1);
  else if (hasValue)
    value = argv[at + 1];
  RunOptions changed = options;
  std::string wrong;
  if (!store(name, value, changed, wrong))
    return false;
  if (!wrong.empty() || !hasValue) {
    status =
        Status::badInput(hasValue ? "--" + name + " does not take the value '" +
                                        value + "': " + wrong
                                  : "--" + name + " needs a value");
    return true;
  }
  options = std::move(changed);
  options.session.trace = !options.trace.empty();
  at += equals == std::string::npos ? 2 : 1;
  return true;
}

const char *runOptionsHelp() {
  return "Input and output:\n"
         "  --inputs F|random:SEED   arrays for the arguments, or made-up "
         "ones\n"
         "  --outputs F              write the results as safetensors\n"
         "  --expect F               compare the results; exit 1 if they "
         "differ\n"
         "  --rtol R, --atol A       |got - want| <= A + R |want| "
         "(1e-4, 1e-5)\n"
         "Several steps:\n"
         "  --steps N                results that take an argument are fed "
         "back\n"
         "  --batches DIR|F1,F2|random:SEED\n"
         "                           batch, rng and scalar arguments per step\n"
         "Modelled links and devices:\n"
         "  --cluster NAME|FILE      links and devices of a cluster\n"
         "  --link AXIS=LATENCY,BANDWIDTH\n"
         "                           each message takes that long, e.g. "
         "data=50us,1GB/s\n"
         "  --compute model=FLOPS,BYTES[,OVERHEAD]\n"
         "                           kernels take as long as on such a device "
         "(real)\n"
         "  --overlap on|off|late    collectives beside kernels; waited for at "
         "once;\n"
         "                           or started only at the wait (on)\n"
         "  --calibration F          of this machine, for what is predicted\n"
         "Where to run:\n"
         "  --driver host|cuda       threads of this process, or GPUs (host)\n"
         "  --cuda-graph on|off      a step as one CUDA graph (on; off with "
         "--trace)\n"
         "  --tf32 on|off            f32 products on a GPU may round to TF32 "
         "(off)\n"
         "What to show:\n"
         "  --report-json F          the plan and what was measured\n"
         "  --trace F                Chrome trace of the run (Perfetto)\n"
         "  --quiet                  no progress lines\n"
         "Other:\n"
         "  --entry NAME             which entry of the plan (the first)\n"
         "  --collective-timeout S   seconds until a collective (on a GPU: a "
         "step) has\n"
         "                           failed (60)\n"
         "  --fault SPEC             provoke throw:R@I, slow:R@I:MS or "
         "stall:R@I\n"
         "                           (rank R, instruction I)\n";
}

} // namespace partopt::rt
