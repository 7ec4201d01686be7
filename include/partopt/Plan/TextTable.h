//===- TextTable.h - Tables of plain text ---------------------------------===//
//
// Columns are as wide as their content.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_TEXTTABLE_H
#define PARTOPT_PLAN_TEXTTABLE_H

#include <string>
#include <vector>

namespace partopt::plan {

/// Left-aligned columns two blanks apart; those marked numeric align right.
class Table {
public:
  explicit Table(std::vector<std::string> head, std::vector<size_t> numeric)
      : numericColumns(std::move(numeric)) {
    rows.push_back(std::move(head));
  }
  /// A row with the head's columns: cells that it lacks are empty, and others
  /// are left out.
  void add(std::vector<std::string> row);
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> numericColumns;
};

} // namespace partopt::plan

#endif // PARTOPT_PLAN_TEXTTABLE_H
