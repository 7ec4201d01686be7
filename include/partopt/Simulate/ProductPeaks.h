//===- ProductPeaks.h - How fast matrix products are predicted --*- C++ -*-===//
//
// Which peak the products of each type in a plan are timed with.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_PRODUCTPEAKS_H
#define PARTOPT_SIMULATE_PRODUCTPEAKS_H

#include "partopt/Plan/PlanFormat_generated.h"
#include "partopt/Simulate/ComputeModel.h"

#include <string>
#include <vector>

namespace partopt::simulate {

/// The matrix products of one element type.
struct ProductPeak {
  plan::ElementType type;
  double flops = 0; ///< of one step, on all classes of ranks
  ComputeModel::Peak peak;

  /// Whether the device gives a peak of this width, or one for everything.
  bool isOwn() const;
  /// "products of f32 are timed at 494.5TFLOP/s", and why if it is not the
  /// device's own figure.
  std::string text() const;
};

/// Of one entry, by type; none on a device that is not modelled.
std::vector<ProductPeak> productPeaks(const plan::PlanT &plan, size_t entry,
                                      const ComputeModel &device);

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_PRODUCTPEAKS_H
