//===- Machine.h - What a prediction depends on besides the plan ----------===//
//
// Links, device, and what a host's transport costs its cores.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SIMULATE_MACHINE_H
#define PARTOPT_SIMULATE_MACHINE_H

#include "partopt/Plan/NearestWord.h"
#include "partopt/Simulate/Calibration.h"
#include "partopt/Simulate/Cluster.h"
#include "partopt/Simulate/ComputeModel.h"
#include "partopt/Simulate/LinkModel.h"
#include "partopt/Simulate/Messages.h"

namespace partopt::simulate {

/// Whether kernels run beside collectives.
enum class Overlap {
  On,  ///< as the plan says
  Off, ///< every collective is waited for where it starts
  Late ///< every collective starts where it is waited for
};

/// A machine for one plan.
struct Machine {
  std::string name = "host";    ///< or what was said of it: "cluster=h100x8"
  std::vector<LinkSpeed> links; ///< by mesh axis; empty: the host's transport
  ComputeModel device;          ///< empty: as calibrated
  Calibration calibration;
  Overlap overlap = Overlap::On;
  unsigned ranks = 1; ///< threads of this process
  unsigned cores = 0; ///< that they share; 0: one for each thread

  /// Of compute on one rank.
  double seconds(const Work &work) const;
  /// Of kernels, when more ranks than cores compute.
  double slowdown() const;
  /// The part of a collective's work that its rank's kernels lose, since no
  /// core is left for its thread; nothing on modelled devices and links.
  double stolen() const;
  /// What each of these messages costs the cores at its ends. The time of a
  /// modelled link hides all but its end, of which only a measured calibration
  /// knows.
  double transportSeconds(const MessageRun &run) const;
};

/// What a user says about a machine, before there is a plan.
struct MachineOptions {
  LinkModel links;
  ComputeModel device;
  Calibration calibration;
  Overlap overlap = Overlap::On;
  /// What gives links and device where the former do not.
  Cluster cluster;
  /// In a run, kernels only take their modelled time and compute nothing.
  bool skipKernels = false;

  /// The options of a machine: link, compute, overlap, calibration, cluster.
  static const words::Words &names();
  /// Whether `option` is one of them.
  static bool has(const std::string &option);

  /// Whether a run is to take the time of links or of a device that were given
  /// for it; a cluster alone is what the plan is for.
  bool isModelled() const;

  /// Takes the value of such an option; returns empty, or what is wrong.
  std::string set(const std::string &option, const std::string &value);

  /// All that was set, as "link=data=50us,1GB/s;compute=…", and back.
  std::string text() const;
  std::string parse(const std::string &text);

  /// For `plan`; returns empty, or which axis its mesh does not have.
  std::string resolve(const plan::PlanT &plan, Machine &machine) const;

  /// The part of it that a transport needs.
  std::string resolveLinks(const plan::PlanT &plan,
                           std::vector<LinkSpeed> &resolved) const;

  /// The same where the plan's axes use these levels of the cluster.
  std::string resolveLinks(const plan::PlanT &plan,
                           const std::vector<size_t> &levels,
                           std::vector<LinkSpeed> &resolved) const;

private:
  std::string setCluster(const std::string &value);
  std::string setCompute(const std::string &value);
  std::string setOverlap(const std::string &value);

  bool hasCompute = false; ///< what computes was said
  std::vector<std::pair<std::string, std::string>> given;
};

} // namespace partopt::simulate

#endif // PARTOPT_SIMULATE_MACHINE_H
