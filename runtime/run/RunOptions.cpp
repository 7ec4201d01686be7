//===- RunOptions.cpp - Command-line options of `run` ---------------------===//
//
// A table of options with values; every option is "--name value" or
// "--name=value".
//
//===----------------------------------------------------------------------===//

#include "runtime/run/RunCommand.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>

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

/// What an option takes, for the message about a value that it does not.
static std::string expected(const std::string &name, const std::string &value,
                            SessionOptions session) {
  if (name == "rtol" || name == "atol")
    return ": expected a number that is not negative";
  if (name == "steps")
    return ": expected a whole number of at least 1";
  if (name == "collective-timeout")
    return ": expected seconds, at least 0.001 and at most 1e9";
  if (name == "fault" && !parseFault(value).ok())
    return ": " + parseFault(value).status().message();
  if (name == "driver")
    return ": expected host or cuda";
  if (name == "cuda-graph" || name == "tf32")
    return ": expected on or off";
  if (simulate::MachineOptions::has(name))
    return ": " + session.machine.set(name, value);
  return "";
}

/// Options of a few words; false when the name is not one of theirs.
static bool storeChoice(const std::string &name, const std::string &value,
                        RunOptions &options, bool &bad) {
  if (name == "driver") {
    bad = value != "host" && value != "cuda";
    options.session.driver =
        value == "cuda" ? DriverKind::Cuda : DriverKind::Host;
    return true;
  }
  if (name != "cuda-graph" && name != "tf32")
    return false;
  bad = value != "on" && value != "off";
  CudaOptions &cuda = options.session.cuda;
  (name == "tf32" ? cuda.tf32 : cuda.graphs) = value == "on";
  if (options.cudaOption.empty())
    options.cudaOption = name;
  return true;
}

/// Stores the value of `name`; false when the name is not known, `bad` is set
/// when the value is not good.
static bool store(const std::string &name, const std::string &value,
                  RunOptions &options, bool &bad) {
  struct {
    const char *name;
    std::string *target;
  } texts[] = {
      {"entry", &options.entry},     {"inputs", &options.inputs},
      {"outputs", &options.outputs}, {"expect", &options.expect},
      {"batches", &options.batches}, {"report-json", &options.reportJson},
      {"trace", &options.trace}};
  for (const auto &text : texts)
    if (name == text.name) {
      *text.target = value;
      bad = value.empty();
      return true;
    }
  if (name == "rtol")
    bad = !parseNumber(value, options.tolerance.relative);
  else if (name == "atol")
    bad = !parseNumber(value, options.tolerance.absolute);
  else if (name == "steps")
    bad = !parseWhole(value, options.steps) || options.steps == 0;
  else if (name == "collective-timeout") {
    double seconds;
    bad = !parseNumber(value, seconds) || seconds < 1e-3 || seconds > 1e9;
    if (!bad)
      options.session.collectiveTimeout =
          std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  } else if (name == "fault") {
    StatusOr<Fault> fault = parseFault(value);
    bad = !fault.ok();
    if (!bad)
      options.session.faults.push_back(*fault);
  } else if (simulate::MachineOptions::has(name)) {
    bad = !options.session.machine.set(name, value).empty();
  } else {
    return storeChoice(name, value, options, bad);
  }
  return true;
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
  bool bad = false;
  if (!store(name, value, changed, bad))
    return false;
  if (bad || !hasValue) {
    status = Status::badInput(
        hasValue ? "--" + name + " does not take the value '" + value + "'" +
                       expected(name, value, options.session)
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
