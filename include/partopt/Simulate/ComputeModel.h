//===- ComputeModel.h - How long a modelled device computes ---------------===//
//
// A device of two rates and an overhead: an instruction takes the longer of its
// arithmetic and its memory traffic, and never less than the overhead.
// Arithmetic is what the plan records; memory traffic is the bytes of the
// buffers.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_COMPUTEMODEL_H
#define PARTOPT_SIMULATE_COMPUTEMODEL_H

#include "partopt/Simulate/Work.h"

#include <string>

namespace partopt::simulate {

struct ComputeModel {
  double flopsPerSecond = 0; ///< 0: this is no model
  double bytesPerSecond = 0;
  double overhead = 0; ///< seconds per instruction

  bool empty() const { return flopsPerSecond == 0; }

  /// Reads "FLOPS,BYTES[,OVERHEAD]", e.g. "20GFLOP/s,10GB/s,5us". Returns
  /// empty, or what is wrong with the text.
  std::string parse(const std::string &text);

  /// Seconds; 0 for no work.
  double seconds(const Work &work) const;
};

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_COMPUTEMODEL_H
