//===- RaceDetector.cpp - Accesses that nothing orders --------------------===//
//
// See RaceDetector.h.
//
//===----------------------------------------------------------------------===//

#include "RaceDetector.h"

#include <cstdio>

namespace partopt::shim {

void RaceDetector::cut(uint64_t at) {
  auto after = ranges.upper_bound(at);
  if (after == ranges.begin())
    return;
  auto &[begin, range] = *std::prev(after);
  if (begin == at || range.end <= at)
    return;
  Range rest = range;
  range.end = at;
  ranges.emplace(at, std::move(rest));
}

void RaceDetector::report(const Toucher &earlier, const Toucher &later,
                          const char *what, uint64_t address) {
  if (races++ > 0)
    return;
  char where[32];
  std::snprintf(where, sizeof(where), "0x%llx",
                static_cast<unsigned long long>(address));
  first = later.name + " " + what + " at " + where + " beside " + earlier.name +
          ": nothing orders them";
  std::fprintf(stderr, "cuda shim: race: %s\n", first.c_str());
}

void RaceDetector::check(const std::string &name, unsigned lane,
                         uint64_t number, const Clock &clock,
                         const std::vector<Access> &accesses) {
  Toucher self{lane, number, name};
  auto isOrdered = [&](const Toucher &other) {
    bool isSelf = other.lane == lane && other.number == number;
    return other.number == 0 || isSelf || clock.at(other.lane) >= other.number;
  };
  for (const Access &access : accesses) {
    uint64_t end = access.address + access.bytes;
    cut(access.address);
    cut(end);
    for (uint64_t at = access.address; at < end;) {
      auto found = ranges.lower_bound(at);
      if (found == ranges.end() || found->first > at) {
        uint64_t stop =
            found == ranges.end() ? end : std::min(end, found->first);
        found = ranges.emplace(at, Range{stop, {}, {}}).first;
      }
      Range &range = found->second;
      if (!isOrdered(range.writer))
        report(range.writer, self, access.isWrite ? "overwrites" : "reads", at);
      if (access.isWrite) {
        for (const Toucher &reader : range.readers)
          if (!isOrdered(reader))
            report(reader, self, "overwrites what is read", at);
        range.writer = self;
        range.readers.clear();
      } else {
        range.readers.push_back(self);
      }
      at = range.end;
    }
  }
}

} // namespace partopt::shim
