//===- Classes.h - Programs and tensors over rank classes -----------------===//
//
// Ranks of different classes run different programs of an entry, with arguments
// and results of their own.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_CLASSES_H
#define PARTOPT_PLAN_CLASSES_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <cstddef>
#include <string>
#include <vector>

namespace partopt::plan {

/// The object whose kernels the programs of `rankClass` launch: its own, or the
/// first class's; null where neither has one.
const KernelObjectT *kernelsOf(const PlanT &plan, const RankClassT &rankClass);

/// The program of the class for `entry`, or null.
const ProgramT *programOf(const RankClassT &rankClass, size_t entry);

/// The arguments or results of an entry over all classes, each index name once
/// (of parts the first), "out2" before "out10".
std::vector<const ArgumentT *> argumentsOf(const PlanT &plan, size_t entry);
std::vector<const ResultT *> resultsOf(const PlanT &plan, size_t entry);

/// "2:5", the rows 2, 3 and 4 that `tensor` is of its array; "" where it is all
/// of it.
std::string rowsText(const TensorT &tensor);

/// An argument or result, or a part of one, and who has it.
struct HeldTensor {
  const TensorT *tensor;       ///< the first class's
  std::vector<size_t> classes; ///< those that have it, ascending
};

/// The arguments or results of an entry over all classes as argumentsOf has
/// them, but each part of an array by itself, in the order of rows.
std::vector<HeldTensor> heldArguments(const PlanT &plan, size_t entry);
std::vector<HeldTensor> heldResults(const PlanT &plan, size_t entry);

/// The place in argumentsOf of the argument that a result of resultsOf takes,
/// or -1.
int argumentTakenBy(const PlanT &plan, size_t entry, const ResultT &result);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_CLASSES_H
