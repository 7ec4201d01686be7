//===- PlanPage.h - A plan as one page ------------------------------------===//
//
// What a plan does, when, with what memory and communication, as one HTML file
// that needs nothing else: no network, no scripts. Read from the plan alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_REPORT_PLANPAGE_H
#define PARTOPT_REPORT_PLANPAGE_H

#include "partopt/Simulate/Simulate.h"

#include <string>

namespace partopt::report {

/// The page of an entry of a verified plan, with the step that is predicted for
/// `machine`, which was resolved for the plan. Its size is bounded: what is
/// narrower than a pixel is drawn together, tables and ranks end with how many
/// more there are.
std::string planPage(const plan::PlanT &plan, size_t entry,
                     const simulate::Machine &machine);

} // namespace partopt::report

#endif // PARTOPT_REPORT_PLANPAGE_H
