//===- Machine.cpp - What a prediction depends on besides the plan --------===//
//
// See Machine.h.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Machine.h"

#include "partopt/Plan/NearestWord.h"
#include "partopt/Simulate/Quantities.h"

#include <algorithm>

namespace partopt::simulate {

double Machine::seconds(const Work &work) const {
  if (!device.empty())
    return device.seconds(work);
  return slowdown() * calibration.seconds(work);
}

double Machine::slowdown() const {
  if (!device.empty() || cores == 0)
    return 1;
  return std::max(1.0, static_cast<double>(ranks) / cores);
}

double Machine::stolen() const {
  if (!device.empty() || !links.empty() || cores == 0)
    return 0;
  double spare = static_cast<double>(cores) - static_cast<double>(ranks);
  return std::clamp(1 - spare / static_cast<double>(ranks), 0.0, 1.0);
}

double Machine::transportSeconds(const MessageRun &run) const {
  if (!links.empty() && !calibration.isMeasured)
    return 0;
  // The transport's pieces: all but the last are taken while the link carries
  // the next one.
  constexpr uint64_t piece = 256 << 10;
  uint64_t bytes = links.empty() ? run.bytes : std::min(run.bytes, piece);
  double rate = run.combines ? calibration.combinedBytesPerSecond
                             : calibration.storedBytesPerSecond;
  return slowdown() *
         (calibration.messageSeconds + static_cast<double>(bytes) / rate);
}

const words::Words &MachineOptions::names() {
  static const words::Words all = {"link", "compute", "overlap", "calibration",
                                   "cluster"};
  return all;
}

bool MachineOptions::has(const std::string &option) {
  return std::count(names().begin(), names().end(), option) > 0;
}

bool MachineOptions::isModelled() const {
  bool hasDevice = !device.empty() && (hasCompute || cluster.empty());
  return !links.empty() || hasDevice || skipKernels || overlap != Overlap::On;
}

std::string MachineOptions::setCompute(const std::string &text) {
  size_t equals = text.find('=');
  std::string kind = text.substr(0, equals);
  bool isModel = kind == "model" || kind == "model-only";
  if (text != "real" && (!isModel || equals == std::string::npos))
    return std::string(
               "expected real, model=FLOPS,BYTES[,OVERHEAD] (kernels run and "
               "take "
               "the time of such a device, e.g. model=2GFLOP/s,1GB/s,10us), or "
               "model-only=… (they take their time and compute nothing)") +
           words::didYouMean(kind, {"real", "model", "model-only"});
  hasCompute = true;
  skipKernels = kind == "model-only";
  device = ComputeModel();
  return isModel ? device.parse(text.substr(equals + 1)) : "";
}

std::string MachineOptions::setOverlap(const std::string &text) {
  const words::Words known = {"on", "off", "late"};
  if (text != "on" && text != "off" && text != "late")
    return "expected " + words::alternatives(known) +
           words::didYouMean(text, known);
  overlap = text == "on"    ? Overlap::On
            : text == "off" ? Overlap::Off
                            : Overlap::Late;
  return "";
}

std::string MachineOptions::setCluster(const std::string &value) {
  std::string wrong = findCluster(value, cluster);
  if (!hasCompute)
    device = cluster.device;
  return wrong;
}

std::string MachineOptions::set(const std::string &option,
                                const std::string &value) {
  std::string wrong = option == "link"      ? links.add(value)
                      : option == "compute" ? setCompute(value)
                      : option == "overlap" ? setOverlap(value)
                      : option == "cluster" ? setCluster(value)
                                            : calibration.read(value);
  if (wrong.empty())
    given.push_back({option, value});
  return wrong;
}

std::string MachineOptions::text() const {
  std::string text;
  for (const auto &[option, value] : given)
    text += (text.empty() ? "" : ";") + option + "=" + value;
  return text;
}

std::string MachineOptions::parse(const std::string &text) {
  if (text.empty())
    return "";
  for (const std::string &part : splitText(text, ';')) {
    size_t equals = part.find('=');
    std::string option = part.substr(0, equals);
    if (equals == std::string::npos || !has(option))
      return "'" + part +
             "' is no link, compute, overlap, calibration or cluster";
    std::string wrong = set(option, part.substr(equals + 1));
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

std::string
MachineOptions::resolveLinks(const plan::PlanT &plan,
                             const std::vector<size_t> &levels,
                             std::vector<LinkSpeed> &resolved) const {
  LinkModel model = links;
  for (size_t axis = 0; axis < levels.size() && cluster.hasLinks(); ++axis)
    model.setDefault(plan.mesh[axis]->name, cluster.levels[levels[axis]].link);
  std::string wrong = model.resolve(plan, resolved);
  return wrong.empty() ? "" : "--link: " + wrong;
}

std::string
MachineOptions::resolveLinks(const plan::PlanT &plan,
                             std::vector<LinkSpeed> &resolved) const {
  std::string wrong = cluster.checkSize(plan.devices);
  if (!wrong.empty())
    return "--cluster: " + wrong;
  std::vector<uint64_t> sizes;
  for (const auto &axis : plan.mesh)
    sizes.push_back(axis->kind == plan::AxisKind::Space ? axis->size : 1);
  return resolveLinks(plan, cluster.levelsOf(sizes, plan.device_ids), resolved);
}

std::string MachineOptions::resolve(const plan::PlanT &plan,
                                    Machine &machine) const {
  std::string wrong = resolveLinks(plan, machine.links);
  if (!given.empty())
    machine.name = text();
  machine.device = device;
  machine.calibration = calibration;
  machine.overlap = overlap;
  machine.ranks = std::max(1u, plan.devices);
  machine.cores = calibration.cores;
  return wrong;
}

} // namespace partopt::simulate
