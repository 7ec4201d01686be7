//===- BuiltinClusters.cpp - Clusters that are known by name --------------===//
//
// Nodes of eight GPUs, joined by a network where there are several, with the
// vendors' figures; and the host. Sources: peaks, memory and its bandwidth, and
// bandwidths of NVLink and of the networks (DGX A100 200 GB/s per node, DGX
// H100 and P5e 400, P6-B200 400, DGX B300 800, one way, an eighth for each
// device) from github.com/stas00/ml-engineering (compute/accelerator, network)
// and, of the A100's network, arXiv 2104.04473; latencies of a hop are those
// that NCCL's tuner uses for rings with LL128 (src/graph/tuning.cc). They are
// upper bounds of what a device reaches; a measured cluster is written as a
// file.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Cluster.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace partopt::simulate {

namespace {
struct Node {
  const char *name, *what;
  double memory, memoryBandwidth; // bytes, bytes per second
  double bf16, f8;                // operations per second; 0: not known
  double inside, network;         // bytes per second of a device, one way
};
} // namespace

static constexpr Node nodes[] = {
    {"a100", "A100 SXM 80GB, NVLink, HDR 200 Gb/s each", 80e9, 2.0e12, 312e12,
     0, 300e9, 25e9},
    {"h100", "H100 SXM, NVLink, NDR 400 Gb/s each", 80e9, 3.35e12, 989e12,
     1979e12, 450e9, 50e9},
    {"h200", "H200 SXM, NVLink, NDR 400 Gb/s each", 141e9, 4.8e12, 989e12,
     1979e12, 450e9, 50e9},
    {"b200", "B200 SXM, NVLink, 400 Gb/s each", 180e9, 8.0e12, 2250e12, 4500e12,
     900e9, 50e9},
    {"b300", "B300 SXM, NVLink, XDR 800 Gb/s each", 288e9, 8.0e12, 2250e12,
     4500e12, 900e9, 100e9}};

static constexpr uint64_t nodeDevices = 8, mostDevices = 1 << 20;
static constexpr double nvlinkLatency = 1.9e-6, networkLatency = 4.0e-6;

std::vector<BuiltinName> builtinClusters() {
  std::vector<BuiltinName> list = {
      {"host", "this machine: ranks are threads, any number of them"}};
  for (const Node &node : nodes)
    list.push_back({std::string(node.name) + "x8",
                    std::string("a node of eight ") + node.what});
  return list;
}

static Cluster makeCluster(const std::string &name, const Node &node,
                           uint64_t devices) {
  Cluster cluster;
  cluster.name = name;
  cluster.memory = node.memory;
  cluster.device.bytesPerSecond = node.memoryBandwidth;
  cluster.device.setPeak(16, node.bf16);
  if (node.f8 > 0)
    cluster.device.setPeak(8, node.f8);
  cluster.levels.push_back(
      {"node", std::min(devices, nodeDevices), {nvlinkLatency, node.inside}});
  if (devices > nodeDevices)
    cluster.levels.push_back(
        {"network", devices, {networkLatency, node.network}});
  return cluster;
}

std::string builtinCluster(const std::string &name, Cluster &cluster) {
  if (name == "host") {
    cluster = Cluster();
    cluster.name = name;
    return "";
  }
  size_t times = name.rfind('x');
  std::string kind = name.substr(0, times);
  for (const Node &node : nodes) {
    if (kind != node.name)
      continue;
    uint64_t devices = 0;
    const char *end = name.data() + name.size();
    const char *digits =
        times == std::string::npos ? end : name.data() + times + 1;
    auto [stop, error] = std::from_chars(digits, end, devices);
    if (error == std::errc() && stop == end && devices > 0 &&
        devices <= mostDevices &&
        (devices <= nodeDevices || devices % nodeDevices == 0)) {
      cluster = makeCluster(name, node, devices);
      return "";
    }
    return "'" + name + "' is no number of " + kind + ": write " + kind +
           "x8 for a node of eight, fewer for a part of it, "
           "or " +
           kind + "x16, " + kind + "x24, … for whole nodes on a network";
  }
  words::Words known;
  std::vector<BuiltinName> names = builtinClusters();
  for (const BuiltinName &one : names)
    known.push_back(one.name);
  return "there is neither a built-in cluster nor a file '" + name +
         "'; partopt cluster --list shows the built-in ones" +
         words::didYouMean(name, known);
}

std::string findCluster(const std::string &nameOrFile, Cluster &cluster) {
  std::ifstream file(nameOrFile);
  std::stringstream text;
  if (!file)
    return builtinCluster(nameOrFile, cluster);
  if (!(text << file.rdbuf()))
    return "cannot read '" + nameOrFile + "'";
  size_t dot = nameOrFile.rfind('.');
  bool isToml = dot != std::string::npos && nameOrFile.substr(dot) == ".toml";
  return readCluster(text.str(), nameOrFile, isToml, cluster);
}

} // namespace partopt::simulate
