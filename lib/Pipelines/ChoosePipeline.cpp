//===- ChoosePipeline.cpp - Which pipeline runs, by its plan --------------===//
//
// See ChoosePipeline.h.
//
//===----------------------------------------------------------------------===//

#include "ChoosePipeline.h"

#include "FinishPlan.h"

#include "partopt/Plan/Segments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace partopt;

namespace {

/// Stages per rank and where they lie, and the plan that comes of it.
struct Trial {
  CompileOptions options;
  CompileOutcome outcome;

  bool hasPlan() const { return outcome.plan != nullptr; }
  bool fits() const { return outcome.status == CompileStatus::Done; }
  uint64_t peak() const { return peakOf(*outcome.plan); }
  double step() const { return predictStep(options, *outcome.plan); }
  std::string name() const;
};

class PipelineChooser {
public:
  PipelineChooser(const CompileOptions &options, TryPipeline compile)
      : options(options), compile(compile) {}

  std::vector<Trial> tryAll();

private:
  Trial tryOne(const PipelineOptions &pipeline);
  void fitInto(Trial &trial);
  void loosen(Trial &trial, std::vector<int64_t> tooLoose);
  std::vector<PipelineOptions> others(const plan::PlanT &plan) const;

  const CompileOptions &options;
  TryPipeline compile;
};

} // namespace

uint64_t partopt::peakOf(const plan::PlanT &plan) {
  uint64_t peak = 0;
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs)
      peak = std::max(peak, program->peak_bytes);
  return peak;
}

std::string Trial::name() const {
  const PipelineOptions &pipeline = options.pipeline;
  int64_t chunks = pipeline.stages / pipeline.ranks;
  std::string both = pipeline.fused ? ", both gradients in one" : "";
  if (chunks == 1)
    return "one stage per rank" + both;
  return std::to_string(chunks) + " stages per rank, " +
         (pipeline.upAndDown ? "down and up" : "around") + both;
}

Trial PipelineChooser::tryOne(const PipelineOptions &pipeline) {
  Trial trial{options, {}};
  trial.options.pipeline = pipeline;
  trial.outcome = compile(trial.options);
  return trial;
}

namespace {

/// What a rank's stages keep, in bytes.
struct KeptBytes {
  uint64_t all = 0;   ///< with their slots, without those for messages alone
  uint64_t chunk = 1; ///< of one microbatch of one stage, the largest
};

} // namespace

static KeptBytes keptBytes(const plan::PlanT &plan,
                           const plan::ProgramT &program) {
  KeptBytes kept;
  std::vector<plan::Segment> segments = plan::segmentsOf(plan, program);
  std::set<int> stages;
  for (const plan::Segment &segment : segments)
    if (segment.stage >= 0)
      stages.insert(segment.stage);
  for (int stage : stages) {
    plan::Stash stash = plan::stashOf(program, segments, stage);
    uint64_t chunk = 0;
    for (const plan::StashValue &value : stash.values) {
      const plan::BufferT &buffer = *program.buffers[value.buffer];
      uint32_t most = stash.keptSlots ? stash.keptSlots : buffer.slots;
      kept.all += buffer.bytes * std::min(buffer.slots, most);
      chunk += buffer.bytes;
    }
    kept.chunk = std::max(kept.chunk, chunk);
  }
  return kept;
}

/// Caps with which ranks that need too much would fit: what is left beside the
/// rest of a rank's memory, in microbatches of a stage. A stage has slots for
/// its own peak, and stages of a rank may have theirs at different times, so
/// the first answer may be too large; then a rank gives up what is too much.
static std::vector<int64_t> tighterCaps(const plan::PlanT &plan,
                                        const PipelineOptions &pipeline,
                                        int64_t microbatches, uint64_t memory) {
  int64_t chunks = pipeline.stages / pipeline.ranks;
  std::vector<int64_t> caps = pipeline.caps;
  if (caps.empty())
    caps.assign(size_t(pipeline.ranks), chunks * microbatches);
  for (size_t rank = 0; rank < caps.size(); ++rank) {
    const plan::ProgramT &program = *plan.classes[rank]->programs.front();
    if (program.peak_bytes <= memory)
      continue;
    KeptBytes kept = keptBytes(plan, program);
    uint64_t excess = program.peak_bytes - memory;
    int64_t room =
        excess < kept.all ? int64_t((kept.all - excess) / kept.chunk) : 0;
    int64_t less = caps[rank] -
                   std::max<int64_t>(1, int64_t(excess / kept.chunk) / chunks);
    caps[rank] =
        std::max(chunks, pipeline.caps.empty() ? std::min(room, less) : less);
  }
  return caps;
}

/// Compiles with caps that come from the memory that is left, until the plan
/// fits or a rank that does not has room for one microbatch alone.
void PipelineChooser::fitInto(Trial &trial) {
  if (int64_t(trial.outcome.plan->classes.size()) !=
      trial.options.pipeline.ranks)
    return;
  constexpr int kMostTrials = 10;
  std::vector<int64_t> tooLoose = trial.options.pipeline.caps;
  for (int i = 0; i < kMostTrials && !trial.fits(); ++i) {
    PipelineOptions next = trial.options.pipeline;
    next.caps = tighterCaps(*trial.outcome.plan, next, options.microbatches,
                            options.deviceMemory);
    if (i + 1 == kMostTrials)
      next.caps.assign(size_t(next.ranks), next.stages / next.ranks);
    Trial again = tryOne(next);
    if (!again.hasPlan() || next.caps == trial.options.pipeline.caps)
      return;
    tooLoose = trial.options.pipeline.caps;
    trial = std::move(again);
  }
  if (trial.fits())
    loosen(trial, std::move(tooLoose));
}

/// Room for messages shrinks with what is kept, so the last step may have gone
/// too far: a search between it and the caps before, with which the plan did
/// not fit; none were no limit.
void PipelineChooser::loosen(Trial &trial, std::vector<int64_t> tooLoose) {
  std::vector<int64_t> tight = trial.options.pipeline.caps;
  if (tight.empty())
    return;
  const PipelineOptions &pipeline = trial.options.pipeline;
  if (tooLoose.empty())
    tooLoose.assign(tight.size(),
                    options.microbatches * pipeline.stages / pipeline.ranks);
  constexpr int kMostTrials = 4;
  for (int i = 0; i < kMostTrials; ++i) {
    PipelineOptions next = trial.options.pipeline;
    for (size_t rank = 0; rank < tight.size(); ++rank)
      next.caps[rank] = (tight[rank] + tooLoose[rank]) / 2;
    if (next.caps == tight)
      return;
    Trial again = tryOne(next);
    std::vector<int64_t> &bound = again.fits() ? tight : tooLoose;
    bound = next.caps;
    if (again.fits() && again.step() <= trial.step())
      trial = std::move(again);
  }
}

/// Two stages per rank, around and down and up, where there are layers enough.
std::vector<PipelineOptions>
PipelineChooser::others(const plan::PlanT &plan) const {
  std::vector<PipelineOptions> list;
  PipelineOptions two = options.pipeline;
  two.stages = 2 * two.ranks;
  bool isTwo = options.pipeline.stages == two.stages;
  if (options.pipeline.choosesStages &&
      int64_t(plan.layers.size()) >= two.stages)
    list.push_back(two);
  if (isTwo || !list.empty()) {
    two.upAndDown = true;
    list.push_back(two);
  }
  return list;
}

std::vector<Trial> PipelineChooser::tryAll() {
  std::vector<Trial> trials;
  trials.push_back(tryOne(options.pipeline));
  if (!trials.front().hasPlan())
    return {};
  for (const PipelineOptions &pipeline : others(*trials.front().outcome.plan))
    if (Trial trial = tryOne(pipeline); trial.hasPlan())
      trials.push_back(std::move(trial));
  if (!options.deviceMemory)
    return trials;
  // What weight gradients wait for is not kept where they are made at once.
  for (size_t i = 0, count = trials.size(); i < count; ++i) {
    if (trials[i].fits())
      continue;
    PipelineOptions both = trials[i].options.pipeline;
    both.fused = true;
    if (Trial trial = tryOne(both); trial.hasPlan())
      trials.push_back(std::move(trial));
  }
  for (Trial &trial : trials)
    fitInto(trial);
  return trials;
}

/// The fastest that fits, else the smallest.
static const Trial &bestOf(const std::vector<Trial> &trials) {
  const Trial *best = &trials.front();
  for (const Trial &trial : trials) {
    if (trial.fits() != best->fits())
      best = trial.fits() ? &trial : best;
    else if (trial.fits() ? trial.step() < best->step()
                          : trial.peak() < best->peak())
      best = &trial;
  }
  return *best;
}

static std::string describe(const Trial &trial) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << trial.name() << ": " << llvm::format("%.4g", trial.step() * 1e6)
      << " us predicted, " << bytesText(trial.peak()) << " per device";
  if (!trial.options.pipeline.caps.empty()) {
    out << " with room for ";
    llvm::interleaveComma(trial.options.pipeline.caps, out);
    out << " microbatches of stages on the ranks";
  }
  if (!trial.fits())
    out << ", which does not fit";
  return text;
}

std::string partopt::choosePipeline(CompileOptions &options,
                                    TryPipeline compile) {
  std::vector<Trial> trials = PipelineChooser(options, compile).tryAll();
  if (trials.empty())
    return ""; // the real compilation says why
  const Trial &best = bestOf(trials);
  if (!best.fits())
    if (auto cut = balanceStages(best.options, compile); cut && cut->fits) {
      options.pipeline = cut->options.pipeline;
      return "--schedule auto takes " + best.name() +
             " that are cut by memory, the only one that fits: " +
             bytesText(cut->peak) + " per device";
    }
  std::string text = "--schedule auto takes " + describe(best);
  for (const Trial &trial : trials)
    if (&trial != &best)
      text += "; not " + describe(trial);
  options.pipeline = best.options.pipeline;
  return text;
}
