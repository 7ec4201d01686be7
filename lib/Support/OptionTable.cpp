//===- OptionTable.cpp - Every option of the driver -----------------------===//
//
// The table itself. A line of help fits one screen line; options of the
// driver's contract that later versions honour are marked, so that using one
// says "not available" instead of "unknown".
//
//===----------------------------------------------------------------------===//

#include "partopt/Support/OptionTable.h"

#include "partopt/Support/Words.h"

#include "llvm/ADT/SmallVector.h"

using namespace partopt;
using G = OptionGroup;
using K = OptionKind;

static constexpr unsigned OnBuild = OnAll;
static constexpr unsigned OnPredict = OnAll | OnReport;
static constexpr unsigned OnEvery =
    OnPredict | OnBench | OnSchedule | OnCluster;

static constexpr OptionSpec table[] = {
    // What goes in.
    {"inputs", "F,…|random:SEED", "arrays by argument name or arg0, arg1, …",
     OnRun, G::Input, K::List},
    {"batches", "DIR|F1,F2,…", "one file per step for batch arguments, cycled",
     OnRun, G::Input, K::List},
    {"entry", "NAME", "the entry function (default main)", OnAll, G::Input,
     K::Value},
    {"arg-role", "REGEX=ROLE", "param, opt, state, batch, rng or scalar", OnAll,
     G::Input, K::List},
    {"carry", "ARG=RESULT",
     "the result (or none) that is an argument next step", OnAll, G::Input,
     K::List},
    {"loss", "RESULT", "the result that gradients are derived from", OnAll,
     G::Input, K::Value},
    {"layer", "REGEX=NAME", "parameters by name into a layer of the model",
     OnAll, G::Input, K::List},
    {"config", "FILE", "options from a TOML or JSON file", OnPredict, G::Input,
     K::Value},
    {"p", "P", "ranks of the pipeline", OnSchedule, G::Input, K::Value},
    {"m", "M", "microbatches", OnSchedule, G::Input, K::Value},
    {"v", "V", "chunks per rank (as the schedule has, or 1)", OnSchedule,
     G::Input, K::Value},
    {"times", "F,B,W[;…]",
     "forward, input and weight gradient of a chunk (1,1,1), or of each",
     OnSchedule, G::Input, K::Value},
    {"latency", "C", "until a result is on the next rank (0)", OnSchedule,
     G::Input, K::Value},
    {"cap", "K", "chunks that a rank can keep", OnSchedule, G::Input, K::Value},
    // How it is laid out.
    {"mesh", "data=2,model=4", "axes, outermost first", OnBuild, G::Layout,
     K::Value},
    {"strategy", "S",
     "ddp, zero1-3, fsdp, hsdp, tp, tp+sp, ep, cp, mixed by + (none: file's)",
     OnBuild, G::Layout, K::Value},
    {"axis", "ROLE=AXIS", "which mesh axis serves what, e.g. data=dp", OnBuild,
     G::Layout, K::List},
    {"storage", "keep|compute",
     "axes of parameters: all storage, or none (auto)", OnBuild, G::Layout,
     K::Value},
    {"reshard-after-forward", "yes|no|auto",
     "gather parameters again in backward (no; auto: if short)", OnBuild,
     G::Layout, K::Value},
    {"sp-regather", "yes|no|auto",
     "gather activations of sp again in backward (auto: if short)", OnBuild,
     G::Layout, K::Value},
    {"cp-form", "ring|ulysses|gather",
     "attention of cp: keys in turn, by heads, or whole (auto)", OnBuild,
     G::Layout, K::Value},
    {"expert-load", "", "count the tokens that reach each expert", OnBuild,
     G::Layout, K::Flag},
    {"wrap", "auto|SIZE|REGEX",
     "parameters gathered together: by layer, size or name", OnBuild, G::Layout,
     K::Value},
    {"batch-statistics", "exact|local|micro",
     "over the batch, each device's rows, or a microbatch (exact, if no "
     "microbatch waits for it)",
     OnBuild, G::Layout, K::Value},
    {"microbatches", "M", "the batch in M parts, one after the other (1)",
     OnBuild, G::Layout, K::Value},
    {"accumulate", "full|sharded|auto",
     "gradients that are kept in shards, over microbatches (auto)", OnBuild,
     G::Layout, K::Value},
    {"recompute", "none|selective|layer|auto",
     "what backward computes again (none; auto: if memory is short)", OnBuild,
     G::Layout, K::Value},
    {"schedule", "S", "of pp: gpipe, 1f1b, zb-h1, …, auto, or FILE.csv (1f1b)",
     OnBuild, G::Layout, K::Value},
    {"schedule", "S|FILE.csv", "see below, or a file as PyTorch's", OnSchedule,
     G::Layout, K::Value},
    {"group-size", "Q", "of interleaved schedules, in microbatches (PyTorch's)",
     OnSchedule, G::Layout, K::Value},
    {"extra-warmup", "N", "forwards that interleaved issues ahead (0)",
     OnSchedule, G::Layout, K::Value},
    {"stages", "N|3,3,2|layout:Ett|tL|at:REGEX,…",
     "of pp: how many, layers of each, or where each begins", OnBuild,
     G::Layout, K::Value},
    {"axis-order", "data,model",
     "of axes on the cluster, outermost first (by what they send)", OnBuild,
     G::Layout, K::Value},
    // What the plan may use.
    {"bucket", "auto|SIZE",
     "of gradients: by size, or by the backward timeline", OnBuild, G::Plan,
     K::Value},
    {"bucket-mib", "N", "size of a gradient bucket in MiB (default 25)",
     OnBuild, G::Plan, K::Value},
    {"grad-reduce-dtype", "bf16|f16|f32",
     "the type in which gradients are reduced", OnBuild, G::Plan, K::Value},
    {"param-gather-dtype", "bf16|f16|f32",
     "the type in which stored parameters are gathered", OnBuild, G::Plan,
     K::Value},
    {"prefetch", "N", "units gathered ahead of their use (default 1)", OnBuild,
     G::Plan, K::Value},
    {"device-memory", "80GiB", "refuse a plan that needs more per device",
     OnBuild, G::Plan, K::Value},
    {"target-cpu", "CPU|native", "of the kernels (default x86-64-v3)", OnBuild,
     G::Plan, K::Value},
    {"driver", "host|cuda", "what runs the plan (default host)", OnBuild,
     G::Plan, K::Value},
    {"gpu-arch", "sm_90,…",
     "that kernels are assembled for (sm_80,sm_90,sm_100)", OnBuild, G::Plan,
     K::Value},
    {"keep-kernels", "DIR", "write every kernel's IR and the object there",
     OnBuild, G::Plan, K::Value},
    // How it runs.
    {"steps", "N", "results that alias arguments are fed back", OnRun, G::Run,
     K::Value},
    {"cuda-graph", "on|off", "a step as one CUDA graph (on; off with --trace)",
     OnRun, G::Run, K::Value},
    {"tf32", "on|off", "f32 products on a GPU may round to TF32 (off)", OnRun,
     G::Run, K::Value},
    {"collective-timeout", "S",
     "seconds until a collective, or a GPU's step, fails (60)", OnRun, G::Run,
     K::Value},
    {"fault", "SPEC", "provoke throw:R@I, slow:R@I:MS or stall:R@I", OnRun,
     G::Run, K::List},
    {"trace", "T.json", "a Chrome trace of the steps", OnRun, G::Run, K::Value},
    {"cluster", "NAME|FILE",
     "the machine: links, devices, memory (partopt cluster --list)", OnPredict,
     G::Run, K::Value},
    {"link", "data=50us,1GB/s", "messages over an axis (*: any) take that long",
     OnPredict, G::Run, K::List},
    {"compute", "real|model=…",
     "kernels take a device's time: 2GFLOP/s,1GB/s,9us", OnPredict, G::Run,
     K::Value},
    {"overlap", "on|off|late", "collectives beside kernels, or waited for (on)",
     OnPredict, G::Run, K::Value},
    {"calibration", "F", "what this machine's kernels cost (bench kernels)",
     OnPredict, G::Run, K::Value},
    // Proof.
    {"expect", "F", "exit 1 and the worst mismatches when results differ",
     OnRun, G::Check, K::Value},
    {"rtol", "R", "relative tolerance of --expect", OnRun, G::Check, K::Value},
    {"atol", "A", "absolute tolerance of --expect", OnRun, G::Check, K::Value},
    {"check", "[=values]",
     "compare with the unpartitioned program (each value)", OnRun, G::Check,
     K::OptionalValue},
    {"check-memory", "1GiB", "of the values that --check=values holds at once",
     OnRun, G::Check, K::Value},
    // What comes out.
    {"o", "PLAN", "the file to write", OnCompile, G::Output, K::Value},
    {"o", "R.html", "the page to write", OnReport, G::Output, K::Value},
    {"outputs", "F", "results as one .safetensors file", OnRun, G::Output,
     K::Value},
    {"report-json", "R.json", "the machine-readable report", OnAll, G::Output,
     K::Value},
    {"layers", "", "the layers of the model, their bytes and arithmetic",
     OnExplain, G::Output, K::Flag},
    {"roles", "", "how each argument's role was found, its layer and wrap unit",
     OnExplain, G::Output, K::Flag},
    {"list", "", "the built-in clusters", OnCluster, G::Output, K::Flag},
    {"csv", "F", "the order, as PyTorch loads it", OnSchedule, G::Output,
     K::Value},
    {"json", "", "figures and orders as JSON", OnSchedule, G::Output, K::Flag},
    {"json", "F", "the measurements, as --calibration takes them", OnBench,
     G::Output, K::Value},
    {"section", "NAME,…",
     "arguments, results, collectives, stages, memory, notes, …", OnExplain,
     G::Output, K::List},
    {"verbose", "", "say what is done", OnEvery, G::Output, K::Flag},
    {"quiet", "", "only errors and what was asked for", OnEvery, G::Output,
     K::Flag},
    {"color", "auto|always|never", "of messages (default auto)", OnEvery,
     G::Output, K::Value},
    // Looking inside.
    {"compile-to", "PHASE", "stop after PHASE and print the IR", OnCompile,
     G::Inspect, K::Value},
    {"compile-from", "PHASE", "resume after PHASE from its printed IR", OnAll,
     G::Inspect, K::Value},
    {"dump-phases", "DIR", "write the IR after every phase there", OnAll,
     G::Inspect, K::Value},
    {"print-config", "", "show the effective options and their origins", OnAll,
     G::Inspect, K::Flag},
};

llvm::ArrayRef<OptionSpec> partopt::optionTable() { return table; }

const OptionSpec *partopt::findOption(llvm::StringRef name, unsigned commands) {
  const OptionSpec *found = nullptr;
  for (const OptionSpec &spec : table)
    if (spec.name == name && (!found || (spec.commands & commands)))
      found = &spec;
  return found;
}

std::string partopt::nearestOption(llvm::StringRef name, unsigned commands) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const OptionSpec &spec : table)
    if (spec.available && (spec.commands & commands))
      names.push_back(spec.name);
  return nearestWord(name, names);
}

llvm::StringRef partopt::groupTitle(OptionGroup group) {
  switch (group) {
  case G::Input:
    return "What goes in";
  case G::Layout:
    return "How it is laid out";
  case G::Plan:
    return "What the plan may use";
  case G::Run:
    return "How it runs";
  case G::Check:
    return "Proof";
  case G::Output:
    return "What comes out";
  case G::Inspect:
    return "Looking inside";
  }
  return "";
}
