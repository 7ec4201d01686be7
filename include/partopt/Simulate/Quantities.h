//===- Quantities.h - Numbers with units ----------------------------------===//
//
// Times, rates and sizes as people write them on a command line: "50us",
// "1GB/s", "20GFLOP/s". A unit is never left out, so that nobody has to guess.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_QUANTITIES_H
#define PARTOPT_SIMULATE_QUANTITIES_H

#include <optional>
#include <string>
#include <vector>

namespace partopt::simulate {

/// "50us", "1.5ms", "200ns", "2s": seconds, from 0.
std::optional<double> parseTime(const std::string &text);

/// "1GB/s", "200KB/s", "8B/s" (powers of 1000): bytes per second, above 0.
std::optional<double> parseByteRate(const std::string &text);

/// "20GFLOP/s", "1.5TFLOP/s": operations per second, above 0.
std::optional<double> parseFlopRate(const std::string &text);

/// The parts between the separators, blanks around them removed.
std::vector<std::string> splitText(const std::string &text, char separator);

/// The shortest decimal text that is read back as `value`.
std::string numberText(double value);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_QUANTITIES_H
