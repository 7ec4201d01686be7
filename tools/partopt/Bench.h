//===- Bench.h - partopt bench --------------------------------------------===//
//
// The benchmarks that are part of the driver.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TOOLS_PARTOPT_BENCH_H
#define PARTOPT_TOOLS_PARTOPT_BENCH_H

#include "BenchPrograms.h"

#include "partopt/Simulate/Calibration.h"
#include "partopt/Support/OptionSet.h"

namespace partopt::driver {

/// Hardware threads; all are busy while something is measured.
unsigned coresOfMachine();

/// A program that was measured, one copy on each core.
struct MeasuredKernel {
  std::string name;
  simulate::Work work;
  double seconds = 0; ///< of its repetitions, the lower quartile
};

/// Times of the program's kernels, products and copies, arguments and results
/// in memory that earlier repetitions have left behind.
llvm::Expected<MeasuredKernel> measureKernels(const BenchProgram &program);

/// Rate of a product through the BLAS on each core.
llvm::Expected<simulate::ProductRate>
measureProduct(const simulate::ProductShape &shape);

/// Seconds of one of the program's `count` collectives between two ranks.
llvm::Expected<double> measureCollective(const BenchProgram &program,
                                         int count);

/// Rates with the least sum of factors between predicted and measured times.
/// Memory, products and messages stay.
void fitRates(const std::vector<MeasuredKernel> &kernels,
              simulate::Calibration &calibration);

/// partopt bench kernels.
int benchKernels(const OptionSet &options);

} // namespace partopt::driver

#endif // PARTOPT_TOOLS_PARTOPT_BENCH_H
