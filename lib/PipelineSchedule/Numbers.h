// Numbers in messages about schedules.

#ifndef PARTOPT_LIB_PIPELINESCHEDULE_NUMBERS_H
#define PARTOPT_LIB_PIPELINESCHEDULE_NUMBERS_H

#include <functional>
#include <string>

namespace partopt::pipeline {

/// "1 rank", "3 batches".
std::string count(int value, const std::string &what);

/// "the nearest number that works is 8", or both where there is one on each
/// side of `given`, of those up to `most`; at least one works.
std::string nearestThatWork(int given, int most,
                            const std::function<bool(int)> &works);

} // namespace partopt::pipeline

#endif // PARTOPT_LIB_PIPELINESCHEDULE_NUMBERS_H
