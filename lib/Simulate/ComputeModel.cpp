//===- ComputeModel.cpp - How long a modelled device computes -------------===//
//
// See ComputeModel.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/ComputeModel.h"

#include "partopt/Plan/ElementTypes.h"
#include "partopt/Simulate/Quantities.h"

#include <algorithm>

namespace partopt::simulate {

std::string ComputeModel::parse(const std::string &text) {
  const std::string form =
      "write FLOPS,BYTES or FLOPS,BYTES,OVERHEAD of the modelled device, e.g. "
      "2GFLOP/s,1GB/s,10us";
  std::vector<std::string> parts = splitText(text, ',');
  if (parts.size() != 2 && parts.size() != 3)
    return "'" + text + "' is no speed of a device; " + form;
  std::optional<double> flops = parseFlopRate(parts[0]);
  if (!flops)
    return "'" + parts[0] +
           "' is no rate of arithmetic (units FLOP/s, MFLOP/s, GFLOP/s, "
           "TFLOP/s); " +
           form;
  std::optional<double> bytes = parseByteRate(parts[1]);
  if (!bytes)
    return "'" + parts[1] +
           "' is no memory bandwidth (units B/s, KB/s, MB/s, GB/s, TB/s); " +
           form;
  std::optional<double> each = parts.size() == 3 ? parseTime(parts[2]) : 0.0;
  if (!each)
    return "'" + parts[2] + "' is no overhead (units s, ms, us, ns); " + form;
  *this = {*flops, *bytes, *each, {}};
  return "";
}

unsigned peakWidth(const std::string &type) {
  if (type == "bf16")
    return 16;
  for (unsigned width : {4U, 8U, 16U, 32U, 64U})
    if (type == "f" + std::to_string(width))
      return width;
  return 0;
}

std::string peakName(unsigned width) {
  return width == 16 ? "bf16" : "f" + std::to_string(width);
}

ComputeModel::Peak ComputeModel::peakOf(unsigned width) const {
  if (byWidth.empty())
    return {flopsPerSecond, 0};
  auto near = byWidth.upper_bound(width);
  if (near == byWidth.begin())
    return {near->second, near->first};
  --near;
  return {near->second * near->first / width, near->first};
}

void ComputeModel::setPeak(unsigned width, double flops) {
  byWidth[width] = flops;
  flopsPerSecond = peakOf(32).flopsPerSecond;
}

double ComputeModel::seconds(const Work &work) const {
  if (empty() || work.empty())
    return 0;
  double rate = flopsPerSecond;
  if (work.product)
    rate =
        peakOf(static_cast<unsigned>(8 * plan::elementSize(work.product->type)))
            .flopsPerSecond;
  return overhead + std::max(work.flops / rate, work.bytes / bytesPerSecond);
}

} // namespace partopt::simulate
