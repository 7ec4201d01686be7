//===- Classes.cpp - Programs and tensors over rank classes ---------------===//
//
// See Classes.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/Classes.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
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

/// "out2" before "out10".
static bool isBefore(const std::string &left, const std::string &right) {
  return left.size() != right.size() ? left.size() < right.size()
                                     : left < right;
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
    return isBefore(a->tensor->index_name, b->tensor->index_name);
  });
  return items;
}

template <typename Select>
static std::vector<HeldTensor> collectHeld(const PlanT &plan, size_t entry,
                                           Select select) {
  using Part = std::tuple<std::string, uint64_t, uint64_t>;
  std::vector<HeldTensor> held;
  std::map<Part, size_t> known;
  for (size_t i = 0; i < plan.classes.size(); ++i)
    if (const ProgramT *program = programOf(*plan.classes[i], entry))
      for (const auto &item : select(*program)) {
        const TensorT &tensor = *item->tensor;
        Part part(tensor.index_name, tensor.first_row, tensor.rows);
        auto [place, isNew] = known.emplace(part, held.size());
        if (isNew)
          held.push_back({&tensor, {}});
        held[place->second].classes.push_back(i);
      }
  std::sort(held.begin(), held.end(),
            [](const HeldTensor &a, const HeldTensor &b) {
              if (a.tensor->index_name == b.tensor->index_name)
                return a.tensor->first_row < b.tensor->first_row;
              return isBefore(a.tensor->index_name, b.tensor->index_name);
            });
  return held;
}

static const auto &argumentList(const ProgramT &program) {
  return program.arguments;
}

static const auto &resultList(const ProgramT &program) {
  return program.results;
}

std::vector<const ArgumentT *> argumentsOf(const PlanT &plan, size_t entry) {
  return collect<ArgumentT>(plan, entry, argumentList);
}

std::vector<const ResultT *> resultsOf(const PlanT &plan, size_t entry) {
  return collect<ResultT>(plan, entry, resultList);
}

std::vector<HeldTensor> heldArguments(const PlanT &plan, size_t entry) {
  return collectHeld(plan, entry, argumentList);
}

std::vector<HeldTensor> heldResults(const PlanT &plan, size_t entry) {
  return collectHeld(plan, entry, resultList);
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
