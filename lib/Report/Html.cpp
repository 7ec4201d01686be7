//===- Html.cpp - Text, tables and boxes of a page ------------------------===//
//
// See Html.h.
//
//===----------------------------------------------------------------------===//

#include "Html.h"

#include "partopt/Plan/PlanText.h"

#include <algorithm>
#include <cstdio>

namespace partopt::report {

static constexpr size_t shownRows = 300;

std::string escaped(const std::string &text) {
  std::string safe;
  for (char c : text)
    switch (c) {
    case '\n':
      safe += c;
      break;
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    case '\'':
      safe += "&#39;";
      break;
    default:
      safe += plan::printable(std::string(1, c));
    }
  return safe;
}

static std::string formatted(const char *format, double number) {
  char text[40];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

std::string numberText(double number) { return formatted("%.9g", number); }

/// Hundredths of a pixel are as fine as anything is drawn.
static std::string pixels(double number) {
  std::string text = formatted("%.2f", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

std::string percentText(double part) {
  return formatted("%.1f %%", 100 * part);
}

std::string bytesText(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::string exact = std::to_string(bytes);
  double number = static_cast<double>(bytes);
  size_t unit = 0;
  if (number < 1024)
    return exact + " B";
  for (number /= 1024; number >= 1024 && unit + 1 < std::size(units); ++unit)
    number /= 1024;
  return formatted("%.4g ", number) + units[unit] + " (" + exact + ")";
}

std::string section(const std::string &id, const std::string &title,
                    const std::string &body) {
  return "<section id=\"" + id + "\"><h2>" + escaped(title) + "</h2>\n" + body +
         "</section>\n";
}

std::string rectangle(double x, double y, double width, double height,
                      const std::string &css, const std::string &title,
                      const std::string &attributes) {
  return "<rect x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" +
         pixels(width) + "\" height=\"" + pixels(height) + "\" class=\"" + css +
         "\"" + (attributes.empty() ? "" : " " + attributes) + "><title>" +
         escaped(title) + "</title></rect>\n";
}

std::string svgText(double x, double y, const std::string &css,
                    const std::string &text) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" class=\"" +
         css + "\">" + escaped(text) + "</text>\n";
}

std::string HtmlTable::cells(const std::vector<std::string> &row,
                             const char *tag) const {
  std::string text = "<tr>";
  for (size_t i = 0; i < head.size(); ++i) {
    bool isNumber = std::find(numericColumns.begin(), numericColumns.end(),
                              i) != numericColumns.end();
    text += std::string("<") + tag + (isNumber ? " class=\"n\">" : ">") +
            (i < row.size() ? escaped(row[i]) : "") + "</" + tag + ">";
  }
  return text + "</tr>\n";
}

void HtmlTable::add(const std::vector<std::string> &row) {
  if (++count <= shownRows)
    rows += cells(row, "td");
}

std::string HtmlTable::text() const {
  if (count == 0)
    return "<p>none</p>\n";
  return "<table>\n<thead>" + cells(head, "th") + "</thead>\n<tbody>\n" + rows +
         "</tbody>\n</table>\n" + moreText(count, shownRows, "rows");
}

std::string moreText(size_t count, size_t shown, const std::string &what) {
  if (count <= shown)
    return "";
  return "<p class=\"more\">and " + std::to_string(count - shown) + " more " +
         escaped(what) + "</p>\n";
}

} // namespace partopt::report
