//===- BenchPrograms.h - Programs whose kernels are measured --------------===//
//
// Small models of one kind of work each, written here so that a calibration
// depends on no model that it is used for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TOOLS_PARTOPT_BENCHPROGRAMS_H
#define PARTOPT_TOOLS_PARTOPT_BENCHPROGRAMS_H

#include <cstdint>
#include <string>
#include <vector>

namespace partopt::driver {

struct BenchProgram {
  std::string name;
  std::string text; ///< StableHLO
};

/// %a + %b on `elements` f32.
BenchProgram sumProgram(int64_t elements);

/// Arithmetic, functions, reductions, softmax, layer norm, transposes, gather,
/// scatter, convolution.
std::vector<BenchProgram> kernelPrograms();

/// `count` collectives of `elements` f32 over {"data"=2}, each of which needs
/// the one before. Between all_reduces are kernels over `rows` times as many.
BenchProgram reduceProgram(int64_t elements, int64_t rows, int count);
BenchProgram gatherProgram(int64_t elements, int count);

} // namespace partopt::driver

#endif // PARTOPT_TOOLS_PARTOPT_BENCHPROGRAMS_H
