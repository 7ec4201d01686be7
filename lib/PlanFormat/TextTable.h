//===- TextTable.h - Tables of explain ------------------------------------===//
//
// Columns are as wide as their content.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLANFORMAT_TEXTTABLE_H
#define PARTOPT_LIB_PLANFORMAT_TEXTTABLE_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <string>
#include <vector>

namespace partopt::plan {

/// Control characters of a name as "\x1B": a row is one line, and a name does
/// not control the terminal.
std::string printable(const std::string &text);

/// Left-aligned columns two blanks apart; those marked numeric align right.
class Table {
public:
  explicit Table(std::vector<std::string> head, std::vector<size_t> numeric)
      : numericColumns(std::move(numeric)) {
    rows.push_back(std::move(head));
  }
  void add(std::vector<std::string> row);
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> numericColumns;
};

/// The mesh's place on a cluster; plan.mapping is not null.
std::string mappingTable(const PlanT &plan);

} // namespace partopt::plan

#endif // PARTOPT_LIB_PLANFORMAT_TEXTTABLE_H
