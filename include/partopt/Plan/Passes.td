//===- Passes.td - Passes of the plan stage ------------------------------===//

#ifndef PARTOPT_PLAN_PASSES_TD
#define PARTOPT_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToPlan : Pass<"partopt-lower-to-plan", "::mlir::ModuleOp"> {
  let summary = "Turns the scheduled main function into a plan.program";
  let description = [{
    Gives every value a static byte range. Requires the kernel form: `@main`
    holds calls of kernel functions, `stablehlo.dot_general` in BLAS form,
    `stablehlo.reshape`, contiguous comm ops and `return`. Guarantees one
    `plan.program` in place of `@main`; kernel functions stay.

    - Arguments are resident. The next value (`partopt.next_result`) of a donated
      argument (`tf.aliasing_output`) is written straight into the argument's
      range when every other use of the argument comes before; else, and where
      the argument is not donated, it lies in the arena, and the executor copies
      after the step.
    - `stablehlo.reshape` is a view of its operand's range.
    - A collective's operands and results stay in use until its wait.
    - An input that dies at a kernel gives its range to an output when the
      kernel's argument says so: `partopt.may_be_overwritten_by`. The
      call then goes to a variant of the kernel whose argument has
      `partopt.overwritten_by`; kernels that nothing calls are erased. An
      all-reduce may overwrite an operand that dies there.
    - What a loop carries has one range from before it to behind it when its
      next value is reached from the last through such kernels; a product that
      is added to it on the way is added in place (`accumulate`).
    - Every buffer says what it is used for (`holds`).

    Arena offsets come from `planMemory`, and are proven by `verifyMemory`.
  }];
  let dependentDialects = ["::partopt::planir::PlanDialect"];
  let statistics = [
    Statistic<"instructions", "instructions", "Instructions in the program">,
    Statistic<"residentBytes", "resident-bytes", "Bytes of the arguments">,
    Statistic<"arenaBytes", "arena-bytes", "Bytes of the arena">,
    Statistic<"arenaBound", "arena-bound",
      "Most arena bytes in use at one instruction: no arena can be smaller">,
    Statistic<"inPlaceResults", "in-place-results",
      "Results written straight into the argument that they take">,
    Statistic<"copiedResults", "copied-results",
      "Results that the program or the executor copies">
  ];
}

#endif // PARTOPT_PLAN_PASSES_TD
