//===- Quantities.cpp - Numbers with units --------------------------------===//
//
// See Quantities.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Quantities.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace partopt::simulate {

namespace {
struct Unit {
  const char *name;
  double scale;
};
} // namespace

/// A plain decimal number from 0 and one of `units`, nothing between or behind.
template <size_t n>
static std::optional<double> parse(const std::string &text,
                                   const Unit (&units)[n]) {
  size_t digits = text.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string::npos)
    return std::nullopt;
  double value = 0;
  const char *end = text.data() + digits;
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  for (const Unit &unit : units)
    if (text.compare(digits, std::string::npos, unit.name) == 0)
      return value * unit.scale;
  return std::nullopt;
}

std::optional<double> parseTime(const std::string &text) {
  static constexpr Unit units[] = {
      {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  return parse(text, units);
}

static std::optional<double> positive(std::optional<double> value) {
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<double> parseByteRate(const std::string &text) {
  static constexpr Unit units[] = {{"B/s", 1},    {"KB/s", 1e3},
                                   {"kB/s", 1e3}, {"MB/s", 1e6},
                                   {"GB/s", 1e9}, {"TB/s", 1e12}};
  return positive(parse(text, units));
}

std::optional<double> parseFlopRate(const std::string &text) {
  static constexpr Unit units[] = {{"FLOP/s", 1},     {"KFLOP/s", 1e3},
                                   {"MFLOP/s", 1e6},  {"GFLOP/s", 1e9},
                                   {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}};
  return positive(parse(text, units));
}

std::optional<double> parseByteCount(const std::string &text) {
  static constexpr Unit units[] = {
      {"B", 1},        {"kB", 1e3},    {"KB", 1e3},     {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
      {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
  // A plain number ends where a unit would be.
  return parse(text.substr(0, end) +
                   (unit == text.size() ? "B" : text.substr(unit)),
               units);
}

std::string unitText(double value, const std::string &unit) {
  static constexpr Unit units[] = {
      {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}};
  for (const Unit &prefix : units)
    if (value >= prefix.scale)
      return numberText(value / prefix.scale) +
             (prefix.name[0] == 'k' && unit != "B" ? "K" : prefix.name) + unit;
  return numberText(value) + unit;
}

std::vector<std::string> splitText(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    size_t first = begin, last = end;
    while (first < last &&
           std::isspace(static_cast<unsigned char>(text[first])))
      ++first;
    while (first < last &&
           std::isspace(static_cast<unsigned char>(text[last - 1])))
      --last;
    parts.push_back(text.substr(first, last - first));
    begin = end + 1;
  }
  return parts;
}

std::string numberText(double value) {
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, error == std::errc() ? end : text);
}

} // namespace partopt::simulate
