//===- ChoosePipeline.h - Which pipeline runs, by its plan ----------------===//
//
// How long an order takes and what it needs is known of a plan, not of the
// program that the stages are cut from. So pipelines are compiled to plans, of
// one partitioned program, and their predicted times and peaks compared.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PIPELINES_CHOOSEPIPELINE_H
#define PARTOPT_LIB_PIPELINES_CHOOSEPIPELINE_H

#include "partopt/Pipelines/Compile.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partopt {

/// Compiles the partitioned program with these options up to its plan, without
/// a word; the program stays as it is.
using TryPipeline = llvm::function_ref<CompileOutcome(const CompileOptions &)>;

/// With schedule auto: sets the stages per rank and, where the plan would need
/// more than options.deviceMemory, the caps with which it fits; the least
/// that an order can need where none fits. Returns the choice and what the
/// others come to, for the report.
std::string choosePipeline(CompileOptions &options, TryPipeline compile);

/// Stages that are cut by memory too.
struct BalancedStages {
  CompileOptions options;
  uint64_t peak = 0; ///< of the largest class
  double step = 0;   ///< predicted seconds
  bool fits = false;
};

/// For a plan that does not fit: the cut with which it does, or the one of
/// those tried that needs least; nothing where the cut is given by hand.
std::optional<BalancedStages> balanceStages(const CompileOptions &options,
                                            TryPipeline compile);

/// Of a named schedule whose plan is too large: the fastest of the others whose
/// plan fits, as a line of an error message.
std::string describeFittingSchedule(const CompileOptions &options,
                                    TryPipeline compile);

/// Of any pipeline that is too large: the memory that its plan needs, and those
/// of more microbatches and recomputed layers with which it fits, as a line.
/// `compile` starts with the imported program.
std::string describeFittingOptions(const CompileOptions &options, uint64_t peak,
                                   TryPipeline compile);

/// The largest class's peak, bytes.
uint64_t peakOf(const plan::PlanT &plan);

} // namespace partopt

#endif // PARTOPT_LIB_PIPELINES_CHOOSEPIPELINE_H
