// See PlanInput.h.

#include "PlanInput.h"

#include "Driver.h"

#include "partopt/Plan/MeshMath.h"
#include "partopt/Support/OptionTable.h"

using namespace partopt;
using namespace partopt::driver;

llvm::Error partopt::driver::refuseOnPlan(const OptionSet &set) {
  for (const OptionSpec &spec : optionTable()) {
    bool decidesPlan =
        spec.group == OptionGroup::Layout ||
        (spec.group == OptionGroup::Plan &&
         !llvm::is_contained({"device-memory", "driver"}, spec.name)) ||
        llvm::is_contained({"arg-role", "carry", "loss", "layer", "entry",
                            "compile-from", "dump-phases"},
                           spec.name);
    if (decidesPlan && set.has(spec.name))
      return userError("option '--" + spec.name +
                       "' is of partopt compile, and '" + set.positionals[0] +
                       "' is a plan, which is compiled already; compile its "
                       "model again with "
                       "the option");
  }
  return llvm::Error::success();
}

/// An axis over which nothing is split or sent.
static void warnOfUnusedAxis(const plan::AxisT &axis) {
  messages().warning("nothing is split over axis '" + llvm::Twine(axis.name) +
                     "': its " + llvm::Twine(axis.size) +
                     " devices each do the same work; leave it out of --mesh, "
                     "or give a --strategy that uses it (--axis names which "
                     "axis serves what)");
}

void partopt::driver::warnOfUnusedMesh(const plan::PlanT &plan) {
  bool isUsed = plan.devices == 1;
  std::vector<bool> usedAxes(plan.mesh.size());
  auto use = [&](const plan::AxisList &axes) {
    for (const plan::AxisRef &axis : axes)
      usedAxes[axis.axis()] = true;
  };
  auto check = [&](const plan::TensorT &tensor) {
    isUsed = isUsed || tensor.local_shape != tensor.global_shape;
    if (tensor.sharding)
      for (const auto &dim : tensor.sharding->dims)
        use(dim->axes);
  };
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs) {
      for (const auto &argument : program->arguments)
        check(*argument->tensor);
      for (const auto &result : program->results)
        check(*result->tensor);
      for (const auto &instruction : program->instructions)
        if (const auto *start = instruction->op.AsCollectiveStart()) {
          isUsed = true;
          use(start->axes);
        } else if (const auto *index = instruction->op.AsAxisIndex()) {
          use(index->axes);
        }
    }
  for (size_t axis = 0; axis < usedAxes.size() && isUsed; ++axis)
    if (!usedAxes[axis] && plan.mesh[axis]->size > 1 &&
        plan.mesh[axis]->kind == plan::AxisKind::Space)
      warnOfUnusedAxis(*plan.mesh[axis]);
  if (!isUsed)
    messages().warning("nothing is sharded: each of the " +
                       llvm::Twine(plan.devices) +
                       " devices runs the whole program; give a --strategy, or "
                       "export the model with shardings");
}
