//===- Calibration.h - What kernels and messages cost on a real machine ---===//
//
// Rates of one core by kind of work, all cores at work, as `partopt bench
// kernels` measures them, in a JSON file. Without one, round numbers of a
// server's core stand in.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_CALIBRATION_H
#define PARTOPT_SIMULATE_CALIBRATION_H

#include "partopt/Simulate/Work.h"

#include <string>
#include <vector>

namespace partopt::simulate {

/// A matrix product that was measured.
struct ProductRate {
  ProductShape shape;
  double flopsPerSecond = 0;
};

/// A rate that was measured on so many bytes in all.
struct SizedRate {
  double bytes = 0;
  double bytesPerSecond = 0;
};

struct Calibration {
  double launch = 1e-6; ///< seconds per kernel or copy
  double productCall = 1e-6;
  double flopsPerSecond = 5e9; ///< elementwise and reductions
  double functionsPerSecond = 0.5e9;
  double contractionsPerSecond = 10e9;
  double shuffledBytesPerSecond = 2e9;
  std::vector<SizedRate> memory = {{1e6, 10e9}};
  std::vector<ProductRate> products = {{{512, 512, 512}, 20e9}};
  /// The host's transport: what a message costs the cores at its ends.
  double messageSeconds = 20e-6;
  double storedBytesPerSecond = 2e9, combinedBytesPerSecond = 2e9;
  unsigned cores = 0;      ///< of the machine; 0: as many as wanted
  bool isMeasured = false; ///< read from a file

  /// Seconds on one core, while the others do the like.
  double seconds(const Work &work) const;

  /// At the working set's size: between measured ones along the logarithm.
  double memoryRate(double bytes) const;
  /// Of measured products, those that are near in the logarithm of every
  /// extent count most.
  double productRate(const ProductShape &shape) const;

  /// Reads the file; returns empty, or what is wrong with it.
  std::string read(const std::string &path);
  std::string parse(const std::string &text);
};

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_CALIBRATION_H
