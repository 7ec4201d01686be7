//===- ProductPeaks.cpp - How fast matrix products are predicted ----------===//
//
// See ProductPeaks.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/ProductPeaks.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/ElementTypes.h"
#include "partopt/Simulate/Quantities.h"

#include <map>

namespace partopt::simulate {

static unsigned widthOf(plan::ElementType type) {
  return static_cast<unsigned>(8 * plan::elementSize(type));
}

bool ProductPeak::isOwn() const {
  return peak.from == 0 || peak.from == widthOf(type);
}

std::string ProductPeak::text() const {
  std::string name = plan::elementName(type),
              rate = unitText(peak.flopsPerSecond, "FLOP/s"),
              text = "products of " + name + " are timed at " + rate;
  if (isOwn())
    return text;
  unsigned width = widthOf(type);
  std::string from = peakName(peak.from);
  return text + ", " +
         (peak.from > width ? "as those of " + from
          : width == 2 * peak.from
              ? "half of the peak of " + from
              : numberText(static_cast<double>(peak.from) / width) +
                    " of the peak of " + from) +
         ": the device gives none of its width (device.peak." +
         peakName(width) + " of a cluster file)";
}

std::vector<ProductPeak> productPeaks(const plan::PlanT &plan, size_t entry,
                                      const ComputeModel &device) {
  std::map<plan::ElementType, double> flops;
  for (const auto &rankClass : plan.classes)
    if (const plan::ProgramT *program = plan::programOf(*rankClass, entry))
      for (const auto &instruction : program->instructions)
        if (const auto *product = instruction->op.AsGemm())
          flops[product->type] += static_cast<double>(instruction->flops);
  std::vector<ProductPeak> peaks;
  for (const auto &[type, sum] : flops)
    if (!device.empty())
      peaks.push_back({type, sum, device.peakOf(widthOf(type))});
  return peaks;
}

} // namespace partopt::simulate
