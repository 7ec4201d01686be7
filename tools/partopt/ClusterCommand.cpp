//===- ClusterCommand.cpp - partopt cluster -------------------------------===//
//
// The built-in clusters, and one cluster as the JSON of a cluster file, so that
// a description of one's own begins with a copy.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "partopt/Simulate/Cluster.h"

using namespace partopt;
using namespace partopt::driver;

int partopt::driver::clusterCommand(const OptionSet &options) {
  if (options.has("list")) {
    for (const simulate::BuiltinName &one : simulate::builtinClusters())
      llvm::outs() << llvm::left_justify(one.name, 8) << one.what << "\n";
    llvm::outs()
        << "Other numbers: h100x4 is a part of a node, h100x16, h100x24, "
           "… are whole nodes on\na network. partopt cluster NAME shows "
           "the figures.\n";
    return Good;
  }
  simulate::Cluster cluster;
  std::string wrong = simulate::findCluster(options.positionals[0], cluster);
  if (!wrong.empty())
    return fail(userError(wrong));
  llvm::outs() << cluster.text();
  return Good;
}
