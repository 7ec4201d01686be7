//===- Help.cpp - The help screens ----------------------------------------===//
//
// One screen each, made from the option table and grouped by task.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "partopt/PipelineSchedule/NamedSchedules.h"
#include "partopt/Pipelines/Phases.h"

#include "llvm/Support/Format.h"

using namespace partopt;
using namespace partopt::driver;

void partopt::driver::printHelp(llvm::raw_ostream &out) {
  out << R"(partopt: from a one-device StableHLO step to a verified parallel plan

usage: partopt COMMAND … [options]

Make a plan
  compile MODEL -o PLAN      model to plan file
  explain MODEL|PLAN         roles, shardings, collectives by source line, why
  report PLAN -o R.html      one page: who does what when, memory, communication

Run it
  run MODEL|PLAN --inputs F  compiles if needed and runs on all ranks
      --expect F             compare with expected results
      --check                compare with the unpartitioned program
      --check=values         name the first value of the program that differs

Measure the machine, and schedules
  bench kernels              what kernels and messages cost, for --calibration
  bench schedule             a pipeline schedule's order, time and memory
  cluster NAME|FILE          shows a cluster for --cluster; --list: all of them

MODEL is StableHLO text (stablehlo, chlo, sdy) or '-' for standard input; arrays
are .safetensors files. `partopt help COMMAND` lists a command's options,
`partopt --version` the version.

Exit codes: 0 good, 1 results differ, 2 wrong use or bad input, 3 does not fit,
4 a rank failed or timed out, 70 internal error (a reproducer is written).
)";
}

static llvm::StringRef usageOf(unsigned mask) {
  switch (mask) {
  case OnCompile:
    return "MODEL -o PLAN [options]\n  makes a plan file from a model";
  case OnRun:
    return "MODEL|PLAN --inputs F,… [options]\n  runs a model or a plan on all "
           "ranks, and proves the result";
  case OnReport:
    return "PLAN -o R.html [options]\n  shows a plan and its predicted step on "
           "one page";
  case OnBench:
    return "kernels [options]\n  measures this machine, so that times can be "
           "predicted";
  case OnSchedule:
    return "--schedule S -p P -m M [options]\n  makes a pipeline's order, "
           "proves "
           "it, and shows its time, bubble and memory";
  case OnCluster:
    return "--list | NAME|FILE\n  lists the built-in clusters, or shows one as "
           "the JSON that --cluster takes";
  default:
    return "MODEL|PLAN [options]\n  shows roles, shardings and collectives, "
           "and why they are so";
  }
}

void partopt::driver::printCommandHelp(llvm::raw_ostream &out,
                                       llvm::StringRef command, unsigned mask) {
  out << "usage: partopt " << command << " " << usageOf(mask) << "\n";
  const OptionSpec *previous = nullptr;
  for (const OptionSpec &spec : optionTable()) {
    if (!spec.available || !(spec.commands & mask))
      continue;
    if (!previous || previous->group != spec.group)
      out << "\n" << groupTitle(spec.group) << "\n";
    previous = &spec;
    std::string left =
        (spec.name.size() == 1 ? "  -" : "  --") + spec.name.str() +
        (spec.value.empty() || spec.value.starts_with("[") ? "" : " ") +
        spec.value.str();
    // The ellipsis is one column wide and three bytes long.
    size_t columns = left.size() - 2 * llvm::StringRef(left).count("…");
    out << left;
    out.indent(columns < 33 ? unsigned(33 - columns) : 1) << spec.help << "\n";
  }
  if (mask == OnSchedule) {
    out << "\nS is one of:";
    for (const std::string &name : pipeline::scheduleNames())
      out << " " << name;
    out << " auto\n";
  }
  if (mask & (OnBench | OnSchedule | OnCluster | OnReport))
    return;
  out << "\nPHASE is one of:";
  for (const PhaseSpec &phase : phaseTable())
    if (phase.phase < Phase::Plan)
      out << " " << phase.name;
  if (mask & OnCompile)
    out << "; for --compile-to also plan and codegen";
  out << "\n--help-hidden also lists MLIR's own options (--mlir-timing, …).\n";
}
