//===- VerifyParts.cpp - Parts of an array cover it -----------------------===//
//
// What goes by one name over all classes is one array: its copies are of one
// shape, and its parts are all of its rows, each once.
//
//===----------------------------------------------------------------------===//

#include "ProgramView.h"

#include "partopt/Plan/ElementTypes.h"

#include <algorithm>
#include <map>

namespace partopt::plan {

namespace {

/// One tensor of an array, and who has it.
struct Part {
  const TensorT *tensor;
  const ProgramView *view;

  uint64_t begin() const { return tensor->first_row; }
  uint64_t end() const {
    return tensor->global_shape.empty() ? 0 : begin() + wholeExtent(*tensor, 0);
  }
  std::string text() const {
    return view->where() + ": " + tensor->index_name + " '" + tensor->name +
           "'";
  }
};

using Arrays = std::map<std::string, std::vector<Part>>; // by index name

} // namespace

static void verifyShapes(const std::vector<Part> &parts, Problems &problems) {
  const TensorT &first = *parts.front().tensor;
  for (const Part &part : parts) {
    const TensorT &tensor = *part.tensor;
    if (tensor.global_shape == first.global_shape && tensor.type == first.type)
      continue;
    problems.add(part.text() + " is of an array " +
                 shapeText(tensor.global_shape, tensor.type) + ", in class '" +
                 parts.front().view->rankClass.name + "' it is " +
                 shapeText(first.global_shape, first.type));
  }
}

static void verifyRows(const std::vector<Part> &parts, Problems &problems) {
  auto isPart = [](const Part &part) { return part.tensor->rows > 0; };
  if (std::none_of(parts.begin(), parts.end(), isPart))
    return;
  // Those of one row stay in the order of the classes.
  std::multimap<uint64_t, Part> byFirstRow;
  for (const Part &part : parts)
    byFirstRow.emplace(part.begin(), part);
  uint64_t covered = 0;
  const Part *last = nullptr;
  for (const auto &[begin, part] : byFirstRow) {
    bool isCopy =
        last && last->begin() == part.begin() && last->end() == part.end();
    if (!isCopy && part.begin() < covered)
      return problems.add(
          part.text() + " has rows " + std::to_string(part.begin()) + ":" +
          std::to_string(part.end()) + ", which overlap rows " +
          std::to_string(last->begin()) + ":" + std::to_string(last->end()) +
          " of class '" + last->view->rankClass.name + "'");
    if (part.begin() > covered)
      break;
    covered = part.end();
    last = &part;
  }
  const Part &first = byFirstRow.begin()->second;
  uint64_t rows = first.tensor->global_shape.front();
  if (covered < rows)
    problems.add(first.text() + ": no class has row " +
                 std::to_string(covered) + " of its " + std::to_string(rows));
}

void verifyParts(const std::vector<ProgramView> &views, Problems &problems) {
  Arrays arguments, results;
  for (const ProgramView &view : views) {
    for (const auto &argument : view.program.arguments)
      arguments[argument->tensor->index_name].push_back(
          {argument->tensor.get(), &view});
    for (const auto &result : view.program.results)
      results[result->tensor->index_name].push_back(
          {result->tensor.get(), &view});
  }
  for (const Arrays *arrays : {&arguments, &results})
    for (const auto &[name, parts] : *arrays) {
      size_t before = problems.size();
      verifyShapes(parts, problems);
      if (problems.size() == before)
        verifyRows(parts, problems);
    }
}

} // namespace partopt::plan
