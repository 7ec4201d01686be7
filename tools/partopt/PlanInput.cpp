// See PlanInput.h.

#include "PlanInput.h"

#include "Driver.h"

#include "partopt/Support/OptionTable.h"

using namespace partopt;
using namespace partopt::driver;

llvm::Error partopt::driver::refuseOnPlan(const OptionSet &set) {
  for (const OptionSpec &spec : optionTable()) {
    bool decidesPlan =
        spec.group == OptionGroup::Layout ||
        (spec.group == OptionGroup::Plan && spec.name != "device-memory") ||
        llvm::is_contained(
            {"arg-role", "layer", "entry", "compile-from", "dump-phases"},
            spec.name);
    if (decidesPlan && set.has(spec.name))
      return userError("option '--" + spec.name +
                       "' has no effect on a plan file; compile the model "
                       "again with it");
  }
  return llvm::Error::success();
}

void partopt::driver::warnOfUnusedMesh(const plan::PlanT &plan) {
  bool isUsed = plan.devices == 1;
  auto check = [&](const plan::TensorT &tensor) {
    isUsed = isUsed || tensor.local_shape != tensor.global_shape;
  };
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs) {
      for (const auto &argument : program->arguments)
        check(*argument->tensor);
      for (const auto &result : program->results)
        check(*result->tensor);
      for (const auto &instruction : program->instructions)
        isUsed |= instruction->op.type == plan::Op::CollectiveStart;
    }
  if (!isUsed)
    messages().warning("nothing is sharded: each of the " +
                       llvm::Twine(plan.devices) +
                       " devices runs the whole program; give a --strategy, or "
                       "export the model with shardings");
}
