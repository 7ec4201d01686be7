//===- TextTable.cpp - Tables of explain ----------------------------------===//
//
// See TextTable.h.
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include <algorithm>
#include <cstdio>

namespace partopt::plan {

std::string printable(const std::string &text) {
  std::string safe;
  for (unsigned char c : text) {
    char code[5] = {char(c)};
    if (c < 0x20 || c == 0x7F)
      std::snprintf(code, sizeof(code), "\\x%02X", unsigned(c));
    safe += code;
  }
  return safe;
}

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
