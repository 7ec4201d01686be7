//===- Session.h - A loaded plan that can be run --------------------------===//
//
// The runtime's C++ API: load a plan, give its arguments, run steps, take its
// results. All ranks of the plan live in this process: as threads, or as work
// on the streams of a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RT_SESSION_H
#define PARTOPT_RT_SESSION_H

#include "partopt-rt/Status.h"
#include "partopt/Plan/MemoryClasses.h"
#include "partopt/Plan/PlanFormat_generated.h"
#include "partopt/Plan/StashCount.h"
#include "partopt/Simulate/Machine.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace partopt::rt {

/// Where a rank reads its part of a global array from. Elements are numbered
/// row-major over the global shape.
class ArraySource {
public:
  virtual ~ArraySource() = default;
  /// Writes elements [first, first + count) to `out`.
  virtual void read(uint64_t first, uint64_t count, uint8_t *out) const = 0;
};

/// Where ranks put their parts of a global array.
class ArraySink {
public:
  virtual ~ArraySink() = default;
  virtual void write(uint64_t first, uint64_t count, const uint8_t *data) = 0;
};

/// A fault provoked for a test, each time `rank` reaches `instruction`.
struct Fault {
  enum class Kind { Throw, Slow, Stall };
  Kind kind;
  uint32_t rank;
  uint32_t instruction;
  uint32_t milliseconds;
};

/// Parses "throw:RANK@INSTRUCTION", "slow:RANK@INSTRUCTION:MS" or
/// "stall:RANK@INSTRUCTION".
StatusOr<Fault> parseFault(const std::string &text);

using simulate::Overlap;

enum class DriverKind { Host, Cuda };

/// What the CUDA driver can be asked for.
struct CudaOptions {
  /// Replay a step as one CUDA graph; else, and where a trace is recorded,
  /// every operation is put on its stream again in each step.
  bool graphs = true;
  /// Products of f32 may round their operands to TF32.
  bool tf32 = false;
};

struct SessionOptions {
  DriverKind driver = DriverKind::Host;
  CudaOptions cuda;
  /// A collective that takes longer fails the run; on a GPU a step.
  std::chrono::milliseconds collectiveTimeout{60000};
  /// Record a trace; costs memory per instruction and step.
  bool trace = false;
  std::vector<Fault> faults;
  /// Messages take as long as over these links, and kernels, products and
  /// copies as long as on this device; empty: as long as they take. The
  /// calibration is for predictions only.
  simulate::MachineOptions machine;
  /// Test hook, see HostTransportOptions.
  uint32_t jitterMicroseconds = 0;
};

constexpr size_t numCollectiveKinds =
    static_cast<size_t>(plan::CollectiveKind::MAX) + 1;
/// Indexed by plan::CollectiveKind.
using PerKind = std::array<uint64_t, numCollectiveKinds>;

/// What was counted since the session was created.
struct SessionStats {
  std::vector<PerKind> wireBytes; ///< by rank, counted where they are sent
  /// False over NCCL, which does not tell what it sends: wireBytes are what the
  /// plan says of the collectives that were started.
  bool countsWireBytes = true;
  std::vector<PerKind> collectives; ///< by rank, completed
  /// By rank, counted in the allocator; of a GPU's one block, what of it is for
  /// the rank.
  std::vector<uint64_t> arenaBytes, residentBytes;
  /// By rank and entry, what buffers held while steps ran.
  std::vector<std::vector<plan::MemoryCount>> memory;
  /// By GPU, by how much less of its memory was free when the session was open:
  /// its ranks', and what kernels and libraries need, without the driver's
  /// context; empty for the host.
  std::vector<uint64_t> deviceBytes;
  /// By rank and entry, what stages of a pipeline kept while steps ran.
  std::vector<std::vector<plan::RankStash>> stash;
  std::vector<double> stepSeconds;
  /// Per step, the longest time that a rank was blocked in waits.
  std::vector<double> exposedSeconds;
  /// Per step, the longest time by which a rank's kernels overran the model;
  /// empty without one.
  std::vector<double> excessSeconds;
};

class Executor;

class Session {
public:
  /// Verifies the plan, loads its kernels and allocates every rank's memory.
  static StatusOr<std::unique_ptr<Session>>
  create(std::shared_ptr<const plan::PlanT> plan,
         const SessionOptions &options = {});
  /// The same from a plan file.
  static StatusOr<std::unique_ptr<Session>>
  load(const std::string &path, const SessionOptions &options = {});
  ~Session();

  const plan::PlanT &plan() const;

  /// Number of the entry, or -1.
  int findEntry(const std::string &name) const;

  /// The tensors of an entry, in order, over all rank classes.
  std::vector<const plan::ArgumentT *> arguments(size_t entry) const;
  std::vector<const plan::ResultT *> results(size_t entry) const;

  /// Gives every rank its slice of argument `index` of `arguments(entry)`;
  /// the bits of padding are all set, which no float has but NaN.
  Status setArgument(size_t entry, size_t index, const ArraySource &source);

  /// Collects result `index` of `results(entry)` as the last step left it;
  /// each element is written once.
  Status readResult(size_t entry, size_t index, ArraySink &sink) const;
  /// Collects an argument's current contents.
  Status readArgument(size_t entry, size_t index, ArraySink &sink) const;

  /// Runs one step on all ranks; results that take an argument are in its
  /// place afterwards. After a failure the session only returns that failure.
  Status step(size_t entry);

  /// The device and the libraries that steps run with, and their versions; ""
  /// for the host.
  std::string machineText() const;

  SessionStats stats() const;

  /// Fails when bytes sent, collectives executed or memory allocated are not
  /// what the plan says.
  Status checkCounts() const;

  /// Writes what was recorded as a Chrome trace; needs SessionOptions::trace.
  Status writeTrace(const std::string &path) const;

private:
  Session() = default;

  std::shared_ptr<Executor> executor;
  std::vector<std::thread> threads;
};

} // namespace partopt::rt

#endif // PARTOPT_RT_SESSION_H
