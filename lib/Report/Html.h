//===- Html.h - Text, tables and boxes of a page --------------------------===//
//
// Everything that comes from a model goes through escaped().
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_REPORT_HTML_H
#define PARTOPT_LIB_REPORT_HTML_H

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::report {

/// For text and for attribute values; control characters but ends of lines as
/// "\x1B".
std::string escaped(const std::string &text);

/// A number of the page's coordinates or attributes, with as many digits as it
/// needs.
std::string numberText(double number);
/// "12.5 %"
std::string percentText(double part);
/// "1.25 MiB"; with the exact number where that is another.
std::string bytesText(uint64_t bytes);

/// Of the page, with its heading.
std::string section(const std::string &id, const std::string &title,
                    const std::string &body);

/// An SVG rectangle. `attributes` and `css` are the page's own text, `title` is
/// what a pointer shows.
std::string rectangle(double x, double y, double width, double height,
                      const std::string &css, const std::string &title,
                      const std::string &attributes = "");

/// An SVG text that begins at x; css as of rectangle.
std::string svgText(double x, double y, const std::string &css,
                    const std::string &text);

/// A table that ends with how many more rows there are than it shows.
class HtmlTable {
public:
  HtmlTable(std::vector<std::string> head, std::vector<size_t> numeric)
      : head(std::move(head)), numericColumns(std::move(numeric)) {}

  void add(const std::vector<std::string> &row);
  /// The table, or "none".
  std::string text() const;

private:
  std::string cells(const std::vector<std::string> &row, const char *tag) const;

  std::vector<std::string> head;
  std::vector<size_t> numericColumns;
  std::string rows;
  size_t count = 0;
};

/// "<p>and 3 more …</p>" for what is beyond the limit, or "".
std::string moreText(size_t count, size_t shown, const std::string &what);

} // namespace partopt::report

#endif // PARTOPT_LIB_REPORT_HTML_H
