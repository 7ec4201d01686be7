//===- Dataflow.h - What each result of a plan is computed from -----------===//
//
// Numbers that stand for computations: equal numbers mean that the same
// operations were applied to the same arguments. The compiler numbers the
// values of the program before they share memory and are put in an order; the
// verifier numbers what the plan's buffers hold, instruction by instruction. A
// plan whose results have other numbers computes something else, however well
// formed it is.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_DATAFLOW_H
#define PARTOPT_PLAN_DATAFLOW_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::plan {

using ValueNumber = uint64_t;

/// Of an argument by its index name and rows; never 0. Classes that have it
/// have equal copies.
ValueNumber argumentNumber(const TensorT &tensor);
/// Of "arg0", "arg1", …
ValueNumber argumentNumber(size_t index);

/// The buffers that the executor hands to an operation, in its order. The
/// instruction's lists of reads and writes are not looked at, except that the
/// last writes.size() arguments of a Launch are its outputs.
struct Operands {
  std::vector<uint32_t> inputs, outputs;
};
Operands operandsOf(const InstructionT &instruction);

/// Of the outputs of `instruction`, given the numbers of its inputs. Buffers,
/// events, streams and ids do not enter; kernels enter by their symbol in
/// `kernels` (null: none). The instruction's references must be in range.
/// Empty for a Wait and a Send; what a Recv writes is what was sent, which only
/// resultNumbers knows.
std::vector<ValueNumber> writtenNumbers(const InstructionT &instruction,
                                        const KernelObjectT *kernels,
                                        const std::vector<ValueNumber> &inputs);

/// Of a result: of its value together with the argument whose place it takes.
ValueNumber resultNumber(ValueNumber value, int alias);

/// Of one class's program after a step.
struct ClassResults {
  std::vector<ValueNumber> numbers; ///< by result
  /// The instruction that was reached: the end, or a Recv of what nobody sends
  /// before it waits itself.
  size_t reached = 0;
};

/// What the results of an entry hold, by class, after the programs of all
/// classes have run on their buffers; a Recv writes what the Send of its
/// channel has read. References must be in range and channels have peers; a
/// buffer that was never written counts as 0.
std::vector<ClassResults> resultNumbers(const PlanT &plan, size_t entry);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_DATAFLOW_H
