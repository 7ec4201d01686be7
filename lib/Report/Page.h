//===- Page.h - The parts of a plan's page --------------------------------===//
//
// What all parts read, and one function for each of them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_REPORT_PAGE_H
#define PARTOPT_LIB_REPORT_PAGE_H

#include "partopt/Plan/MeshMath.h"
#include "partopt/Simulate/Simulate.h"

#include <string>
#include <vector>

namespace partopt::report {

/// Classes of ranks that are drawn, each for all its ranks.
inline constexpr size_t shownClasses = 32;
/// The drawings' columns: names of ranks, then the step.
inline constexpr double nameWidth = 150, chartWidth = 1100;

/// A plan's entry with its predicted step.
struct Page {
  const plan::PlanT &plan;
  size_t entry;
  const simulate::Machine &machine;
  plan::MeshMath mesh;
  std::vector<simulate::Timeline> timelines; ///< by class
  std::vector<simulate::Prediction> predictions;
  double step = 0; ///< seconds, of the slowest class

  Page(const plan::PlanT &plan, size_t entry, const simulate::Machine &machine);

  /// The program of a class.
  const plan::ProgramT &program(size_t classIndex) const;
  std::string ranks(size_t classIndex) const;
  /// Where a time lies in a drawing.
  double x(double seconds) const {
    return nameWidth + (step > 0 ? seconds / step * chartWidth : 0);
  }
};

/// Ticks of time above a drawing of that height.
std::string timeAxis(const Page &page, double height);

std::string summary(const Page &page);
std::string stages(const Page &page);
std::string gantt(const Page &page);
std::string memory(const Page &page);
std::string communication(const Page &page);
std::string shardings(const Page &page);
std::string collectives(const Page &page);
std::string remarks(const Page &page);

} // namespace partopt::report

#endif // PARTOPT_LIB_REPORT_PAGE_H
