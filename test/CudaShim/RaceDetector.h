//===- RaceDetector.h - Accesses that nothing orders ----------------------===//
//
// TEST ONLY. Vector clocks: each lane (a stream, or a stream within a graph)
// counts its operations; an operation's clock holds, for every lane, the last
// operation that comes before it. Memory remembers by range who wrote it last
// and who has read it since.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_CUDASHIM_RACEDETECTOR_H
#define PARTOPT_TEST_CUDASHIM_RACEDETECTOR_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace partopt::shim {

struct Access {
  uint64_t address = 0, bytes = 0;
  bool isWrite = false;
};

class Clock {
public:
  uint64_t at(unsigned lane) const {
    return lane < counts.size() ? counts[lane] : 0;
  }
  void set(unsigned lane, uint64_t count) {
    if (counts.size() <= lane)
      counts.resize(lane + 1);
    counts[lane] = count;
  }
  void join(const Clock &other) {
    for (unsigned lane = 0; lane < other.counts.size(); ++lane)
      if (other.counts[lane] > at(lane))
        set(lane, other.counts[lane]);
  }

private:
  std::vector<uint64_t> counts;
};

class RaceDetector {
public:
  /// An operation with this clock, the `number`-th of its lane.
  void check(const std::string &name, unsigned lane, uint64_t number,
             const Clock &clock, const std::vector<Access> &accesses);

  uint64_t races = 0;
  std::string first; ///< what was found first

private:
  struct Toucher {
    unsigned lane = 0;
    uint64_t number = 0; ///< 0: nobody
    std::string name;
  };
  struct Range {
    uint64_t end = 0;
    Toucher writer;
    std::vector<Toucher> readers;
  };

  /// Makes `at` a bound of ranges.
  void cut(uint64_t at);
  void report(const Toucher &earlier, const Toucher &later, const char *what,
              uint64_t address);

  std::map<uint64_t, Range> ranges; ///< by begin
};

} // namespace partopt::shim

#endif // PARTOPT_TEST_CUDASHIM_RACEDETECTOR_H
