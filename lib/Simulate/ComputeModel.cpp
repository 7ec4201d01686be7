//===- ComputeModel.cpp - How long a modelled device computes -------------===//
//
// See ComputeModel.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/ComputeModel.h"

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
  *this = {*flops, *bytes, *each};
  return "";
}

double ComputeModel::seconds(const Work &work) const {
  if (empty() || work.empty())
    return 0;
  return overhead +
         std::max(work.flops / flopsPerSecond, work.bytes / bytesPerSecond);
}

} // namespace partopt::simulate
