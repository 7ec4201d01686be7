//===- Shim.h - A stand-in for the CUDA driver, for tests -----------------===//
//
// TEST ONLY. One shared library that has the functions of libcuda, cuBLASLt and
// NCCL which the CUDA driver calls, on memory of the host. It keeps the order
// that streams, events and graphs promise and no other: what is enqueued runs
// late, in an order drawn at random among those that are allowed, and two
// operations that touch the same bytes without being ordered are reported. It
// says nothing about a GPU's speed or its code.
//
// Environment, read by cuInit:
//   PARTOPT_SHIM_SEED=N        draws the order; 0: as enqueued
//   PARTOPT_SHIM_DEVICES=N     devices (1)
//   PARTOPT_SHIM_MEMORY=BYTES  of each device
//   PARTOPT_SHIM_VERSION=N     of the driver (the header's)
//   PARTOPT_SHIM_CAPABILITY=N  e.g. 90; 0: an emulated device, which runs the
//                              host's kernels
//   PARTOPT_SHIM_FAIL=CALL:N:CODE  the N-th such call, from 1, fails
//   PARTOPT_SHIM_BUSY=N        so many queries of events find them not over
//   PARTOPT_SHIM_KERNELS=FILE  what kernels touch: lines "symbol r64 w128"
//   PARTOPT_SHIM_LOG=FILE      every call, a line each
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_CUDASHIM_SHIM_H
#define PARTOPT_TEST_CUDASHIM_SHIM_H

#include "RaceDetector.h"

#include <cuda.h>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace partopt::shim {

/// Something that a device does.
struct Work {
  std::string name;
  std::vector<Access> accesses;
  std::function<void()> run;
};

struct Capture;

struct Stream {
  int device = 0;
  unsigned lane = 0;
  Clock clock;                  ///< of what was put on it last
  std::vector<uint64_t> tail;   ///< what comes before the next operation
  Capture *capture = nullptr;   ///< that it takes part in
  std::vector<size_t> nodeTail; ///< the same, in the capture
};

struct Event {
  int device = 0;
  bool hasTime = false;
  bool isRecorded = false;
  Clock clock;
  std::vector<uint64_t> tail;
  Capture *capture = nullptr;
  std::vector<size_t> nodeTail;
  uint64_t when = 0; ///< a made-up time
};

struct Node {
  Work work;
  Stream *stream = nullptr;
  std::vector<size_t> after;
};

struct Graph {
  std::vector<Node> nodes;
  std::map<Stream *, unsigned> lanes;
};

struct Capture {
  Stream *origin = nullptr;
  Graph graph;
  std::set<Stream *> streams;
};

/// All devices; one thread at a time calls.
class Shim {
public:
  /// A wait that "fails" so is not made, to show that it is needed.
  static constexpr int forget = -1;

  static Shim &get();

  /// Forgets all calls, races and failures, and reads the environment.
  void reset();

  /// Counts a call; the code that it is to fail with, or 0.
  int called(const char *name);
  uint64_t calls(const std::string &name) const;
  void failAt(const std::string &name, uint64_t number, int code) {
    failures[name] = {number, code};
  }

  unsigned addLane() { return lanes++; }
  CUresult enqueue(const std::vector<Stream *> &streams, Work work);
  CUresult record(Event &event, Stream &stream);
  CUresult wait(Stream &stream, const Event &event);
  CUresult beginCapture(Stream &stream);
  CUresult endCapture(Stream &stream, Graph *&graph);
  CUresult launch(Graph &graph, Stream &stream);
  /// Runs everything, and lets the host see what `clock` has seen.
  CUresult synchronize(const Clock &clock);

  /// Null where nothing was said of the kernel.
  const std::vector<Access> *accessesOf(const std::string &symbol) const;
  /// `accesses`: "r64 w128", by parameter.
  void describe(const std::string &symbol, const std::string &accesses);
  uint64_t races() const { return detector.races; }

  int devices = 1, version = CUDA_VERSION, capability = 0;
  uint64_t memory = uint64_t(64) << 30;
  uint64_t busy = 0;            ///< how often a query says that work goes on
  std::map<int, uint64_t> used; ///< bytes, by device
  int current = -1;             ///< the device whose context is current

private:
  struct Pending {
    std::vector<uint64_t> after;
    std::function<void()> run;
  };
  uint64_t submit(unsigned lane, std::vector<uint64_t> after, Clock &clock,
                  const Work &work);
  void runAll();
  void readKernels(const std::string &path);
  void readFailure(const std::string &text);

  RaceDetector detector;
  std::map<std::string, uint64_t> counts;
  std::map<std::string, std::pair<uint64_t, int>> failures;
  std::map<std::string, std::vector<Access>> kernels;
  std::map<uint64_t, Pending> pending;
  std::vector<std::unique_ptr<Capture>> captures;
  Clock host;
  unsigned lanes = 0;
  uint64_t nextOperation = 1, ticks = 0;
  std::mt19937_64 random;
  bool isShuffled = false;
  std::string logPath;
};

} // namespace partopt::shim

#endif // PARTOPT_TEST_CUDASHIM_SHIM_H
