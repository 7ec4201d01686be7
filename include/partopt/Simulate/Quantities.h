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

/// "80GiB", "1.5 GB", "4096": bytes, from 0; a plain number is bytes.
std::optional<double> parseByteCount(const std::string &text);

/// "450GB/s": the number with the largest unit of 1000s that leaves at least 1.
std::string unitText(double value, const std::string &unit);

/// The parts between the separators, blanks around them removed.
std::vector<std::string> splitText(const std::string &text, char separator);

/// The shortest decimal text that is read back as `value`.
std::string numberText(double value);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_QUANTITIES_H
