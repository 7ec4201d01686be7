//===- ComputeModel.h - How long a modelled device computes ---------------===//
//
// A device of two rates and an overhead: an instruction takes the longer of its
// arithmetic and its memory traffic, and never less than the overhead. Matrix
// products may have rates of their own by the width of their type.
// Arithmetic is what the plan records; memory traffic is the bytes of the
// buffers.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_COMPUTEMODEL_H
#define PARTOPT_SIMULATE_COMPUTEMODEL_H

#include "partopt/Simulate/Work.h"

#include <map>
#include <string>

namespace partopt::simulate {

struct ComputeModel {
  double flopsPerSecond = 0; ///< 0: this is no model
  double bytesPerSecond = 0;
  double overhead = 0; ///< seconds per instruction
  /// Of matrix products, by bits of their element type; empty: as the rest.
  std::map<unsigned, double> byWidth = {};

  bool empty() const { return flopsPerSecond == 0; }

  /// Reads "FLOPS,BYTES[,OVERHEAD]", e.g. "20GFLOP/s,10GB/s,5us". Returns
  /// empty, or what is wrong with the text.
  std::string parse(const std::string &text);

  /// Sets the peak of products of one width; other arithmetic is that of 32
  /// bits.
  void setPeak(unsigned width, double flops);

  /// Operations per second of one width's products, and whose peak that is
  /// from; 0: all arithmetic has one rate.
  struct Peak {
    double flopsPerSecond;
    unsigned from;
  };

  /// A width without a peak of its own is no faster than what is known of
  /// others: half for each doubling of the next narrower one (as TF32 on tensor
  /// cores is half of bf16), and where there is none, the next wider one's.
  Peak peakOf(unsigned width) const;

  /// Seconds; 0 for no work.
  double seconds(const Work &work) const;
};

/// Bits of "f4", "f8", "bf16", "f16", "f32", "f64", else 0; and the name of a
/// width.
unsigned peakWidth(const std::string &type);
std::string peakName(unsigned width);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_COMPUTEMODEL_H
