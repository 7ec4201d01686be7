//===- Classes.cpp - Programs and tensors over rank classes ---------------===//
//
// See Classes.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/Classes.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace partopt::plan {

const KernelObjectT *kernelsOf(const PlanT &plan, const RankClassT &rankClass) {
  return rankClass.kernels ? rankClass.kernels.get()
                           : plan.classes.front()->kernels.get();
}

const ProgramT *programOf(const RankClassT &rankClass, size_t entry) {
  for (const auto &program : rankClass.programs)
    if (program->entry == entry)
      return program.get();
  return nullptr;
}

template <typename Item, typename Select>
static std::vector<const Item *> collect(const PlanT &plan, size_t entry,
                                         Select select) {
  std::vector<const Item *> items;
  std::unordered_set<std::string> seen;
  for (const auto &rankClass : plan.classes)
    if (const ProgramT *program = programOf(*rankClass, entry))
      for (const auto &item : select(*program))
        if (seen.insert(item->tensor->index_name).second)
          items.push_back(item.get());
  std::sort(items.begin(), items.end(), [](const Item *a, const Item *b) {
    const std::string &left = a->tensor->index_name;
    const std::string &right = b->tensor->index_name;
    return left.size() != right.size() ? left.size() < right.size()
                                       : left < right;
  });
  return items;
}

std::vector<const ArgumentT *> argumentsOf(const PlanT &plan, size_t entry) {
  return collect<ArgumentT>(plan, entry,
                            [](const ProgramT &program) -> const auto & {
                              return program.arguments;
                            });
}

std::vector<const ResultT *> resultsOf(const PlanT &plan, size_t entry) {
  return collect<ResultT>(
      plan, entry,
      [](const ProgramT &program) -> const auto & { return program.results; });
}

std::string rowsText(const TensorT &tensor) {
  if (tensor.rows == 0 && tensor.first_row == 0)
    return "";
  return std::to_string(tensor.first_row) + ":" +
         std::to_string(tensor.first_row + tensor.rows);
}

/// An alias counts among the arguments of the result's own class.
static const ArgumentT *takenBy(const PlanT &plan, size_t entry,
                                const ResultT &result) {
  for (const auto &rankClass : plan.classes)
    if (const ProgramT *program = programOf(*rankClass, entry))
      for (const auto &one : program->results)
        if (one.get() == &result && result.alias >= 0)
          return program->arguments[result.alias].get();
  return nullptr;
}

int argumentTakenBy(const PlanT &plan, size_t entry, const ResultT &result) {
  const ArgumentT *taken = takenBy(plan, entry, result);
  if (!taken)
    return -1;
  std::vector<const ArgumentT *> arguments = argumentsOf(plan, entry);
  auto found = std::find_if(
      arguments.begin(), arguments.end(), [&](const ArgumentT *argument) {
        return argument->tensor->index_name == taken->tensor->index_name;
      });
  return static_cast<int>(found - arguments.begin());
}

} // namespace partopt::plan
