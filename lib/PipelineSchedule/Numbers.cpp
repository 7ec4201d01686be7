// See Numbers.h.

#include "Numbers.h"

namespace partopt::pipeline {

std::string count(int value, const std::string &what) {
  const char *plural = what.back() == 'h' ? "es" : "s";
  return std::to_string(value) + " " + what + (value == 1 ? "" : plural);
}

std::string nearestThatWork(int given, int most,
                            const std::function<bool(int)> &works) {
  int below = given - 1, above = given + 1;
  while (below > 0 && (below > most || !works(below)))
    --below;
  while (above <= most && !works(above))
    ++above;
  if (below > 0 && above <= most)
    return "the nearest numbers that work are " + std::to_string(below) +
           " and " + std::to_string(above);
  return "the nearest number that works is " +
         std::to_string(below > 0 ? below : above);
}

} // namespace partopt::pipeline
