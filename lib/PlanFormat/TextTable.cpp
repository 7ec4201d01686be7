//===- TextTable.cpp - Tables of explain ----------------------------------===//
//
// See TextTable.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Plan/TextTable.h"

#include "partopt/Plan/PlanText.h"

#include <algorithm>

namespace partopt::plan {

void Table::add(std::vector<std::string> row) {
  for (std::string &cell : row)
    cell = printable(cell);
  row.resize(rows[0].size());
  rows.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto &row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t c = 0; c < row.size(); ++c) {
      std::string pad(widths[c] - row[c].size(), ' ');
      bool right = std::find(numericColumns.begin(), numericColumns.end(), c) !=
                   numericColumns.end();
      line += " " + (right ? pad + row[c] : row[c] + pad) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace partopt::plan
