//===- VerifyPlan.cpp - Proof that a plan can run -------------------------===//
//
// The plan-wide part of the verifier and the order in which the parts run:
// later parts trust that the references checked by earlier ones are in range.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/VerifyPlan.h"

#include "ProgramView.h"

namespace partopt::plan {

static void verifyClasses(const PlanT &plan, Problems &problems) {
  if (plan.rank_class.size() != plan.devices)
    problems.add("rank_class has " + std::to_string(plan.rank_class.size()) +
                 " entries for " + std::to_string(plan.devices) + " devices");
  for (size_t rank = 0; rank < plan.rank_class.size(); ++rank)
    if (plan.rank_class[rank] >= plan.classes.size())
      problems.add("rank " + std::to_string(rank) + " is of class " +
                   std::to_string(plan.rank_class[rank]) + ", the plan has " +
                   std::to_string(plan.classes.size()));
  if (plan.entries.empty())
    problems.add("the plan has no entry");
  for (size_t entry = 0; entry < plan.entries.size(); ++entry) {
    int loss = plan.entries[entry]->loss_result;
    size_t results = resultsOf(plan, entry).size();
    if (loss >= 0 && static_cast<size_t>(loss) >= results)
      problems.add("entry '" + plan.entries[entry]->name +
                   "': the loss is result " + std::to_string(loss) + " of " +
                   std::to_string(results));
  }
  for (const auto &rankClass : plan.classes) {
    std::vector<unsigned> programs(plan.entries.size());
    for (const auto &program : rankClass->programs) {
      if (program->entry >= plan.entries.size())
        problems.add("class '" + rankClass->name +
                     "' has a program for entry " +
                     std::to_string(program->entry) + ", the plan has " +
                     std::to_string(plan.entries.size()) + " entries");
      else
        ++programs[program->entry];
    }
    for (size_t entry = 0; entry < programs.size(); ++entry)
      if (programs[entry] != 1)
        problems.add("class '" + rankClass->name + "' has " +
                     std::to_string(programs[entry]) + " programs for entry '" +
                     plan.entries[entry]->name + "', it needs one");
  }
}

/// Axes of the mapping are the mesh's.
static void verifyMapping(const PlanT &plan, Problems &problems) {
  if (!plan.mapping)
    return;
  std::vector<uint16_t> axes = plan.mapping->other;
  for (const auto &axis : plan.mapping->axes)
    axes.push_back(axis->axis);
  for (uint16_t axis : axes)
    if (axis >= plan.mesh.size() || plan.mesh[axis]->kind != AxisKind::Space)
      problems.add("the mapping names axis " + std::to_string(axis) +
                   ", which is none of the mesh's " +
                   std::to_string(plan.mesh.size()) + " in space");
}

static void verifyProgram(const ProgramView &view, Problems &problems) {
  size_t before = problems.size();
  verifyReferences(view, problems);
  if (problems.size() == before)
    verifyLoops(view, problems);
  if (problems.size() == before)
    verifyTurnOrder(view, problems);
  if (problems.size() != before)
    return;
  verifyMemory(view, problems);
  verifySignature(view, problems);
  verifyOperands(view, problems);
  verifyOrder(view, problems);
  if (problems.size() == before)
    verifyTurnBuffers(view, problems);
}

/// All classes' programs of one entry, each of them good, against each other.
static void verifyEntry(const std::vector<ProgramView> &views,
                        Problems &problems) {
  verifyParts(views, problems);
  verifyChannels(views, problems);
  verifyCommunicators(views, problems);
  if (problems.empty())
    verifyProgress(views, problems);
  if (problems.empty())
    verifyCollectiveOrder(views, problems);
  // Buffers hold what was written last only in a program whose order is good.
  if (problems.empty())
    verifyDataflow(views, problems);
}

std::vector<std::string> verifyPlan(const PlanT &plan) {
  Problems problems;
  MeshMath mesh(plan);
  if (!mesh.check().empty())
    return {mesh.check()};
  verifyClasses(plan, problems);
  verifyMapping(plan, problems);
  if (!problems.empty())
    return problems.take();
  std::vector<std::vector<ProgramView>> byEntry(plan.entries.size());
  for (const auto &rankClass : plan.classes) {
    verifyKernels(*rankClass, problems);
    std::vector<ProgramView> ofClass;
    for (const auto &program : rankClass->programs) {
      ProgramView view{plan, mesh, *rankClass, *program};
      verifyProgram(view, problems);
      ofClass.push_back(view);
      byEntry[program->entry].push_back(view);
    }
    if (problems.empty())
      verifySharedState(ofClass, problems);
  }
  if (problems.empty())
    for (const std::vector<ProgramView> &views : byEntry)
      verifyEntry(views, problems);
  return problems.take();
}

} // namespace partopt::plan
