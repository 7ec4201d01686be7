//===- PlanText.h - What things of a plan are called ----------------------===//
//
// Names that tables, reports, traces and pages have in common.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_PLANTEXT_H
#define PARTOPT_PLAN_PLANTEXT_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <string>
#include <vector>

namespace partopt::plan {

/// "param", …; "unknown".
const char *roleName(Role role);
/// "forward", "backward", "update"; "unspecified".
const char *phaseName(Phase phase);

/// The source location with this index; "unknown" for one that is not there.
std::string locationText(const PlanT &plan, uint32_t loc);

/// What an instruction is called: its label, else the collective's or the op's
/// name.
std::string instructionName(const InstructionT &instruction);

/// "all_reduce max x4": a collective with its combiner, unless that is a sum,
/// and how often it runs, unless that is once.
std::string collectiveText(const CollectiveStartT &start);

/// "pipe=2,data=4", axes in space; "one device".
std::string meshText(const PlanT &plan);

/// The ranks of a class, ascending.
std::vector<uint32_t> ranksOf(const PlanT &plan, size_t classIndex);
/// "rank 3", "ranks 0-3,8-11", "ranks 0,4,8,12,… (64)".
std::string ranksText(const std::vector<uint32_t> &ranks);

/// Control characters of a name as "\x1B": a row is one line, and a name does
/// not control the terminal.
std::string printable(const std::string &text);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_PLANTEXT_H
